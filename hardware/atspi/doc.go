// Package atspi reads how many rows the message list of a chat window has, from
// the accessibility tree that Linux applications offer on the accessibility bus
// (AT-SPI). It is pure Go and reads structure only: roles, counts and places.
// Names are read of windows alone, to find the right one; no text of a row is.
//
// The main type is [Tree], a hardware.Structure. Browsers and Electron
// applications build their tree only when asked to: start them with
// ACCESSIBILITY_ENABLED=1 in the environment and --force-renderer-accessibility.
// Without the variable Chromium looks once, while it starts, whether the desktop
// has switched accessibility on. A tree that is still being built is an error of
// one call; the next call looks again.
//
// # Which list is the message list
//
// Of the lists, tables and trees of the window the one that covers the largest
// area; one that is marked as a log, or stands in a log, goes before all others.
// Its rows are its children, whether they can be seen or not.
package atspi
