// Package drawn is a chat window drawn in Go: no display, no other process.
// It is what a Kehai without a real messenger watches, and the laboratory in
// which detection is tested, because it knows what it has shown.
//
// The main type is [Window]: conversations of bubbles, a theme, a scale and
// everything that can happen to a window. Whatever happens is a [Change];
// [Window.Apply] writes it to the journal before a capture can show it, so that
// after a kill the window shows the same pixels. [Screen] makes windows a
// hardware.Screen, [Recognizer] reads their captures back without OCR, and
// [Window.Truth] lists what was there to be read.
//
// The window has no clock and no goroutine. Scripts that play on it are in
// package hardware/drawn/script, which hooks in with [Window.Drive].
//
// # What is where in a capture
//
// At scale 1, from the top: a header of 52 rows with the conversation's title;
// the message area on [Theme].Ground; the input bar. Incoming bubbles stand on
// the left beside a round avatar, own ones on the right, and their fill without
// any ink covers the lane 38 px left of the right edge; nothing else in the
// message area reaches that lane. The input bar gives the lane a run of white
// rows that starts at or below 0.84 of the height, in the dark theme too. Time
// stamps stand beside the bubbles, dates and notices in pills between them.
//
// With [Options].Beside a rail of 62 and a list of chats of 302 columns stand
// left of that, then a line of one column: the pane begins at [PaneLeft].
package drawn
