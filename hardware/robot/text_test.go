package robot

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"": "", "a\r\nb": "a\nb", "明日は？😀": "明日は？😀"} {
		if got, err := clean(in); err != nil || got != want {
			t.Errorf("clean(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"a\tb", "a\x1b[A", "a\rb", "\x7f", "\xff"} {
		if got, err := clean(in); err == nil {
			t.Errorf("clean(%q) = %q, want an error", in, got)
		} else if strings.Contains(err.Error(), in) {
			t.Errorf("clean(%q) = %v, want the text to stay out of the error", in, err)
		}
	}
}

func TestChunks(t *testing.T) {
	for in, want := range map[string][]string{
		"":            nil,
		"short":       {"short"},
		"あいうえおかきくけこ":  {"あいうえおかきく", "けこ"},
		"a\n\nb":      {"a", "\n", "\n", "b"},
		"12345678\n9": {"12345678", "\n", "9"},
	} {
		if got := chunks(in); !slices.Equal(got, want) {
			t.Errorf("chunks(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("あいうえおかきくけこ\nabc")
	f.Fuzz(func(t *testing.T, text string) {
		list := chunks(text)
		if got := strings.Join(list, ""); got != text {
			t.Errorf("chunks(%q) join to %q, want the text", text, got)
		}
		for _, c := range list {
			if n := utf8.RuneCountInString(c); n == 0 || n > chunkRunes || n > 1 && strings.Contains(c, "\n") {
				t.Errorf("chunks(%q) has %q, want 1 to %d characters, a line feed alone", text, c, chunkRunes)
			}
		}
	})
}

func TestHasKeys(t *testing.T) {
	for _, c := range []struct {
		goos, text string
		want       bool
	}{
		{"linux", "", true}, {"linux", "OK? ~\n", true}, {"linux", "café", false}, {"linux", "了解", false},
		{"darwin", "OK? 了解 ～", true}, {"darwin", "了解😀", false},
	} {
		if got := hasKeys(c.goos, c.text); got != c.want {
			t.Errorf("hasKeys(%s, %q) = %v, want %v", c.goos, c.text, got, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	if err := (Options{Method: "telepathy"}).validate(); err == nil {
		t.Error("validate(unknown method) = nil, want an error")
	}
}
