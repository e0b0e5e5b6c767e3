// Package directory says whose conversation a window shows. [New] makes the actor
// directory/APPLICATION, the only one that gives a conversation its id. The rule
// is [Rules.Decide].
//
//	Identify ── Identified to fusion/WINDOW
//	Introduce ─ a name that is certain gets an id; ConversationCalled tells it
//	Rename ──── a person gives a conversation a name
//	Merge ───── two are one, by hand: JoinLedger to dedup/CONVERSATION
//	Split ───── one was two, by hand: SplitLedger to dedup/CONVERSATION
//	LedgerMoved ─ the ledger is there; until then what windows show of these is held (moves.go)
//	SettleHeld, SettleNew ─ a person assigns messages that fusion holds: HeldSettled
//
// An id tells nothing: it is made of the message at which the conversation was seen
// first and of a seed of the store. Names are attributes, and settle by the readings of a title, see
// [Known.Learn]. Conversations of older stores keep the ids that were made of
// their names, see [Options].
//
// Tables:
//
//	known  conversation id → [Known]
//	seed   "seed" → what ids are made of besides
//
// A crash loses nothing: fusion keeps a frame until its answer is there, and an
// answer leaves only after the id in it is committed.
package directory
