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
//
// On Linux the process can gain no privileges, writes to no more than 2 GB of memory, leaves no
// core file, and dies with its parent; elsewhere it ends with its input. It is a barrier against
// what an OCR library does by mistake, and no sandbox: it may open the same files.
package ocrproc
