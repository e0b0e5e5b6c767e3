// Package ocrproc runs text recognition in a child process, so that a crash or a
// hang of an OCR library costs one picture and not the program.
//
// [Recognizer] is the parent's side: a hardware.Recognizer that starts a process,
// sends it pictures, kills it when a deadline passes, and starts another one
// after that or after a crash. [Serve] is the child's side.
//
// The two sides talk over the child's standard input and output: a length, a
// small header and grey pixels go in, a length and JSON come out (wire.go). Both
// lengths are bounded, and malformed data ends the process.
package ocrproc
