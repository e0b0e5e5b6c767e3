// Package memory holds what is remembered, and the rules by which what was found is
// put together: [Event] is one message of either side, [Merge] makes one list of what
// the routes of a recall have found, [Pick] takes what helps most, and a [Run] says
// afterwards how it came to that. All of it is pure. Package lexical finds events by
// their words, rank orders them; the actor that keeps them is package recall.
//
// # Routes
//
//	| route   | finds                                           | time  |
//	|---------|-------------------------------------------------|-------|
//	| recent  | the newest events of the conversation           | 250ms |
//	| lexical | by words, neighbours, session, speaker and date | 600ms |
//	| chain   | what the newest event answers, and that, and on | 200ms |
//	| threads | the stretches of talk with the best hits        | 350ms |
//	| links   | questions and answers of the best hits          | 350ms |
//	| time    | what was said in a time that the question names | 400ms |
//
// A route that is late, fails or panics is left out, and named in the run.
//
// # Order
//
// Lexical scores are those of package rank and lead; what other routes found as well
// gains a little, and what only they found stands behind. At most 60 candidates stay,
// by shares that depend on how many routes found them, which what is left fills up;
// rare words of the question and the best of the lexical route keep their seats. Of
// two events with the same words the better one is taken.
package memory
