package drawn

import "github.com/kehai-run/kehai/messages"

// Append adds a text message. An empty conversation means the one shown.
func (w *Window) Append(conversation string, who Who, text messages.Text) error {
	return w.Apply(Change{Op: OpAppend, Conversation: conversation, Who: who, Text: text})
}

// Sticker adds a message that is a picture.
func (w *Window) Sticker(conversation string, who Who) error {
	return w.Apply(Change{Op: OpAppend, Conversation: conversation, Who: who, Kind: messages.KindSticker})
}

// Type sets what the input field holds.
func (w *Window) Type(text messages.Text) error { return w.Apply(Change{Op: OpType, Text: text}) }

// Send adds an own message to the shown conversation and empties the field.
func (w *Window) Send(text messages.Text) error { return w.Apply(Change{Op: OpSend, Text: text}) }

// Unsend takes back message index of a conversation's transcript.
func (w *Window) Unsend(conversation string, index int) error {
	return w.Apply(Change{Op: OpUnsend, Conversation: conversation, Index: index})
}

// Edit changes the text of message index of a conversation's transcript.
func (w *Window) Edit(conversation string, index int, text messages.Text) error {
	return w.Apply(Change{Op: OpEdit, Conversation: conversation, Index: index, Text: text})
}

// Scroll moves back to older messages by logical pixels, forward if negative.
func (w *Window) Scroll(by int) error { return w.Apply(Change{Op: OpScroll, By: by}) }

// Switch shows another conversation.
func (w *Window) Switch(conversation string) error {
	return w.Apply(Change{Op: OpSwitch, Conversation: conversation})
}

// Call sets what the window calls a conversation, which stays the same. Two may be
// called alike. An empty title means its name.
func (w *Window) Call(conversation string, title messages.Text) error {
	return w.Apply(Change{Op: OpTitle, Conversation: conversation, Text: title})
}

// Resize sets the logical size. With a zero side captures are empty.
func (w *Window) Resize(width, height int) error {
	return w.Apply(Change{Op: OpResize, W: width, H: height})
}

// Rerender changes the pixels of all text but not what it says.
func (w *Window) Rerender() error { return w.Apply(Change{Op: OpRerender}) }

// Hide minimises the window.
func (w *Window) Hide() error { return w.Apply(Change{Op: OpHide}) }

// Show ends Hide.
func (w *Window) Show() error { return w.Apply(Change{Op: OpShow}) }

// Cover puts the window behind others.
func (w *Window) Cover() error { return w.Apply(Change{Op: OpCover}) }

// Uncover ends Cover.
func (w *Window) Uncover() error { return w.Apply(Change{Op: OpUncover}) }
