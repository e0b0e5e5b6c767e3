package burst_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/messages"
)

var (
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rules = burst.Rules{Quiet: 1500 * time.Millisecond, Cap: 7500 * time.Millisecond, Parts: 36}
)

func heard(n messages.Occurrence, sender, text messages.Text) messages.IncomingBubble {
	return messages.IncomingBubble{Conversation: "line:Hana", Occurrence: n, Sender: sender,
		Kind: messages.KindText, Text: text,
		SeenAt: start.Add(time.Duration(n) * time.Second)}
}

func TestMessage(t *testing.T) {
	part := func(n messages.Occurrence, kind messages.Kind, text messages.Text) messages.Part {
		return messages.Part{Kind: kind, Text: text, Occurrence: n, SeenAt: start.Add(time.Duration(n) * time.Second)}
	}
	for _, c := range []struct {
		name  string
		parts []messages.Part
		kind  messages.Kind
		text  messages.Text
		first messages.Occurrence
	}{
		{"one", []messages.Part{part(3, "text", "おはよう")}, "text", "おはよう", 3},
		{"lines", []messages.Part{part(3, "text", "a"), part(4, "text", "b\nc")}, "text", "a\nb\nc", 3},
		{"order of occurrences", []messages.Part{part(4, "text", "b"), part(3, "text", "a")}, "text", "a\nb", 3},
		{"a sticker", []messages.Part{part(3, "sticker", "")}, "sticker", "", 3},
		{"first other kind", []messages.Part{part(3, "text", "a"), part(4, "image", ""), part(5, "sticker", ""),
			part(6, "text", "b")}, "image", "a\nb", 3},
	} {
		got := burst.Message("id", "line:Hana", burst.Buffer{Sender: "Hana", Parts: c.parts})
		if got.Kind != c.kind || got.Text != c.text || got.Parts[0].Occurrence != c.first ||
			got.SeenAt != got.Parts[0].SeenAt || got.Sender != "Hana" {
			t.Errorf("%s: Message(%v) = %+v with text %q, want kind %s, text %q, first %d", c.name, c.parts, got,
				string(got.Text), c.kind, string(c.text), c.first)
		}
	}
}

// TestAdd plays random streams: every part leaves once, in order, never with
// another sender's, never more than the rules allow, never kept too long.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := burst.Rules{Quiet: time.Second, Cap: 3 * time.Second, Parts: rapid.IntRange(1, 5).Draw(t, "parts")}
		var b burst.Buffer
		var out []burst.Buffer
		now, due := start, time.Time{}
		n := rapid.IntRange(1, 40).Draw(t, "n")
		for i := 1; i <= n; i++ {
			now = now.Add(time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond)
			if len(b.Parts) > 0 && !now.Before(due) {
				if due.After(b.First.Add(r.Cap)) {
					t.Fatalf("a buffer of %v is due at %v, want at most %v later", b.First, due, r.Cap)
				}
				out, b = append(out, b), burst.Buffer{}
			}
			sender := rapid.SampledFrom([]messages.Text{"a", "a", "b"}).Draw(t, "sender")
			var flushed []burst.Buffer
			flushed, b, _ = r.Add(b, heard(messages.Occurrence(i), sender, sender), now)
			out = append(out, flushed...)
			due = now.Add(r.Wait(b, now))
		}
		if len(b.Parts) > 0 {
			out = append(out, b)
		}
		next := messages.Occurrence(1)
		for _, f := range out {
			if len(f.Parts) == 0 || len(f.Parts) > r.Parts {
				t.Fatalf("Add passed %d parts on, want 1 to %d", len(f.Parts), r.Parts)
			}
			for _, p := range f.Parts {
				if p.Occurrence != next || p.Text != f.Sender {
					t.Fatalf("Add passed on %+v of %q, want occurrence %d of the same sender", p, string(f.Sender),
						next)
				}
				next++
			}
		}
		if next != messages.Occurrence(n+1) {
			t.Fatalf("Add passed %d parts on, want %d", next-1, n)
		}
	})
}

func TestAddLeavesTheBufferGivenAlone(t *testing.T) {
	_, b, _ := rules.Add(burst.Buffer{}, heard(1, "a", "x"), start)
	before := slices.Clone(b.Parts)
	rules.Add(b, heard(2, "a", "y"), start)
	rules.Add(b, heard(3, "a", "z"), start)
	if !slices.Equal(b.Parts, before) {
		t.Errorf("Add changed its argument to %v, want %v", b.Parts, before)
	}
}

func BenchmarkAdd(b *testing.B) {
	h := heard(1, "Hana", "明日の会議は10時からです")
	var buf burst.Buffer
	for b.Loop() {
		_, buf, _ = rules.Add(buf, h, start)
	}
}
