// Package drawn is a chat window drawn in Go, without a display or another
// process. Kehai watches it where there is no real messenger. Tests of detection
// use it because it knows what it has shown.
//
// The main type is [Window]: conversations of bubbles, a theme, a scale and
// everything that can happen to a window. Each event is a [Change].
// [Window.Apply] writes it to the journal before a capture can show it, so that
// the window shows the same pixels after a kill. [Screen] makes windows a
// hardware.Screen, [Recognizer] reads their captures back without OCR, and
// [Window.Truth] lists what could be read. [Window.Forget] takes texts out of the window and its
// journal.
//
// The window has no clock and no goroutine. Package hardware/drawn/script plays
// scripts on it through [Window.Drive].
//
// # What is where in a capture
//
// At scale 1, from the top: a header of 52 rows with the conversation's title,
// the message area on [Theme].Background, and the input bar. Incoming bubbles
// stand on the left beside a round avatar, own ones on the right. The plain fill
// of own bubbles covers the sampling strip 38 px left of the right edge, which
// nothing else in the message area reaches. In the input bar the strip has a run
// of white rows that starts at or below 0.84 of the height, in the dark theme too.
// Timestamps stand beside the bubbles, dates and notices in pills between them.
//
// With [Options].Beside a rail of 62 columns and a list of chats of 302 columns
// stand to the left, then a line of one column. The pane begins at [PaneLeft].
package drawn
