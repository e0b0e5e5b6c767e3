// Package script is the script of a chat: what a friend writes, what happens to
// the window, and when. Its main types are [Script], read by [Parse], and
// [Player], which plays a script on a drawn.Window. [Default] is the chat that is
// shown if no script is given.
//
// [Format] says how a script is written; anything else is an error that names the
// line and what is allowed there. The verbs send, restart, crash and reset_baseline
// go to [Options].Host, the others happen to the window.
package script
