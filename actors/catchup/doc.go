// Package catchup scrolls the transcript of a window back to what is known of its
// conversation, to read what went by unseen, and returns to its newest position. [New]
// makes the actor catchup/WINDOW. [Rules.Step], which is pure, decides what happens to a
// [Job]; the hands of package outbound turn the wheel, the ledger of the conversation
// (package dedup) says what a view shows. Nothing is clicked and no key is pressed.
//
//	| state    | on                                      | next     | what is done                |
//	|----------|-----------------------------------------|----------|-----------------------------|
//	| queued   | due                                     | leasing  | ask for keyboard and mouse  |
//	| queued   | it has waited long enough               | done     | say so                      |
//	| leasing  | given                                   | asking   | is anybody there?           |
//	| leasing  | given, and it may be scrolled back      | lowering | turn the wheel down         |
//	| asking   | nobody is                               | looking  | look                        |
//	| asking   | nobody is, and it is only to be lowered | lowering | turn the wheel down         |
//	| looking  | shown: its conversation                 | raising  | turn the wheel up           |
//	| looking  | shown otherwise                         | queued   | leave, wait                 |
//	| raising  | turned                                  | reading  | let it settle, read         |
//	| reading  | seen: the end of what was known         | lowering | turn the wheel down         |
//	| reading  | seen: more                              | raising  | turn the wheel up           |
//	| reading  | seen: more, and it did not move, thrice, or too many were read | lowering | turn the wheel down |
//	| reading  | seen: nothing known                     | raising  | turn the wheel half back    |
//	| reading  | the same, several times                 | lowering | turn the wheel down         |
//	| lowering | turned                                  | settling | let it settle               |
//	| settling | it has moved                            | lowering | turn the wheel down         |
//	| settling | it has not moved                        | done, or queued after a restart | leave, say how it ended |
//	| any      | somebody is there                       | queued   | leave, say so, wait         |
//	| lowering | the same, once it is known how it ended | done     | leave, say so               |
//	| any      | refused or broken                       | queued   | leave, wait                 |
//	| any      | restart                                 | queued   | it may be scrolled back     |
//
// A job that only lowers a window ([messages.CatchUp].Lower) ends where the window moves no further. It is for one
// that was left at an older position, where nothing new comes into view, and has no ledger to answer.
//
// Before each turn of the wheel nobody may have used mouse or keyboard for [Rules].Idle, or
// for twice as long where a window is only lowered; the hands know which input was their own.
// Once a person touches anything, nothing is turned any more, not even to return.
//
// Tables: "jobs", a [Job] per conversation; "working" with the row "now", whose job has the
// keyboard. A job whose key is out of reach waits, and holds up the others only while it has
// the keyboard. After a crash the window may be scrolled back:
// it is lowered, and read once more; the ledger knows what it has read already.
package catchup
