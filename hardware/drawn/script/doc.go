// Package script is the script of a chat: what a friend writes, what happens to
// the window, and when. Its main types are [Script], read by [Parse], and
// [Player], which plays a script on a drawn.Window. [Default] is the chat that is
// shown if no script is given.
//
// # Format
//
// A script is JSON Lines: one object a line. Blank lines and lines that start
// with # are skipped. Every object has at_ms, milliseconds from the start of
// the script, never less than on the line before. A line is a message
//
//	{"at_ms":0,"who":"friend","text":"おはよう","conversation":"Hana"}
//
// where who is friend or me. Without a conversation it belongs to that of the
// message before, and "kind":"sticker" instead of text makes it a picture. Any
// other line is an action
//
//	{"at_ms":1500,"do":"scroll","by":200}
//
// with one of these verbs and exactly its arguments:
//
//	scroll          by            back to older messages by logical pixels, negative: forward
//	rerender                      same content, other pixels
//	resize          to            [width,height], logical pixels; a zero side makes captures empty
//	hide, show                    minimise the window and bring it back
//	cover, uncover                put it behind other windows and back
//	beside, alone                 show a rail and a list of chats beside the pane, and no more
//	blur, focus                   take the focus, so that incoming bubbles pale, and give it back
//	chats, chat                   put the list of chats in the pane's place, and the chat back
//	switch          conversation  show another conversation
//	unsend          index         take a message back
//	edit            index, text   change the text of a message
//	type            text          what the input field holds
//	send            text          the host writes and sends this
//	restart                       the host stops the runtime and starts it again
//	crash                         the host kills the runtime and starts it again
//	reset_baseline                the host makes the poller forget the last frame
//
// index counts the messages that this script has added to the shown conversation,
// from 0, without what the host sent. Until a switch, the conversation of the
// first message is shown. The last four verbs go to [Options].Host; the others
// happen to the window. kehai run and kehai replay support them all.
//
// Anything else is an error that names the line and what is allowed there.
package script
