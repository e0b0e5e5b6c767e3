package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Bounds of [Echoes]; the oldest go first.
const (
	maxSends  = 64
	maxClaims = 64
)

// Echoes remembers what Kehai itself has sent, so that it is recognised in the
// window.
type Echoes struct {
	Sends  []Send  `json:"sends,omitempty"`
	Claims []Claim `json:"claims,omitempty"`
}

// Send is a text that is being sent to a conversation.
type Send struct {
	Conversation messages.ConversationID `json:"conversation"`
	Text         messages.Text           `json:"text"`
	Trace        string                  `json:"trace,omitempty"`
	At           time.Time               `json:"at"`
	Seen         bool                    `json:"seen,omitempty"` // a bubble has shown it
	// Entered: Enter may have been pressed. What was typed and cleared again is nowhere, so a bubble on the
	// other side that says the same is a friend's.
	Entered bool `json:"entered,omitempty"`
}

// Claim is a bubble that counts as an own one whatever its side.
type Claim struct {
	Conversation messages.ConversationID `json:"conversation"`
	Key          messages.PixelKey       `json:"key"`
	Text         messages.Text           `json:"text"` // normalised
}

// Echo is a text that was recognised as one that was sent.
type Echo struct {
	Text  messages.Text
	Side  messages.Side // as it was read
	Trace string
	Match text.Echo
	Age   time.Duration
}

// Sending remembers a text that is about to be sent. A retry renews it.
func (e *Echoes) Sending(r Rules, s Send) {
	e.Sends = slices.DeleteFunc(e.Sends, func(o Send) bool {
		again := s.Trace != "" && s.Trace == o.Trace && s.Text == o.Text && s.Conversation == o.Conversation
		return again || s.At.Sub(o.At) >= r.EchoWindow
	})
	e.Sends = append(e.Sends, s)
	e.Sends = e.Sends[max(0, len(e.Sends)-maxSends):]
}

// Text looks for a text without a side among what was sent, as a whole and line
// by line.
func (e *Echoes) Text(r Rules, c messages.ConversationID, t messages.Text, at time.Time) (Echo, bool) {
	var sends []text.Send
	var traces []string
	for _, s := range e.Sends {
		if s.Conversation == c {
			sends, traces = append(sends, text.Send{Form: r.Echo.EchoFormOf(string(s.Text)), At: s.At}),
				append(traces, s.Trace)
		}
	}
	form := r.Echo.EchoFormOf(string(t))
	found := r.Echo.Find(form, at, r.EchoWindow, sends)
	if found.How == text.EchoNone {
		return Echo{}, false
	}
	out := Echo{Text: t, Match: found.How, Age: found.Age}
	for i, s := range sends {
		if at.Sub(s.At) == found.Age {
			out.Trace = traces[i]
		}
	}
	return out, true
}

// Sides corrects the sides of a view's bubbles, given the view before it. A
// bubble without a side that says what was sent is an own one. So is one on the
// other side if nothing confirms its side: the view shows no own bubble at all,
// the bubble was not there before the sending, Enter may have been pressed, and the sending
// has not been seen for [ownLate]. Until then doubt says that the view is to wait: a friend may have
// said the same, and the own bubble is still to come. A claimed bubble stays an own
// one. Sides returns a corrected copy, or the bubbles as they came and changed false.
// learnt says that e has changed.
func (e *Echoes) Sides(r Rules, c messages.ConversationID, at time.Time, before View, bubbles []messages.Bubble) (
	out []messages.Bubble, changed bool, found []Echo, learnt, doubt bool) {
	blind := e.blind(c, bubbles)
	out, changed = e.Claimed(c, bubbles)
	if len(e.Sends) == 0 {
		return out, changed, nil, false, false
	}
	fresh := unseen(before, bubbles)
	learnt = e.Saw(r, c, at, before, bubbles)
	for i, b := range out {
		if isOwn(b) || b.Kind != messages.KindText {
			continue
		}
		against := b.Side == messages.SideIncoming
		if against && (!blind || !fresh[i]) {
			continue
		}
		s, how := e.match(r, c, b, at, against)
		if s == nil || against && !s.Entered {
			continue
		}
		if age := at.Sub(s.At); against && age >= 0 && age < ownLate {
			doubt = true
			continue
		}
		found = append(found, Echo{Text: b.Text, Side: b.Side, Trace: s.Trace, Match: how, Age: at.Sub(s.At)})
		s.Seen, learnt = true, true
		e.Claims = append(e.Claims, Claim{c, b.Key, messages.Text(text.Normalize(string(b.Text)))})
		e.Claims = e.Claims[max(0, len(e.Claims)-maxClaims):]
		out, changed = owned(out, changed, i), true
	}
	return out, changed, found, learnt, doubt
}

