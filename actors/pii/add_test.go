package pii

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAdd(t *testing.T) {
	const text = "ポチとタマは田中さんの犬と猫。ポチは黒い。"
	spans, err := Find(text)
	if err != nil || len(spans) != 1 {
		t.Fatalf("Find = %v, %v, want the one name", spans, err)
	}
	tests := []struct {
		name   string
		claims []Claim
		want   string
		err    error
	}{
		{"everywhere", []Claim{{Name, "ポチ", -1}}, "[氏名]とタマは[氏名]さんの犬と猫。[氏名]は黒い。", nil},
		{"one place", []Claim{{Name, "ポチ", 0}}, "[氏名]とタマは[氏名]さんの犬と猫。ポチは黒い。", nil},
		{"around a span", []Claim{{Address, "は田中さんの", -1}}, "ポチとタマ[住所][氏名][住所]犬と猫。ポチは黒い。", nil},
		{"inside a span", []Claim{{Address, "田", -1}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", nil},
		{"wrong place", []Claim{{Name, "ポチ", 3}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNotThere},
		{"inside a rune", []Claim{{Name, "ポチ", 1}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNotThere},
		{"far away", []Claim{{Name, "ポチ", 1 << 40}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNotThere},
		{"not in the text", []Claim{{Name, "シロ", -1}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNotThere},
		{"nothing", []Claim{{Name, " ", -1}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNoQuote},
		{"no kind", []Claim{{Whole, "ポチ", -1}}, "ポチとタマは[氏名]さんの犬と猫。ポチは黒い。", ErrNoKind},
		{"the others stay", []Claim{{"dog", "ポチ", -1}, {Name, "タマ", -1}}, "ポチと[氏名]は[氏名]さんの犬と猫。ポチは黒い。", ErrNoKind},
	}
	for _, tt := range tests {
		got, err := Add(text, spans, tt.claims)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: Add's error is %v, want %v", tt.name, err, tt.err)
		}
		if err != nil && strings.Contains(err.Error(), "ポチ") {
			t.Errorf("%s: the error quotes the text: %v", tt.name, err)
		}
		if m := Replace(text, got, Japanese); m.Text != tt.want || m.Err != nil {
			t.Errorf("%s: masked %q (%v), want %q", tt.name, m.Text, m.Err, tt.want)
		}
	}
	if again, _ := Find(text); !slices.Equal(again, spans) {
		t.Errorf("Add changed the spans it was given: %v, want %v", spans, again)
	}
}

// Whatever is claimed, what was masked before stays masked.
func TestAddNeverRemoves(t *testing.T) {
	const text = "田中さんの電話は090-1234-5678です"
	spans, err := Find(text)
	if err != nil {
		t.Fatal(err)
	}
	covered := func(list []Span) (in []bool) {
		in = make([]bool, len(text))
		for _, s := range list {
			for i := s.Start; i < s.End; i++ {
				in[i] = true
			}
		}
		return in
	}
	before := covered(spans)
	for start := range text {
		for end := range text + "x" {
			if end <= start || strings.TrimSpace(text[start:end]) == "" {
				continue
			}
			got, err := Add(text, spans, []Claim{{Secret, text[start:end], start}})
			if err != nil || !apart(text, got) {
				t.Fatalf("Add(%d, %d) = %v, %v", start, end, got, err)
			}
			for i, in := range covered(got) {
				if want := before[i] || i >= start && i < end; in != want {
					t.Fatalf("Add(%d, %d): byte %d masked: %v, want %v", start, end, i, in, want)
				}
			}
		}
	}
}
