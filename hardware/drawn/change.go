package drawn

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
)

// MaxSide is the longest side of a window in logical pixels.
const MaxSide = 4096

// ErrChange marks a change that a window refuses. The window is as before.
var ErrChange = errors.New("drawn: change refused")

// Who wrote a message.
type Who string

// Friend is the person on the other side, Me the owner of the window.
const (
	Friend Who = "friend"
	Me     Who = "me"
)

// Op names a change.
type Op string

// Everything that can happen to a window.
const (
	OpAppend   Op = "append"   // Who, Text or Kind sticker: a new message in Conversation
	OpSend     Op = "send"     // Text: an own message in the shown conversation; empties the input field
	OpUnsend   Op = "unsend"   // Index: a notice takes the message's place
	OpEdit     Op = "edit"     // Index, Text: the message has another text
	OpType     Op = "type"     // Text: what the input field holds, "" empties it
	OpScroll   Op = "scroll"   // By: logical pixels back to older messages, negative towards newer ones
	OpSwitch   Op = "switch"   // Conversation: the one shown
	OpTitle    Op = "title"    // Conversation, Text: what the window calls it, "" for its own name
	OpRerender Op = "rerender" // text moves by a quarter pixel: other pixels, same content
	OpResize   Op = "resize"   // W, H: logical pixels; a zero side makes captures empty
	OpHide     Op = "hide"     // minimised: cannot be captured
	OpShow     Op = "show"
	OpCover    Op = "cover" // behind another window: captured all the same
	OpUncover  Op = "uncover"
	OpBeside   Op = "beside" // a rail and a list of chats stand left of the pane
	OpAlone    Op = "alone"
	OpBlur     Op = "blur" // the window loses the focus: incoming bubbles pale
	OpFocus    Op = "focus"
	OpChats    Op = "chats" // the list of chats takes the pane's place
	OpChat     Op = "chat"
	OpMark     Op = "mark" // Script only: nothing happens to the window
)

// Change is one thing that happens to a window, and its journal record.
type Change struct {
	Op           Op            `json:"op"`
	At           time.Time     `json:"at"`                     // the clock time shown beside the message
	Conversation string        `json:"conversation,omitempty"` // empty: the one shown
	Who          Who           `json:"who,omitempty"`
	Kind         messages.Kind `json:"kind,omitempty"` // empty: text
	Text         messages.Text `json:"text,omitempty"`
	Index        int           `json:"index,omitempty"` // in the conversation's transcript, from 0
	By           int           `json:"by,omitempty"`
	W            int           `json:"w,omitempty"`
	H            int           `json:"h,omitempty"`
	Script       *Script       `json:"script,omitempty"` // where the script stands after this change
}

// Script is a position in the script that plays on a window. The journal keeps it
// for the player, together with the change that led to it.
type Script struct {
	ID   string `json:"id"`   // another id means another script
	Next int    `json:"next"` // index of the next event
	MS   int64  `json:"ms"`   // script time, milliseconds from the start
}

func refuse(c Change, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrChange, c.Op, fmt.Sprintf(format, args...))
}

// check refuses a change that the state cannot take. It changes nothing.
func (s *state) check(c Change) error {
	if c.Script != nil && (c.Script.Next < 0 || c.Script.MS < 0) {
		return refuse(c, "negative script position")
	}
	if !utf8.ValidString(string(c.Text)) || !utf8.ValidString(c.Conversation) {
		return refuse(c, "the text or the conversation's name is not UTF-8")
	}
	switch c.Op {
	case OpAppend:
		if c.Who != Friend && c.Who != Me {
			return refuse(c, "who is %q, want %q or %q", c.Who, Friend, Me)
		}
		switch c.Kind {
		case "", messages.KindText:
			return checkText(c)
		case messages.KindSticker:
			if c.Text != "" {
				return refuse(c, "a sticker has no text")
			}
		default:
			return refuse(c, "kind is %q, want %q or %q", c.Kind, messages.KindText, messages.KindSticker)
		}
	case OpSend:
		return checkText(c)
	case OpEdit, OpUnsend:
		return s.checkIndex(c)
	case OpSwitch, OpTitle:
		if c.Conversation == "" {
			return refuse(c, "the conversation has no name")
		}
	case OpResize:
		if c.W < 0 || c.H < 0 || c.W > MaxSide || c.H > MaxSide {
			return refuse(c, "size is %d×%d, want 0 to %d each", c.W, c.H, MaxSide)
		}
	case OpType, OpScroll, OpRerender, OpHide, OpShow, OpCover, OpUncover,
		OpBeside, OpAlone, OpBlur, OpFocus, OpChats, OpChat:
	case OpMark:
		if c.Script == nil {
			return refuse(c, "no script position")
		}
	default:
		return fmt.Errorf("%w: unknown op %q", ErrChange, c.Op)
	}
	return nil
}

func checkText(c Change) error {
	if c.Text == "" {
		return refuse(c, "the text is empty")
	}
	return nil
}

func (s *state) checkIndex(c Change) error {
	bubbles := s.conversation(c.Conversation).bubbles
	if c.Index < 0 || c.Index >= len(bubbles) {
		return refuse(c, "index %d, the conversation has %d messages", c.Index, len(bubbles))
	}
	b := bubbles[c.Index]
	if b.unsent {
		return refuse(c, "message %d was unsent", c.Index)
	}
	if c.Op == OpEdit {
		if b.kind != messages.KindText {
			return refuse(c, "message %d is a %s and has no text", c.Index, b.kind)
		}
		return checkText(c)
	}
	return nil
}
