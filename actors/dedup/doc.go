// Package dedup decides which of the bubbles in a window are new. A chat window
// is a sliding view onto a transcript that only grows: the actor
// dedup/CONVERSATION keeps the tail of the transcript, both sides, lays what is
// visible along it, and what stands after the aligned part is new. So a
// repeated "OK" is new, one that is read again is not, and scrolling back says
// nothing.
//
// The rules are in package ledger, which is pure: it says which bubbles are new, in
// which order they are passed on, and which known messages were edited or taken
// back. [New] makes the actor, which feeds it and keeps it in the store.
//
// It also tells fusion how much of a view it has shown, where names alone do not tell
// whose the view is: AskOverlap, OverlapAnswer.
//
// A conversation that a person merged into another one hands its ledger over, and what
// comes later too (actor_join.go). Where the two were different chats, their transcripts
// stay apart in the one ledger. When a person moves messages out of a conversation, it
// hands them over (actor_split.go) and forgets what windows have shown of it.
//
// Bubbles that are unreadable or doubtful wait for a short while, and the poller is asked to look again.
//
// Where places tell nothing, text has to: package recent remembers what was let
// through lately. It decides alone about detections that are a text (all of profile seed,
// and frames without boxes), and about messages of a view that belongs nowhere.
// Nothing whose place proves it new is ever stopped by it.
//
// Tables: "into" with the row "head", where all has gone; "tail", one ledger.Entry a
// row, by its place in the transcript; "head" with the row "head", a ledger.Head; "split"
// with the row "head", since when views count; "views", a ledger.Memory per window; "lines"
// and "prints", a recent.Row by its number in 16 digits. A crash loses nothing: a detection
// that comes again finds its bubbles in the tail.
package dedup
