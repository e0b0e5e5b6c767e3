// Package memory defines what is remembered, and the rules that combine what was found:
// [Event] is one message of either side, [Merge] makes one list of what the routes of a
// recall have found, [Pick] takes what helps most, and a [Run] records how that came
// about. All of it is pure. Package lexical finds events by their words, rank orders
// them; the actor that keeps them is package recall.
//
// # Routes
//
//	| route   | finds                                           | time  |
//	|---------|-------------------------------------------------|-------|
//	| recent  | the newest events of the conversation           | 250ms |
//	| lexical | by words, neighbours, session, speaker and date | 600ms |
//	| chain   | what the newest event answers, and that, and on | 200ms |
//	| threads | the stretches of talk with the best hits        | 350ms |
//	| links   | answers of the best hits, and what names the same | 350ms |
//	| time    | what was said in a time that the question names | 400ms |
//	| state   | what says how things are now, where that changes  | 250ms |
//	| vectors | what means the like, if there is a model        | 2.2s  |
//
// A route that is late, fails or panics is left out, and named in the run.
//
// # Order
//
// Lexical scores come from package rank and lead. An event that other routes found too
// gains a little. One that the vectors found gains up to 0.6 of the best lexical score. One
// that only other routes found ranks behind. At most 60 candidates stay, in shares that
// depend on which routes found them; unused seats go to the rest. Events with rare words of
// the question and the best lexical ones always keep their seats. If two events have the
// same words, the better one comes first. An outdated event ranks behind, unless the
// question asks for the past.
package memory
