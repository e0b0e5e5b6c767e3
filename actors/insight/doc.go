// Package insight finds out what the interviews of a project have in common. [New] makes
// the actor insight/PROJECT. It receives each finished interview with Analyse, masked; a
// worker ([NewWorker]) finds its keywords, then a language model its themes. [Cards]
// makes the cards of a project from what is stored; it is pure, and the same interviews
// give the same cards in whatever order they were analysed.
//
//	Analyse ─► words: keywords ─► llm: themes ─► done
//	                    │            │ not readable, twice; no model; or failing for hours
//	                    └────────────┴─► done, with keywords only
//
// An answer that is edited, taken back or moved after the end has the interview analysed
// anew. Meanwhile, earlier findings count as far as the answers still contain them;
// answers to the earlier questions do not count any more.
//
// # Evidence
//
// A theme counts with quotes only, and a quote only if it stands in what was said, word
// for word; what a model made up is dropped. A card's frequency is the number of
// interviews that have its theme. Its confidence is 0.7·min(1, frequency/conversations) +
// 0.3·min(1, quotes/quotes wanted), see [Rules]: H from 0.7, M from 0.4, else L. An
// interview without themes gives its best keywords, and a card of nothing else says so.
// Two names are one theme if they are the same words, or share half of their words.
//
// # Keywords
//
// RAKE (Rose, Engel, Cramer and Cowley 2010): phrases between words that mean little by
// themselves. In English a list says which those are; in Japanese a phrase is a row of
// nouns, by kagome with the dictionary IPA. A word scores (length of its phrases)/(their
// number), a phrase the sum over its words, times the lines that have it.
//
// # What is stored
//
// Table "analyses": an [Analysis] by conversation, sealed under the key of that
// conversation and forgotten with it, which takes its quotes out of every card. What was
// said is kept in it only until the analysis is done. Questions are fleeting; a durable
// timer of each interview asks again after a crash or a failure. TrimDue deletes analyses
// of interviews that were over before a time.
package insight
