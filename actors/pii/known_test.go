package pii

import (
	"fmt"
	"strings"
	"testing"
)

// A name that a vault knows is masked wherever it stands, and comes back.
func TestKnownNames(t *testing.T) {
	tests := []struct {
		name, text string
		hidden     []string
		kept       string
	}{
		{"Kowalczyk", "Kowalczyk here, or kowalczyk", []string{"owalczyk"}, "here, or"},
		{"Zbig Xuc", "ask Xuc, not Zbig; xuc is no name", []string{"Xuc", "Zbig"}, "xuc is no name"},
		{"Al", "Al also called", []string{"Al "}, "also called"},
		{"J", "J was in Japan", []string{"J "}, "was in Japan"},
		{"花", "花です", []string{"花"}, "です"},
		{"ぽち🐕", "ぽちとぽち🐕", []string{"ぽち"}, "と"},
		{"a.b@example.com", "mail a.b@example.com", []string{"example"}, "mail"},
	}
	for _, tt := range tests {
		v := Vault{Key: key, Labels: Japanese}
		v.Know(tt.name)
		got := v.Mask(tt.text)
		for _, h := range tt.hidden {
			if got.Err != nil || strings.Contains(got.Text, h) {
				t.Errorf("Mask(%q) = %q (%v), want it without %q", tt.text, got.Text, got.Err, h)
			}
		}
		if !strings.Contains(got.Text, tt.kept) || v.Restore(got.Text) != tt.text {
			t.Errorf("Mask(%q) = %q, want %q kept, and a way back", tt.text, got.Text, tt.kept)
		}
	}
}

func TestMaskName(t *testing.T) {
	for _, name := range []string{"Kowalczyk", "花", "[氏名·7f3a]", "the weather", " ", "\u202eyap"} {
		v := Vault{Key: key, Labels: Japanese}
		got := v.MaskName(name)
		if got.Err != nil || got.Text == name || v.Restore(got.Text) != name {
			t.Errorf("MaskName(%q) = %q (%v), want one placeholder", name, got.Text, got.Err)
		}
	}
	v := Vault{Key: key, Labels: Japanese}
	if got := v.MaskName("\xff"); got.Err == nil || strings.Contains(got.Text, "\xff") {
		t.Errorf("MaskName(no text) = %q (%v), want it withheld", got.Text, got.Err)
	}
}

func TestAVaultKnowsTheNewestNames(t *testing.T) {
	var v Vault
	for n := range knownNames + 3 {
		v.Know(fmt.Sprint("N", n))
		v.Know("Hana")
	}
	if len(v.Names) != knownNames || v.Names[knownNames-1] != "Hana" || v.Names[0] != "N4" {
		t.Errorf("a vault knows %q, want the newest %d", v.Names, knownNames)
	}
}

// The parts of a burst are joined by line breaks: a number on several lines is one.
func TestANumberOnSeveralLines(t *testing.T) {
	for _, text := range []string{"090\n1234\n5678", "090\t1234\t5678", "03-\n1234-\n5678", "090\r\n1234\r\n5678"} {
		spans, err := Find(text)
		if err != nil || len(spans) != 1 || spans[0].Kind != Phone || spans[0].End != len(text) {
			t.Errorf("Find(%q) = %v, %v, want one telephone number", text, spans, err)
		}
	}
	for _, text := range []string{"10\n20\n30", "2026\n1\n2"} {
		if spans, _ := Find(text); len(spans) != 0 {
			t.Errorf("Find(%q) = %v, want nothing", text, spans)
		}
	}
}

func FuzzKnownNames(f *testing.F) {
	f.Add("Zbig Xuc", "ask Xuc, not Zbig")
	f.Add("İ", "i̇ İ [氏名·7f3a]")
	f.Fuzz(func(t *testing.T, name, text string) {
		v := Vault{Key: key, Labels: Japanese}
		v.Know(name)
		if got := v.Mask(text); got.Err == nil && v.Restore(got.Text) != text {
			t.Errorf("Restore(Mask(%q)) = %q with the name %q", text, v.Restore(got.Text), name)
		}
	})
}

// A number that two lines share is masked in both, and a known name in each.
func TestMaskLines(t *testing.T) {
	for _, tt := range []struct{ lines, want string }{
		{"090-1234-|5678", "[phone]|[phone]"},
		{"Xuc and|the sea|", "[name] and|the sea|"},
		{"call 090-1234-5678|Xuc", "call [phone]|[name]"},
		{"fine\xff|Xuc", "[withheld]|[withheld]"},
	} {
		var got []string
		for _, m := range MaskLines(strings.Split(tt.lines, "|"), []string{"Zbig Xuc"}, English) {
			got = append(got, m.Text)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("MaskLines(%q) = %q, want %q", tt.lines, got, tt.want)
		}
	}
}
