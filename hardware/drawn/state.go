package drawn

import (
	"cmp"
	"image"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// state is everything that a journal can restore.
type state struct {
	shown   string
	convs   map[string]conversation
	size    image.Point // logical pixels
	hidden  bool
	covered bool
	beside  bool // a rail and a list of chats stand left of the pane
	blurred bool // without the focus
	chats   bool // the list of chats stands in the pane's place
	draft   string
	phase   int // how often rerendered
	script  Script
}

// conversation is an append-only transcript and how far it is scrolled back.
type conversation struct {
	bubbles []*bubble
	scroll  int    // logical pixels above the newest position
	title   string // "" is its name
}

// bubble is one message. An edit replaces it. Only what captures have seen of it
// and its measured layout are written in place.
type bubble struct {
	who    Who
	kind   messages.Kind
	text   string
	at     time.Time
	unsent bool
	origin int // index of the script's event, -1 if it came otherwise

	captured bool // a capture had all of it, or its end where it is higher than the view
	shown    rows
	seen     *Seen
	lastText string // its text in the last capture that had all of it
	measured measured
}

func (s *state) conversation(name string) conversation {
	if name == "" {
		name = s.shown
	}
	return s.convs[name]
}

// titleOf is what the window calls a conversation.
func (s *state) titleOf(name string) string { return cmp.Or(s.convs[name].title, name) }

// clone shares the bubbles: trial changes replace them and never write them.
func (s *state) clone() *state {
	c := *s
	c.convs = maps.Clone(s.convs)
	return &c
}

// apply applies a checked change. grown gives the height in logical pixels that
// the shown conversation's last bubble adds, and limit the farthest scroll.
func (s *state) apply(c Change, grown, limit func(*state) int) {
	if c.Script != nil {
		if c.Script.ID != s.script.ID {
			s.forgetOrigins()
		}
		s.script = *c.Script
	}
	name := c.Conversation
	if name == "" {
		name = s.shown
	}
	switch c.Op {
	case OpAppend:
		s.append(name, c, grown)
	case OpSend:
		c.Who, c.Kind = Me, messages.KindText
		s.draft = ""
		s.append(name, c, grown)
	case OpUnsend, OpEdit:
		conv := s.convs[name]
		b := *conv.bubbles[c.Index]
		b.measured, b.captured = measured{}, false
		if c.Op == OpEdit {
			b.text = string(c.Text)
		} else {
			b.unsent = true
		}
		conv.bubbles = slices.Clone(conv.bubbles)
		conv.bubbles[c.Index] = &b
		s.convs[name] = conv
	case OpType:
		s.draft = string(c.Text)
	case OpScroll:
		conv := s.convs[s.shown]
		by := min(max(c.By, -1<<30), 1<<30)
		conv.scroll = min(max(conv.scroll+by, 0), limit(s))
		s.convs[s.shown] = conv
	case OpSwitch:
		s.shown = c.Conversation
	case OpTitle:
		conv := s.convs[c.Conversation]
		conv.title = string(c.Text)
		s.convs[c.Conversation] = conv
	case OpRerender:
		s.phase++
	case OpResize:
		s.size = image.Pt(c.W, c.H)
	case OpHide, OpShow:
		s.hidden = c.Op == OpHide
	case OpCover, OpUncover:
		s.covered = c.Op == OpCover
	case OpBeside, OpAlone:
		s.beside = c.Op == OpBeside
	case OpBlur, OpFocus:
		s.blurred = c.Op == OpBlur
	case OpChats, OpChat:
		s.chats = c.Op == OpChats
	}
}

func (s *state) append(name string, c Change, grown func(*state) int) {
	kind, origin := c.Kind, -1
	if kind == "" {
		kind = messages.KindText
	}
	if c.Script != nil {
		origin = c.Script.Next - 1
	}
	conv := s.convs[name]
	conv.bubbles = append(conv.bubbles, &bubble{
		who: c.Who, kind: kind, text: string(c.Text), at: c.At.Round(0), origin: origin,
	})
	s.convs[name] = conv
	if name == s.shown && conv.scroll > 0 { // whoever reads older messages stays with them
		conv.scroll += grown(s)
		s.convs[name] = conv
	}
}

func (s *state) forgetOrigins() {
	for _, conv := range s.convs {
		for _, b := range conv.bubbles {
			b.origin = -1
		}
	}
}
