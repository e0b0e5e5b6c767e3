package drawn

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/math/fixed"
)

// cells measures like a terminal: 2 for a wide rune, 1 for another, 0 for marks.
func cells(s string) fixed.Int26_6 {
	n := 0
	for _, r := range s {
		switch {
		case extends(r) || ignored(r):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return fixed.I(n)
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"OK", 10, []string{"OK"}},
		{"", 10, []string{""}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one  two", 4, []string{"one", "two"}},
		{"incomprehensible", 6, []string{"incomp", "rehens", "ible"}},
		{"a incomprehensible", 6, []string{"a", "incomp", "rehens", "ible"}},
		{"あいうえお", 6, []string{"あいう", "えお"}},
		{"あいう、えお", 6, []string{"あい", "う、え", "お"}},
		{"あい「うえ」お", 6, []string{"あい", "「う", "え」お"}},
		{"今日はOKです", 8, []string{"今日はOK", "です"}},
		{"a\nb\n\nc", 8, []string{"a", "b", "", "c"}},
		{"がき", 2, []string{"が", "き"}},
		{"👨‍👩‍👧👍🏽", 2, []string{"👨‍👩‍👧", "👍🏽"}},
	} {
		if got := wrap(c.text, fixed.I(c.width), cells); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestClusters(t *testing.T) {
	for text, want := range map[string][]string{
		"":               nil,
		"ab":             {"a", "b"},
		"e\u0301x":       {"e\u0301", "x"},
		"か\u3099き":       {"か\u3099", "き"},
		"🇯🇵🇬🇧":           {"🇯🇵", "🇬🇧"},
		"❤\uFE0F!":       {"❤\uFE0F", "!"},
		"👩\u200D💻 works": {"👩\u200D💻", " ", "w", "o", "r", "k", "s"},
	} {
		if got := clusters(text); !slices.Equal(got, want) {
			t.Errorf("clusters(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("hello world", 5)
	f.Add("あいう、「えお」👩‍💻 e\u0301", 4)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + int(uint(width)%40)
		lines := wrap(text, fixed.I(width), cells)
		squeeze := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if utf8.ValidString(text) && squeeze(strings.Join(lines, "")) != squeeze(text) {
			t.Fatalf("wrap(%q, %d) = %q, want nothing lost or moved", text, width, lines)
		}
		for i, l := range lines {
			if body := strings.TrimRightFunc(l, unicode.IsSpace); cells(body) > fixed.I(width) &&
				len(clusters(body)) > 1 {
				t.Fatalf("wrap(%q, %d) line %d = %q is too wide", text, width, i, l)
			}
		}
	})
}
