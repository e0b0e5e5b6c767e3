// Package atspi reads how many rows the message list of a chat window has, from
// the accessibility tree that Linux applications offer on the accessibility bus
// (AT-SPI). It is pure Go and reads structure only: roles, counts and positions.
// It reads the names of windows, to find the right one, and on request that of the
// selected row of the window's other lists, but no text of a message.
//
// The main type is [Tree], a hardware.Structure. Browsers and Electron
// applications build their tree only when asked to: start them with
// ACCESSIBILITY_ENABLED=1 in the environment and --force-renderer-accessibility.
// Without the variable Chromium checks only once, while it starts, whether the
// desktop has accessibility switched on. While a tree is still being built a call
// fails; the next call looks again.
//
// # Which list is the message list
//
// Among the lists, tables and trees of the window it is the one with the largest
// area. One that is marked as a log, or is inside a log, comes before all others.
// Its rows are its children, visible or not.
package atspi
