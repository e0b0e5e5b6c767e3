// Package recall keeps the events of a conversation and finds them again. [New] makes the
// actor recall/CONVERSATION, which stores the events of Remember, removes those of
// TakeBack, and answers Recall with Recalled:
//
//	Recall ─┬─► recent  ─┐
//	        ├─► lexical ─┤
//	        ├─► chain   ─┼─► memory.Merge ─► memory.Pick ─► a run is stored ─► Recalled
//	        ├─► threads ─┤
//	        ├─► links   ─┤     what is late, fails or panics is left out,
//	        ├─► time    ─┤     and named in the run
//	        └─► state   ─┘
//
// Each route is a call to a worker with its own time limit. They search [Library], an
// index derived from the rows: it hears of each event once the turn that stores it has
// committed. After a restart it loads its saved copy ([Saved]) and reads the changes
// since. If that copy is damaged, far behind or of another history, it reads all rows
// instead. A recall ends within [Longest], whatever happens to its routes.
//
// With a [Selector] a language model chooses from the list before anything is picked, if
// more was found than can be recalled. It gets at most 1.5 s of [LongestSelected]. If it is
// late, fails or answers nothing readable, the order by score counts, and the run says why.
//
// # Who is recalled where
//
// A conversation sees what was said in it. The owner decides what else it sees ([Scope]);
// a group sees nothing from elsewhere. A run names events by ID, so that no row here
// contains words of another conversation.
//
// # What is stored
//
// Tables: "events", a memory.Event by memory.Key of its ID; "talk" with the row
// "talk", where the conversation has come to; "changes", the newest memory.KeptChanges
// changes of the events by their number; "runs", the newest retrieval runs by
// their number in 16 digits, "count" with the row "runs", how many there ever were; "apart"
// with the row "apart", what has nothing to do with certain questions, which hashes of
// their words stand for; and "quota", what the model was asked in this hour.
// TrimDue deletes events by their age. Growth hears of each change (Grow), and has a worker
// ([NewReader]) read what has changed.
//
// A crash loses the recall in progress; whoever asked for it asks again.
package recall
