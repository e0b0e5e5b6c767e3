// Package camera collects what the camera of a desk sees and sends a snapshot of
// it to the classifier every five seconds. It judges nothing.
//
// actor.go takes landmarks, which package ear summarises, or ready-made snapshots
// from a tracker. A new tracker session starts a new minute, so the camera must
// be fed by one tracker at a time. A crash loses the last minute of measurements.
// The person's baseline is stored every five minutes, as row "baseline" of the
// table of that name.
package camera
