package ocr

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func said(lines ...string) messages.Bubble {
	b := messages.Bubble{Kind: messages.KindText}
	for i, s := range lines {
		b.Lines = append(b.Lines, line(s, 0.9, 20*i))
	}
	b.Text = messages.Text(join(b.Lines))
	return b
}

// TestClocksInside: where nearly all bubbles end in a clock time, it is not part of what
// was said. A frame with few texts does not decide it.
func TestClocksInside(t *testing.T) {
	with := []messages.Bubble{said("OK 12:07"), said("See you", "12:08"), said("k 12:09")}
	without := []messages.Bubble{said("OK"), said("See you at 12:08"), said("k"), said("1")}
	for _, c := range []struct {
		name   string
		list   []messages.Bubble
		known  int
		inside bool
		learnt int
	}{
		{"all end in one", with, 0, true, 1},
		{"one ends in one", without, 0, false, -1},
		{"few texts, nothing known", with[:1], 0, false, 0},
		{"few texts of a window that has them", with[:1], 5, true, 5},
		{"few texts of a window without", with[:1], -5, false, -5},
		{"no text", nil, 3, true, 3},
		{"often enough", with, clockMost, true, clockMost},
		{"it changes", without, 2, false, 1},
	} {
		if inside, learnt := clocksInside(c.list, nil, c.known); inside != c.inside || learnt != c.learnt {
			t.Errorf("%s: clocksInside() = %v, %d, want %v, %d", c.name, inside, learnt, c.inside, c.learnt)
		}
	}
	for _, c := range []struct {
		from        messages.Bubble
		text, stamp string
		kind        messages.Kind
	}{
		{said("See you", "12:08"), "See you", "12:08", messages.KindText},
		{said("OK 12:07"), "OK", "12:07", messages.KindText},
		{said("12:07"), "", "12:07", messages.KindUnreadable},
		{said("no"), "no", "", messages.KindText},
	} {
		was := string(c.from.Lines[len(c.from.Lines)-1].Text)
		got := withoutClock(c.from)
		if string(got.Text) != c.text || got.Stamp != c.stamp || got.Kind != c.kind {
			t.Errorf("withoutClock(%q) = %q, %q, %s, want %q, %q, %s", string(c.from.Text), string(got.Text), got.Stamp,
				got.Kind, c.text, c.stamp, c.kind)
		}
		if now := string(c.from.Lines[len(c.from.Lines)-1].Text); now != was {
			t.Errorf("withoutClock() changed the line %q to %q, which the cache may hold", was, now)
		}
	}
}

// TestHeadInside: the name and the time at the top of an incoming bubble are no part of what was said.
func TestHeadInside(t *testing.T) {
	incoming := func(lines ...string) messages.Bubble {
		b := said(lines...)
		b.Side = messages.SideIncoming
		return b
	}
	for _, c := range []struct {
		from        messages.Bubble
		text, stamp string
	}{
		{incoming("Hana 1:37", "See you soon"), "See you soon", "1:37"},
		{incoming("Hana 1:37"), "Hana 1:37", ""},
		{incoming("Lunch 1:37", "or later"), "Lunch 1:37 or later", ""},
		{said("Hana 1:37", "See you soon"), "Hana 1:37 See you soon", ""},
	} {
		was := string(c.from.Lines[0].Text)
		if got := withoutHead(c.from, "Hana"); string(got.Text) != c.text || got.Stamp != c.stamp {
			t.Errorf("withoutHead(%q) = %q, %q, want %q, %q", string(c.from.Text), string(got.Text), got.Stamp, c.text,
				c.stamp)
		}
		if now := string(c.from.Lines[0].Text); now != was {
			t.Errorf("withoutHead() changed the line %q to %q, which the cache may hold", was, now)
		}
	}
}
