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
// Any actor may send AskFocus to focus/DESK and gets a FocusAnswer back: what is
// reported at this moment.
//
// The collectors never judge, and the classifier judges both halves together:
// [Rules.Judge] decides the clear cases, a language model the others, and
// [Rules.Fallback] what is left without an answer. [Steady] keeps noise from
// what is reported, and [SameCase] from what the language model is asked. All of
// them are pure; actor.go is the classifier.
//
// # What a crash loses
//
// The classifier keeps one row, "steady" in its table of that name: the reported
// state, and when it was last confirmed, at most a minute old. A snapshot is
// found again within half a minute. Changes go to the history and the notifier
// in the transaction that makes them.
//
// # Privacy
//
// Snapshots hold measurements, counts and the name of the active application.
// No picture, no key and no window title is in any message. What goes to a
// language model is named field by field in prompt.go.
//
// Next: package ear for the measurements, camera, usage, history and notify
// for the other actors.
package attention
