// Package dedup decides which of the bubbles in a window are new. A chat window
// is a sliding view onto a transcript that only grows: the actor
// dedup/CONVERSATION keeps the tail of the transcript, both sides, lays what is
// visible along it, and what stands after the aligned part is new. So a
// repeated "OK" is new, one that is read again is not, and scrolling back says
// nothing.
//
// [Ledger] is the tail and its rules: match.go compares two bubbles, align.go
// finds where a view belongs, ledger.go says what follows from it, release.go
// in which order it is passed on. [New] makes the actor.
//
// Tables: "tail", one [Entry] a row, by its place in the transcript; "head" with
// the row "head", a [Head]; "views", a [Memory] per window. A crash loses nothing:
// a detection that comes again finds its bubbles in the tail.
package dedup
