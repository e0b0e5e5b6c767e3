// Package camera collects what the camera of a desk sees and sends a snapshot of
// it to the classifier every five seconds. It judges nothing.
//
// actor.go takes landmarks, which package landmarks summarises, or ready-made snapshots
// from a tracker. A new tracker session starts a new minute, so the camera must be fed
// by one tracker at a time. A crash loses the last minute of measurements. The person's
// usual values are stored every minute in which something was learnt, in the table
// "baseline": as row "baseline", or as row "person/NAME" where a person is named. Such
// a name stands in clear in the store.
package camera
