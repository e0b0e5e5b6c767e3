// Package fusion decides whether a frame that was read is worth passing on, and
// to which conversation it belongs. [New] makes the actor fusion/WINDOW; the
// rules are [Identify] (whose bubbles are these), [Score] (has anything
// changed) and steady.go (is the picture of one piece).
//
//	FrameRead ─┬─ Detection to dedup/CONVERSATION, FrameSettled to poller/WINDOW
//	           ├─ nothing new: FrameSettled
//	           └─ unknown or torn: ResetBaseline, so that the window is read again
//
// Tables: "last", by conversation name, a [Last] with what was passed on of it most
// recently; "current" with the row "current", the name passed on last; "held" with
// the row "held", a [Held] that waits for the next frame. A crash loses nothing: a
// frame is settled only after its detection is committed.
package fusion
