package pii

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are the messages of the corpora, and texts that look masked.
func seeds(f *testing.F) {
	for _, file := range []string{"tuned.txt", "heldout.txt"} {
		for _, m := range readCorpus(f, file) {
			f.Add(m.text)
		}
	}
	for _, s := range []string{
		"", "\xff", "[氏名]", "[氏名·7f3a]", "［氏名・7f3a-2］", "[[氏名·7f3a]", "\u0301\u0301a", "090-1234-5678090-1234-5678",
		"a@b.co@c.de",
		"4111111111111111 4111111111111111", "㍿㍿", "ﾀﾞ\u200bﾅｶさん",
		"合言葉は「{secret|ひまわり}」だよ",
	} {
		f.Add(s)
	}
}

func checkSpans(t *testing.T, text string, spans []Span) {
	t.Helper()
	if !apart(text, spans) {
		t.Fatalf("Find(%q) = %v: not in order and apart", text, spans)
	}
	for _, s := range spans {
		if utf8.RuneCountInString(text[:s.Start]) != s.FirstRune || utf8.RuneCountInString(text[:s.End]) != s.EndRune {
			t.Fatalf("Find(%q): %+v counts its runes wrong", text, s)
		}
	}
}

// FuzzMask: no text makes it panic, nothing that can reach a person survives, and
// masking what is masked changes nothing.
func FuzzMask(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := Mask(text, Japanese)
		if got.Err != nil {
			if got.Text != "[非公開]" {
				t.Fatalf("Mask(%q) = %q with %v", text, got.Text, got.Err)
			}
			return
		}
		checkSpans(t, text, got.Spans)
		again := Mask(got.Text, Japanese)
		for _, s := range again.Spans {
			switch s.Kind {
			case Email, Phone, Card:
				t.Fatalf("Mask(%q) = %q still has the %s %q", text, got.Text, s.Kind, got.Text[s.Start:s.End])
			}
		}
		if again.Text != got.Text {
			t.Fatalf("Mask(%q) = %q, and masked again %q", text, got.Text, again.Text)
		}
	})
}

// FuzzRestore: what a vault masked it restores exactly, in one piece and streamed.
func FuzzRestore(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		v := Vault{Key: key}
		first := v.Mask("田中さん 090-1234-5678").Text
		for _, in := range []string{text, text + first, strings.ReplaceAll(first, "さん", text)} {
			got := v.Mask(in)
			if got.Err != nil {
				continue
			}
			if back := v.Restore(got.Text); back != in {
				t.Fatalf("Restore(%q) = %q, want %q", got.Text, back, in)
			}
		}
	})
}

// FuzzAdd: claims of any kind never uncover what was masked.
func FuzzAdd(f *testing.F) {
	f.Add("田中さんの犬", "犬", 0)
	f.Add("aaa", "aa", -1)
	f.Fuzz(func(t *testing.T, text, quote string, start int) {
		spans, err := Find(text)
		if err != nil {
			return
		}
		got, _ := Add(text, spans, []Claim{{Name, quote, start}, {Company, quote, -1}})
		checkSpans(t, text, got)
		for _, s := range spans {
			left := s.Start
			for _, g := range got {
				if g.Start <= left && g.End > left {
					left = g.End
				}
			}
			if left < s.End {
				t.Fatalf("Add(%q, %q) uncovers %v: %v", text, quote, s, got)
			}
		}
	})
}
