// Package ocr reads the bubbles of a captured chat window. [Worker] answers
// messages.ReadFrame with messages.FrameRead; everything it decides is in pure
// functions: [Segment] finds the bubbles (area.go, runs.go, segment.go),
// prepare.go makes one bubble readable, repair.go turns recognised lines into a
// text, kind.go tells calls, files and emoji, and sender.go finds names. A frame
// without bubbles is read whole after [Mask]; several frames of one change
// decide together by [Consensus]. [Cache] keeps what was read, so that a bubble
// costs one recognition however long it stays in the window.
//
// Bubbles are found by the colours and sizes of a layout, see package layout;
// text is read by a hardware.Recognizer, see package hardware and its drivers.
package ocr
