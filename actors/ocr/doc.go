// Package ocr reads the bubbles of a captured chat window. [Worker] answers
// messages.ReadFrame with messages.FrameRead.
//
// Package segment finds the bubbles, by pixels alone. What is decided here is in
// pure functions: repair.go turns recognised lines into a text, kind.go tells
// calls, files and emoji, and marks.go dates and notices. Several frames of one
// change decide together by [Consensus]. [Cache] keeps what was read, so that a
// bubble costs one recognition however long it stays in the window.
//
// A frame in which no bubble is found is not read: nothing shows that what
// stands in it is a message. Profile seed reads it as a whole (assign.go).
//
// Bubbles are found by the colours and sizes of a layout, see package layout.
// Text is read by a hardware.Recognizer, see package hardware and its drivers.
package ocr
