// Package ocrproc runs text recognition in a process of its own, so that a
// crash or a hang of an OCR library costs one picture and not the program.
//
// [Recognizer] is the near side: a hardware.Recognizer that starts a process,
// sends it pictures, kills it when a deadline passes and starts another one
// after that or after a crash. [Serve] is the far side, called by the process.
//
// The two sides speak over the process's standard input and output: a length, a
// small header and grey pixels go in, a length and JSON come out (wire.go). Both
// lengths are bounded, and whatever breaks the form ends the process.
package ocrproc
