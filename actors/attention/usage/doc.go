// Package usage measures how the computer of a desk is used: input events and
// applications, never what was typed, and never a window's title. It judges
// nothing.
//
// worker.go reads a hardware.Usage. actor.go asks it every five seconds, keeps a
// minute of answers (window.go) and sends a snapshot to the classifier every
// thirty seconds. It stores nothing: a crash loses a minute of counts.
package usage
