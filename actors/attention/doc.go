// Package attention judges what the person at a desk is doing: focused, drowsy,
// distracted, away or idle.
//
//	face tracker ──FaceFrame──► camera ──CameraSnapshot──┐ every 5 s
//	usage worker ──UsageRead──► pcusage ──UsageSnapshot──┤ every 30 s (the last key every 5 s)
//	                                                     ▼
//	                               focus, every 10 s: rules, else llm, else fallback
//	                                                     ║ FocusChanged
//	                                      focushistory ◄═╩═► notifier ══FocusNotice══► host
//
// Any actor may send AskFocus to focus/DESK; the FocusAnswer holds the state that
// is reported at this moment.
//
// The collectors never judge. The classifier judges both halves together:
// [Rules.Judge] decides the clear cases, a language model decides the others, and
// [Rules.Fallback] decides where no answer arrives. [Debouncer] keeps noise out of
// the reported state. [SameCase] keeps the language model from being asked the
// same again. All of these are pure; actor.go is the classifier.
//
// # What a crash loses
//
// The classifier stores one row, "steady" in the table of that name: the reported
// state, and when it was last confirmed, at most a minute ago. Lost snapshots are
// replaced by new ones within half a minute. Changes reach the history and the
// notifier in the transaction that makes them.
//
// # Privacy
//
// Snapshots hold measurements, counts and the name of the active application.
// No message holds a picture, a key or a window title. prompt.go names every
// field that a language model gets to see.
//
// Next: package landmarks for the measurements, camera, usage, history and notify
// for the other actors.
package attention
