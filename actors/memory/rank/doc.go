// Package rank orders what was ever said by how much it helps to answer a question,
// without a language model and without vectors. [Recall] does all of it over an
// index of package lexical; [Plan] shows how a question is read, [Weights] how much
// each signal counts, and [Without] leaves one out, which is how they are measured
// (`make bench-recall`).
//
// A turn of a conversation is scored in four steps:
//
//  1. By its own words: BM25 of stems, pairs of Japanese letters, single Chinese
//     letters and grams, more for turns that have more of the question's terms
//     (coordination); and by other words of the same everyday fields (concepts.txt).
//  2. By what is around it: the turns beside it pass on a part of their score, an
//     answer receives more from its question, and a session that has the question's
//     terms lifts all its turns.
//  3. By what the question asks: turns of the person it names, of the time it
//     names, and turns that can answer "when", "where", "who" or "how many".
//  4. By a second look with the names in the best turns (hop); their other words
//     bring more noise than evidence.
//
// Then what only says again what a better turn says loses, and behind the first twelve
// so do further turns of the same session (repeat, breadth).
//
// Everything that a score rests on is in the answer. The functions are pure over an
// index and the texts of its documents; any number of goroutines may call them.
package rank
