// Package recall keeps the events of a conversation and finds them again. [New] makes the
// actor recall/CONVERSATION, which stores the events of Remember, removes those of
// TakeBack, and answers Recall with Recalled:
//
//	Recall ─┬─► recent  ─┐
//	        ├─► lexical ─┤
//	        ├─► chain   ─┼─► Pack.Merge   ─► memory.Pick ─► a run is stored ─► Recalled
//	        ├─► threads ─┤
//	        ├─► links   ─┤     what is late, fails or panics is left out,
//	        ├─► time    ─┤     and named in the run
//	        ├─► state   ─┤
//	        └─► vectors ─┘     only with an [Embedder]
//
// Each route is a call to a worker with its own time limit. They search [Library], an
// index derived from the rows: it hears of each event once the turn that stores it has
// committed. After a restart it loads its saved copy ([Saved]) and reads the changes
// since. If that copy is damaged, far behind or of another history, it reads all rows
// instead. A recall ends within [Longest], whatever happens to its routes.
//
// Recalled also has what is known whatever is asked (messages.Known): confirmed preferences,
// how people have been of late, in a word, and what was talked about before. The route of
// states brings it.
//
// With a [Selector] a language model chooses from the list before anything is picked, if
// more was found than can be recalled. It gets at most 1.5 s of [LongestSelected]. If it is
// late, fails or answers nothing readable, the order by score counts, and the run says why.
//
// With an [Embedder] each event gets a vector, some at a time, as changes are read: an
// event counts as read when the turn that stores its vector has committed. Another model
// starts over. Events without its vector are found by the old model's, as long as the
// old model can be asked. Vectors of two models are never compared. A model that fails
// is asked again after 10 s, later up to 30 minutes, and at each new event. A model that
// is not on this machine sees masked texts.
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
// their words stand for; "vectors", a memory.Vector by the key of its event; "embedding"
// with the row "embedding", how far that is; and "quota", what the model that selects was
// asked in this hour. TrimDue deletes events by their age. Growth hears of each change
// (Grow), and has a worker ([NewReader]) read what has changed.
//
// A crash loses the recall in progress; whoever asked for it asks again.
package recall
