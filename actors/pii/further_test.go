package pii

import (
	"slices"
	"strings"
	"testing"
)

func TestFurther(t *testing.T) {
	const text = "[氏名]さんとぽんちはalso Al の[会社名・1a2b]で会う。ぽんち！"
	tests := []struct {
		name   string
		claims []Claim
		want   string
	}{
		{"wherever it stands", []Claim{{Name, "ぽんち", -1}}, "[氏名]さんと[氏名]はalso Al の[会社名・1a2b]で会う。[氏名]！"},
		{"whole words", []Claim{{Name, "Al", -1}}, "[氏名]さんとぽんちはalso [氏名] の[会社名・1a2b]で会う。ぽんち！"},
		{"inside a label", []Claim{{Company, "氏名", -1}, {Secret, "1a2b", -1}}, text},
		{"around a label", []Claim{{Company, "[氏名]さん", -1}}, "[氏名][会社名]とぽんちはalso Al の[会社名・1a2b]で会う。ぽんち！"},
		{"not in it", []Claim{{Name, "たろう", -1}}, text},
		{"nothing", nil, text},
	}
	for _, tt := range tests {
		got := Further(text, tt.claims, Japanese)
		if got.Text != tt.want || got.Err != nil {
			t.Errorf("%s: %q (%v), want %q", tt.name, got.Text, got.Err, tt.want)
		}
		if again := Further(got.Text, tt.claims, Japanese); again.Text != got.Text {
			t.Errorf("%s: a second time %q, want the same", tt.name, again.Text)
		}
	}
	if got := Further("\xff", []Claim{{Name, "ぽんち", -1}}, Japanese); got.Text != "[非公開]" || got.Err == nil {
		t.Errorf("of what is no text %q (%v), want all masked", got.Text, got.Err)
	}
}

func TestParseClaims(t *testing.T) {
	tests := []struct {
		answer string
		want   []Numbered
		ok     bool
	}{
		{`Sure: {"private": [{"n": 2, "kind": "name", "quote": " ぽんち "}]}`,
			[]Numbered{{2, Claim{Name, "ぽんち", -1}}}, true},
		{`{"private": []}`, nil, true},
		{`{"private": [{"n": 1, "kind": "dog", "quote": "Rex"}, {"n": 0, "kind": "name", "quote": "Rex"},
			{"n": "1", "kind": "name", "quote": "Rex"}, {"n": 1, "kind": "name", "quote": "!"},
			{"n": 1, "kind": "name"}, {"n": 1, "kind": "school", "quote": "東"}]}`,
			[]Numbered{{1, Claim{School, "東", -1}}}, true},
		{`{"private": null}`, nil, false},
		{`{"private": "none"}`, nil, false},
		{`<html>502</html>`, nil, false},
		{`{"learned": []}`, nil, false},
		{``, nil, false},
	}
	for _, tt := range tests {
		if got, ok := ParseClaims(tt.answer); ok != tt.ok || !slices.Equal(got, tt.want) {
			t.Errorf("ParseClaims(%s) = %v, %v, want %v, %v", tt.answer, got, ok, tt.want, tt.ok)
		}
	}
}

// FuzzFurther: whatever a model answers, what was masked stays masked, and the rest is the
// text in its order.
func FuzzFurther(f *testing.F) {
	f.Add("[氏名]とぽんち", `{"private": [{"n": 1, "kind": "name", "quote": "ぽんち"}]}`)
	f.Add("Al [name] al", `{"private": [{"n": 1, "kind": "name", "quote": "Al"}]}`)
	f.Fuzz(func(t *testing.T, text, answer string) {
		numbered, _ := ParseClaims(answer)
		var claims []Claim
		for _, c := range numbered {
			claims = append(claims, c.Claim)
		}
		got := Further(text, claims, English)
		if got.Err != nil {
			return
		}
		at := 0
		for _, s := range got.Spans {
			for _, label := range labelsIn(text) {
				if s.Start < label.End && label.Start < s.End {
					t.Fatalf("Further(%q, %v) masks in the label at %d", text, claims, label.Start)
				}
			}
			if s.Start < at || strings.TrimFunc(text[s.Start:s.End], silent) == "" {
				t.Fatalf("Further(%q, %v) has the span %v", text, claims, s)
			}
			at = s.End
		}
	})
}
