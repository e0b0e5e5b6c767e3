// Package recall keeps the events of a conversation and finds them again. [New] makes
// the actor recall/CONVERSATION, which stores what Remember tells, takes out what
// TakeBack tells, and answers Recall with Recalled:
//
//	Recall ─┬─► recent  ─┐
//	        ├─► lexical ─┤
//	        ├─► chain   ─┼─► memory.Merge ─► memory.Pick ─► a run is stored ─► Recalled
//	        ├─► threads ─┤
//	        ├─► links   ─┤     what is late, fails or panics is left out,
//	        └─► time    ─┘     and named in the run
//
// Each route is a call to a worker with a time of its own; [Library], the index that
// they search, is derived from the rows: it hears of each event when the turn that
// stores it has committed. After a restart it begins with what was saved of it ([Saved])
// and reads the changes since; what was saved is of no use if it is damaged, far behind or
// of another history, and all rows are read then. A recall comes to an end within
// [Longest], whatever becomes of its routes.
//
// # Who is recalled where
//
// A conversation sees what was said in it. What else it sees is for [Scope] to say,
// which the owner decides; a group sees nothing of what was said elsewhere. A run names
// events by their IDs, so that no row here has words of another conversation.
//
// # What is stored
//
// Tables: "events", a memory.Event by memory.Key of its ID; "talk" with the row
// "talk", where the conversation has come to; "changes", the newest memory.KeptChanges
// changes of the events by their number; "runs", the newest retrieval runs by
// their number in 16 digits, and "count" with the row "runs", how many there ever were.
// TrimDue deletes events by their age.
//
// A crash loses the recall that is under way, which whoever asked asks for again.
package recall
