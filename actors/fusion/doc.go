// Package fusion decides whether a frame that was read is worth passing on, and
// to which conversation it belongs. [New] makes the actor fusion/WINDOW; the
// rules are [Identify] (whose bubbles are these), [Rules.Score] (has anything
// changed) and steady.go (is the picture of one piece).
//
//	FrameRead ─┬─ Detection to dedup/CONVERSATION, FrameSettled to poller/WINDOW
//	           ├─ nothing new: FrameSettled
//	           ├─ torn: ReadAgain, so that the window is read again
//	           ├─ text in no bubble: FrameHeld, so that it is read again later (actor_bare.go)
//	           └─ unknown: FrameHeld (actor_unknown.go)
//	TextSent ──── remembered for two minutes: what says the same is an own message (echo.go)
//	StructureSignal ─ counts with the frame of its poll; without one, ReadNow to poller/WINDOW
//
// Text that stands in no bubble proves nothing. While a frame shows more of it
// than usual, nothing is passed on: no message, no change, no new conversation.
// After some seconds the person is told. Where no bubble tells whose it is,
// nothing of it is passed on as a message, and the person is told
// (actor_sides.go).
//
// A [Strategy] says what decides. In profile seed ([ByText]), and where bubbles have
// no place, text alone tells what is
// new: cursor.go (after what was passed on last), delta.go (which lines are not
// those of the last reading), sanitize.go (what somebody wrote). signals.go has
// the signals, rules.go every number.
//
// Tables: "last", by conversation name, a [Last] with what was passed on of it most
// recently, of the 512 conversations passed on last; "current" with the row "current", the name passed on last; "held" with
// the row "held", a [Held] that waits for the next frame; "cursor" with the row
// "cursor", a [Cursor]; "echoes", an [Echoes] per conversation id; "unknown" with
// the row "unknown" while it is reported that the conversation is unknown: since
// when. A crash loses nothing: a frame is settled only after its detection is
// committed.
package fusion
