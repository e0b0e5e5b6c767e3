// Package snapshot remembers the newest frame of each window, what was read in it
// and what the stages made of that: for kehai why, for the live page, and for the
// debugging files that debug.text asks for. The main type is [Windows].
//
// All of it is in memory and lost at the end of a run, but for the debugging files.
// It holds private text; of conversations that are not to be read it keeps
// nothing, and forgetting drops everything.
package snapshot
