// Package camera keeps what the camera of a desk saw last and hands a snapshot of
// it to the classifier every five seconds. It judges nothing.
//
// actor.go takes landmarks, which package ear sums up, or snapshots that a
// tracker made itself. Another session of a tracker begins a minute of its own,
// so that whoever feeds the camera hears one tracker at a time. A crash loses the
// minute that was seen; the person's baseline is stored every five minutes, as
// row "baseline" of the table of that name.
package camera
