// Package ingress is the last gate before a message counts: it stops Kehai's own
// sent texts, and repeats of what was heard a moment ago. [New] makes the actor
// ingress/CONVERSATION; the rules are in decide.go ([Rules], [Decision]) over what
// is remembered, in memory.go ([Memory]). The thresholds are [Rules]; package
// actors/text recognises echoes.
//
//	TextSent ─► remembered for 10 minutes
//	IncomingBubble ─► repeat? ─► echo? ─► short window? ─► common window? ─┬─► IncomingBubble to burst, Accepted
//	                                                              └─► dropped, with the reason
//	Revised ─► burst
//	OwnMessage ─► was it sent? ─► to conversation, and to the sender that waits for it
//
// A conversation has one name across all channels, and only texts of the same
// conversation are ever compared. So one actor for each conversation sees all
// that it has to compare, and no conversation waits for another.
//
// # Profiles
//
// In profile seed text alone decides. In profile default a message whose place
// in the transcript proves it new (IncomingBubble.Fresh) passes the two text windows
// whatever it says, and an echo needs evidence that the bubble is an own one,
// or none at all about its side. A friend who returns a greeting is heard.
//
// # Claims
//
// A text that is remembered is a claim on it: others of its kind are refused until
// it is too old. The claim is made in the turn that hands the message on, so the
// two are committed together or not at all: a failure releases the claim by undoing
// the turn. A dropped message claims nothing, and so extends no claim.
//
// # Order
//
// TextSent is in this actor's inbox before the first key goes out, because its
// sender commits it no later than the call that types. Bubbles that are read later
// are committed later, and an inbox keeps that order. The same holds for the TextSent that
// says that Enter is pressed.
//
// # Tables
//
// Row keys are ascending numbers in 16 digits.
//
//	sent    the texts sent, at most Rules.Sends      [Sent]
//	heard   the texts accepted, at most Rules.Entries [Entry]
//	last    one row "last": the highest occurrence accepted or refused
//	into    one row "into": the conversation that this one went into (actor_join.go)
//
// Texts that are too old are deleted when the next message comes, oldest first. A crash loses nothing.
package ingress
