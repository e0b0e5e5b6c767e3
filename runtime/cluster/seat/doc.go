// Package seat is this machine's place among the members of its cluster. Its main type is
// [Seat]: it opens the wires (package transport), lets machines in (invite), keeps the book
// of the members (identity) the same everywhere, and finds members again whose address has
// changed. Who leads and what is replicated is decided by the log that it opens (journal).
//
// [Found] and [Join] make an identity; [Open] takes the seat of a machine that has one.
//
// Members greet each other every few seconds ([greeting]). A greeting says where the
// greeter listens now and how new its book is: who hears of a newer one fetches it. So a
// machine that was away learns who has come and gone before it is refused by those that it
// does not know.
//
// Raft knows members by name, never by address: transport.Transport looks up where a name
// is now. What lies in DATA/cluster beside what package identity has there:
//
//	log/         this machine's part of the log: entries, a store, and snapshots, encrypted as DATA/store is
//	generation   that of the log, see identity.Book
//	store        which store belongs to it
//
// A machine that wakes up in another network is greeted again as soon as one of
// the members that it knows answers.
package seat
