// Package interview leads a conversation through the states of an interview. It is
// pure: [Machine.Step] takes a [State], an [Event] and the time, and returns the next
// state and what is to be done, as a [Result]. A [Project] says what to ask; it is
// read from a file by [ParseProject]. conversation/CONVERSATION is led by it.
//
// # States
//
// intro, enumerate, recommend, choose, deepening, summary_check and done follow each
// other; fallback asks three fixed questions where no language model answers, then those
// of must_ask word by word. An event is what a person said or what became of a reply:
//
//	start      the signal that opens an interview
//	answer     anything that is said and is nothing of the following
//	ending     answers of which the last is followed by a closing word
//	closing    "that's all", 特にない: as a whole utterance only
//	skip       [skip], [スキップ], "pass": no answer
//	stop       the person or the host ends the interview
//	failed     the language model did not answer
//	recovered  it answers again
//
// What was said together, in several messages or parts of one, is one event, though each
// text is judged by itself. A stop among them stops; answers are answers whatever else is
// said; what is left is a closing, a skip, or the signal again.
//
// The first row that fits counts:
//
//	| from                                | on                            | when         | to            |
//	|-------------------------------------|-------------------------------|--------------|---------------|
//	| done                                | any                           |              | done          |
//	| any                                 | stop                          |              | done          |
//	| fallback                            | answer, ending, closing, skip | asks_more    | fallback      |
//	| fallback                            | answer, ending, closing, skip |              | done          |
//	| fallback                            | recovered                     | may_resume   | left          |
//	| fallback                            | any                           |              | fallback      |
//	| any                                 | failed                        |              | fallback      |
//	| any                                 | start, recovered              |              | same          |
//	| any                                 | answer, ending, closing       | last_turn    | done          |
//	| intro, enumerate, recommend, choose | answer, ending, closing       | asks_now     | deepening     |
//	| intro                               | ending                        |              | recommend     |
//	| intro                               | answer, ending, closing, skip |              | enumerate     |
//	| enumerate                           | ending, closing, skip         |              | recommend     |
//	| enumerate                           | answer                        | three_items  | recommend     |
//	| enumerate                           | answer                        |              | enumerate     |
//	| recommend                           | answer, ending, closing, skip |              | choose        |
//	| choose                              | answer, ending, closing, skip | deepens      | deepening     |
//	| choose                              | answer, ending, closing, skip |              | summary_check |
//	| deepening                           | answer, ending, closing, skip | deepens      | deepening     |
//	| deepening                           | answer, ending, closing, skip |              | summary_check |
//	| summary_check                       | answer, ending, closing, skip |              | done          |
//
// asks_more: a fixed question or one of must_ask is left. may_resume: the rules allow
// it. last_turn: it is answer number max_turns. asks_now: the turns that are left are
// just enough for the questions of must_ask. three_items: three different things were
// named in intro and enumerate. deepens: fewer than max_deep questions were asked. left
// is the state that fallback interrupted: what of must_ask fallback has put counts as
// asked there.
//
// # Counting
//
// An answer or a closing word is a turn; the start signal and a skip are none. A skip moves on
// all the same, so that an interview ends whatever is said. The turn into done carries a
// [Finish], once: it starts the analysis, and a [Register] of the project's finished
// conversations says whether it closes the project. Fallback has a counter of its own, so that
// it asks its questions however late it begins. A host that lets an interview recover from
// fallback tries the next answer in the state that was left. If no model answers even then, it
// takes the step of fallback.
//
// State and Register are stored as JSON; golden files pin the form.
package interview
