// Package messages holds every message that Kehai's actors exchange, the names
// by which they find each other, and the codec of the stored and wire forms.
// It imports nothing of Kehai.
//
// One file per stage, in flow order: poll.go, read.go and structure.go (seeing),
// inbound.go (deciding what is new), outbound.go (what is sent, told to fusion and
// ingress before the first key goes out). Package messages/events holds what
// happened, for listeners.
//
// Who sends what to whom:
//
//	poller       ──CaptureWindow──► capture
//	             ──ReadFrame──► ocr
//	             ──FrameRead, ResetBaseline──► fusion
//	structure    ──CountRows──► structure
//	             ──StructureSignal──► fusion
//	fusion       ──FrameSettled, FrameHeld, ReadNow, ReadAgain──► poller
//	             ══Detection══► dedup
//	dedup        ══Heard, Revised══► ingress
//	             ──ReadNow──► poller
//	ingress      ══Heard, Revised══► burst
//	burst        ══InboundMessage, Revised══► conversation
//	conversation ══MessageDelivered, MessageChanged══► host
//	camera       ──CameraSnapshot──► focus
//	pcusage      ──ReadUsage──► usage
//	             ──UsageSnapshot, KeyRecency──► focus
//	focus        ──AskLLM──► llm
//	             ══FocusChanged══► focushistory
//	             ══FocusChanged══► notifier
//	             ──FocusAnswer──► host
//	notifier     ──ShowNotice──► notify
//
// A double line is durable: the message is in the store before anybody acts on
// it. A single line is fleeting: lost in a crash and repeated by the next poll.
// Which type is which stands in the table of [Core], nowhere else.
//
// A few words are Kehai's own. They mean the same in every package:
//
//   - turn: the handling of one message by one actor, with all that it causes:
//     writes, messages, calls, timers, events. All of it is committed, or none
//   - call: a request to a worker, outside of the turn; its result comes back as
//     a message, or [CallFailed]
//   - ledger: what Kehai knows of the transcript of one conversation, and the
//     rules that lay a new view of the screen along it
//   - occurrence: the number of one message in that transcript. The same words
//     said twice are two occurrences; read twice they are one
//   - burst: messages of one sender in quick succession, delivered as one
//   - verdict: what a stage of the pipeline decided, by which rule, and on what
//     evidence: see package events
//   - settled: of a frame, that all that was in it is committed, so that it need
//     not be read again
//   - profile seed: the rules of the first version, in which text alone tells
//     what is new
//
// Private text has the type [Text], which formats redacted.
package messages
