// Package ocr reads the bubbles of a captured chat window. [Worker] answers
// messages.ReadFrame with messages.FrameRead.
//
// Package segment finds the bubbles by pixels alone, with the colours and sizes of
// a layout (package layout). A hardware.Recognizer reads their text. This package
// decides what was read, in pure functions: repair.go turns recognised lines into
// a text, kind.go recognises calls, files and emoji, and worker_marks.go dates and
// notices. Emoji stand in a text as package emojifont knows them by their looks
// (emoji.go). Several frames of one change decide together by [Consensus]. [Cache]
// keeps readings, so that a bubble costs one recognition however long it stays in
// the window.
//
// A frame without bubbles is not read: nothing shows that its text is a message.
// Profile seed reads it as a whole (assign.go).
package ocr