// Saw notes which sendings own bubbles of a view show that the view before did not. It says
// whether e has changed.
func (e *Echoes) Saw(r Rules, c messages.ConversationID, at time.Time, before View,
	bubbles []messages.Bubble) (learnt bool) {
	if len(e.Sends) == 0 {
		return false
	}
	fresh := unseen(before, bubbles)
	for i, b := range bubbles {
		if b.Side == messages.SideOwn && fresh[i] {
			if s, _ := e.match(r, c, b, at, true); s != nil {
				s.Seen, learnt = true, true
			}
		}
	}
	return learnt
}

// ownLate is how long after a sending its bubble may appear. Until then, a bubble with the
// same text on the other side may be a friend's.
const ownLate = 5 * time.Second

// Claimed corrects the sides of bubbles that were claimed before. Each claim
// accounts for one bubble, recognised by its pixels, or by its text where no side
// can be trusted.
func (e *Echoes) Claimed(c messages.ConversationID, bubbles []messages.Bubble) (out []messages.Bubble, changed bool) {
	out = bubbles
	claims := slices.DeleteFunc(slices.Clone(e.Claims), func(k Claim) bool { return k.Conversation != c })
	if len(claims) == 0 {
		return out, false
	}
	blind := e.blind(c, bubbles)
	for i, b := range bubbles {
		if isOwn(b) || b.Kind != messages.KindText {
			continue
		}
		bySide := blind || b.Side != messages.SideIncoming
		if k := slices.IndexFunc(claims, func(k Claim) bool { return k.is(b, bySide) }); k >= 0 {
			claims = slices.Delete(claims, k, k+1)
			out, changed = owned(out, changed, i), true
		}
	}
	return out, changed
}

// blind reports whether all own bubbles of a view are claimed ones.
func (e *Echoes) blind(c messages.ConversationID, bubbles []messages.Bubble) bool {
	return !slices.ContainsFunc(bubbles, func(b messages.Bubble) bool {
		return isOwn(b) && !slices.ContainsFunc(e.Claims,
			func(k Claim) bool { return k.Conversation == c && k.is(b, true) })
	})
}

// is reports whether a bubble is the claimed one.
func (k Claim) is(b messages.Bubble, byText bool) bool {
	return k.Key == b.Key && k.Key != 0 || byText && text.OCREqual(string(k.Text), string(b.Text))
}

func isOwn(b messages.Bubble) bool { return b.Side == messages.SideOwn }

// owned makes bubble i an own one, in a copy unless out already is one.
func owned(out []messages.Bubble, copied bool, i int) []messages.Bubble {
	if !copied {
		out = slices.Clone(out)
	}
	out[i].Side = messages.SideOwn
	return out
}

// match finds the newest sending that a bubble shows. With open it looks only at
// those not seen yet.
func (e *Echoes) match(r Rules, c messages.ConversationID, b messages.Bubble, at time.Time,
	open bool) (*Send, text.Echo) {
	form := r.Echo.EchoFormOf(string(b.Text))
	for i := len(e.Sends) - 1; i >= 0; i-- {
		s := &e.Sends[i]
		if age := at.Sub(s.At); s.Conversation != c || open && s.Seen || !text.Inside(age, r.EchoWindow) {
			continue
		}
		if how := r.Echo.Match(form, r.Echo.EchoFormOf(string(s.Text))); how != text.EchoNone {
			return s, how
		}
	}
	return nil, text.EchoNone
}

// unseen says which bubbles the view before did not show. Each of its bubbles
// accounts for one.
func unseen(before View, bubbles []messages.Bubble) []bool {
	marks := slices.Clone(before.Marks)
	out := make([]bool, len(bubbles))
	for i, b := range bubbles {
		norm := messages.Text(text.Normalize(string(b.Text)))
		k := slices.IndexFunc(marks, func(m Mark) bool { return m.Key == b.Key && m.Key != 0 })
		if k < 0 {
			k = slices.IndexFunc(marks, func(m Mark) bool {
				return m.Text != "" && text.OCREqual(string(m.Text), string(norm))
			})
		}
		if out[i] = k < 0; k >= 0 {
			marks = slices.Delete(marks, k, k+1)
		}
	}
	return out
}
