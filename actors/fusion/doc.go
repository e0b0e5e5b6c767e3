// Package fusion decides whether a frame that was read is worth passing on, and which
// conversation it belongs to. [New] makes the actor fusion/WINDOW. The directory says
// whose bubbles these are: fusion asks it, and keeps the frame until the answer is there
// (actor_identity.go). The rules are [Rules.Score] (has anything changed?) and
// consistency.go (do title and bubbles belong together?).
//
//	FrameRead ─── Identify to directory/APPLICATION, with what the accessibility tree calls the chat (namer.go)
//	Identified ┬─ Detection to dedup/CONVERSATION, FrameSettled to poller/WINDOW
//	           ├─ nothing new: FrameSettled
//	           ├─ inconsistent: ReadAgain, so that the window is read again
//	           ├─ text in no bubble: FrameHeld, so that it is read again later (actor_unproven.go)
//	           ├─ unknown: FrameHeld (actor_unknown.go); what it shows is kept (actor_held.go)
//	           └─ to be compared: AskOverlap to dedup/CONVERSATION, OverlapAnswer, Identify again
//	HeldSettled ─ what was kept is somebody's: Detection to dedup/CONVERSATION
//	ForgetView ─ some of what it has shown of a conversation is another's: compared anew
//	AskConversation ─── ConversationShown to outbound/WINDOW: nobody's after a gap, until its two sides were seen to
//	             meet or it was seen to go on three times
//	TextSent ──── remembered for two minutes: a bubble that says the same is an own message (echo.go)
//	StructureSignal ─ counts with the frame of its poll; without one, ReadNow to poller/WINDOW
//
// Text outside bubbles proves nothing. While a frame shows more of it than usual,
// nothing is passed on: no message, no change, no new conversation. After some
// seconds the person is notified. If no bubble shows who wrote it, no bubble is
// passed on as a message, and the person is notified too (actor_sides.go).
//
// The pixels of a header (looks.go) say whose name it is: equal ones are one name, however it
// was read, and others are another until the bubbles prove it.
//
// While a window shows one title without a break (actor_streak.go), what stands in the
// place of a message is that message, edited or taken back: no namesake's first sight.
//
// Messages may come faster than a window is looked at (actor_flooded.go): pages that nothing connects with what
// their conversation has shown are kept, as a namesake's may be, and go before the first page that is known to follow
// after a gap.
//
// A window that was away, and has the header of the conversation that it showed before over
// a whole transcript, shows that one, begun anew (actor_reopened.go): some applications start
// without what was said before.
//
// A [Strategy] chooses the evidence. In profile seed ([ByText]), and where bubbles
// have no place, text alone shows what is new: cursor.go cuts off what was passed
// on before, delta.go finds lines that the last reading did not have, and
// sanitize.go keeps what somebody wrote. signals.go has the signals, rules.go
// every number.
//
// Tables:
//
//	views    conversation id → [View] passed on last, for 512 conversations
//	showing  "current" → the conversation passed on last
//	held     "held" → [Pending], a view that waits for the next frame
//	cursor   "cursor" → [Cursor]
//	echoes   conversation id → [Echoes]
//	nameless number → [Held], a reading of which nobody knows whose it is, at most 64
//	unknown  "unknown" → since when the conversation is unknown, once that is reported
//
// An older version had names for ids, in the tables "last" and "current": actor_adopt.go.
//
// A crash loses nothing: a frame is settled only after its detection is committed.
package fusion
