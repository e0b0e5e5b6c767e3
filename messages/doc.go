// Package messages holds every message that Kehai's actors exchange, the names
// by which they find each other, and the codec of the stored and wire forms.
// It imports nothing of Kehai.
//
// One file per stage, in flow order:
//
//	poll.go      screen poller ──FrameCaptured──► (hash changed?) ──ReadFrame──► OCR workers
//	read.go      OCR workers ──FrameRead──► poller ──FrameRead──► fusion (one per window)
//	structure.go structure poller ──CountRows──► structure worker; ──StructureSignal──► fusion
//	inbound.go   fusion ══Detection══► dedup (one per conversation, with the ledger)
//	             dedup ══Heard══► ingress ══Heard══► burst
//	             burst ══InboundMessage══► conversation ══MessageDelivered══► host
//	             dedup ══Revised══► ingress, burst, conversation ══MessageChanged══► host
//	outbound.go  whoever sends ══TextSent══► fusion and ingress, before the first key goes out
//	events.go    what happened, for listeners; evidence.go what rules over text have found
//
// A double line is durable: the message is in the store before anybody acts on
// it. A single line is fleeting: lost in a crash and repeated by the next poll.
// Which type is which stands in the table of [Core], nowhere else.
//
// Private text has the type [Text], which formats redacted.
package messages
