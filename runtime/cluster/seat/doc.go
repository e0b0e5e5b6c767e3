// Package seat is this machine's place among the members of its cluster. Its main type is
// [Seat]: it opens the wires (package transport), lets machines in (invite), keeps the
// book of the members (identity) the same everywhere, and finds members again whose
// address has changed. The log that it opens (journal) decides who leads and what is
// replicated.
//
// [Found] and [Join] make an identity; [Open] takes the seat of a machine that has one.
//
// Members greet each other every few seconds ([greeting]). A greeting says where the
// greeter listens now and how new its book is. A member that hears of a newer book
// fetches it. So a machine that was away learns who has joined and left before unknown
// members refuse it.
//
// Raft knows members by name, never by address: transport.Transport looks up where a name is
// now. Files in DATA/cluster beside those of package identity:
//
//	log/         this machine's part of the log: entries, a store, and snapshots, encrypted as DATA/store is
//	generation   that of the log, see identity.Book
//	store        which store belongs to it
//
// A machine that wakes up in another network is greeted again as soon as one of
// the members that it knows answers.
package seat
