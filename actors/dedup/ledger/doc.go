// Package ledger keeps the tail of a conversation's transcript and says which
// bubbles of a view are new. It is pure: a [Ledger] is a value over entries, views
// and times; the actor of package dedup stores it.
//
// A chat window is a sliding view onto a transcript that only grows.
// [Ledger.Observe] lays the bubbles of a view along the tail and judges the view
// by one rule:
//
//	| Rule        | what the view shows                        | what becomes of its bubbles                        |
//	|-------------|--------------------------------------------|----------------------------------------------------|
//	| nothing     | no whole bubble                            | nothing                                            |
//	| first_sight | a conversation that was never seen         | FirstSight says which wait, others are history     |
//	| forgotten   | one whose transcript was deleted           | history                                            |
//	| aligned     | a part of the tail, and what came after it | known ones are updated, those after the tail wait  |
//	| gap         | nothing known, at the newest position      | those below the newest mark wait                   |
//	| scrolled    | nothing known, at an older position        | nothing                                            |
//
// # States of an entry
//
// An [Entry] is one message of the transcript. Its [State] follows from what is
// stored of it:
//
//	| from                       | when                                           | to        | by             |
//	|----------------------------|------------------------------------------------|-----------|----------------|
//	| new                        | an incoming bubble, or one of unknown side     | waiting   | insert         |
//	| new                        | an own bubble, or history                      | settled   | insert         |
//	| new                        | a notice where no known message was            | removed   | insert         |
//	| waiting                    | it is readable, was seen or waited long enough | settled   | Ledger.Release |
//	| waiting                    | a notice in its place, or its place closed up  | withdrawn | noteUnsent     |
//	| withdrawn                  | the bubble is back                             | waiting   | restore        |
//	| withdrawn                  | as of waiting; it is incoming                  | unsent    | Ledger.Release |
//	| withdrawn                  | as of waiting; it is not                       | removed   | Ledger.Release |
//	| settled, completed         | an incoming one has another text               | edited    | noteEdit       |
//	| settled                    | an unreadable one, of another size, is readable | edited   | complete       |
//	| settled                    | what was a part, or unreadable, is whole       | completed | complete       |
//	| settled, edited, completed | an incoming one is gone                        | unsent    | noteUnsent     |
//	| settled                    | an own one is gone                             | removed   | noteUnsent     |
//	| edited                     | the published text is back                     | settled   | restore        |
//	| unsent                     | the bubble is back                             | settled   | restore        |
//	| edited, completed          | it has lasted                                  | settled   | Ledger.Revise  |
//	| unsent                     | it has lasted                                  | removed   | Ledger.Revise  |
//
// If a message was edited several times, its earlier texts are reported together
// with the last one. Nothing follows removed. A view may make two moves at once: a
// message that comes back may be complete then. A change of an own message is not
// reported: it is taken over at once. [Ledger.Own] reports each new own message
// once: one that a view shows after the known ones. The first view of a
// conversation, and history, report none.
//
// # Files
//
// entry.go has the entry and its moves, observe.go turns a view into
// observations, compare.go says how an observation relates to an entry, weights.go
// what that is worth, align.go finds where a view belongs, claims.go whether that can be, ledger.go judges it,
// merge.go joins it with the tail, back.go what is read of a gap by scrolling back,
// overlap.go says how much of it the tail has shown, parts.go joins the parts of what is
// higher than the window, inplace.go whether it shows the places of the last view,
// changes.go finds what was edited or taken back, release.go says what is passed on and
// when, position.go where a window stands.
package ledger
