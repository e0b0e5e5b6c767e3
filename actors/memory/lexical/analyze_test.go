package lexical

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// shown are the terms of a text without grams; common ones stand in brackets.
func shown(s string) string {
	var list []string
	for _, t := range Terms(s) {
		switch {
		case t.Kind == Gram:
			continue
		case t.Common:
			list = append(list, "("+t.Surface+")")
		default:
			list = append(list, t.Surface)
		}
	}
	return strings.Join(list, " ")
}

func TestTerms(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"Went hiking with Anna's dogs!", "went hiking (with) anna dogs"},
		{"don't  I’m", "(dont) (im)"},
		{"ＡＢＣ１２３ x", "abc123 x"},
		{"猫", "猫"},
		{"ね", "(ね)"},
		{"旅行に行く", "旅 行 旅行 行に 行 に行 行く"},
		{"ｶﾒﾗ", "かめ めら"},
		{"カメラ", "かめ めら"},
		{"ねこ", "(ねこ)"},
		{"ラーメン食べた", "らー ーめ めん 食 ん食 食べ (べた)"},
		{"🎉 やった🎉", "🎉 (やっ) (った) 🎉"},
		{"안녕", "안녕"},
		{"Привет мир", "привет мир"},
		{"a、b。", "(a) b"},
		{"2026年", "2026 年"},
		{"\xff\xfeabc", "� abc"},
	} {
		if got := shown(c[0]); got != c[1] {
			t.Errorf("Terms(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

// keysOf are the keys of one kind.
func keysOf(s string, k Kind) (keys []Key) {
	for _, t := range Terms(s) {
		if t.Kind == k && t.Key.Kind() == k {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

func TestSpellingsMeet(t *testing.T) {
	for _, c := range []struct {
		a, b string
		kind Kind
	}{
		{"painting", "PAINTED", Word},
		{"went", "go", Word},
		{"children", "child", Word},
		{"café", "cafe", Word},
		{"りんご", "リンゴ", Pair},
		{"ﾘﾝｺﾞ", "リンゴ", Pair},
		{"か\u3099", "が", Letter},
	} {
		if a, b := keysOf(c.a, c.kind), keysOf(c.b, c.kind); len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("keys of %q = %v, of %q = %v, want the same", c.a, a, c.b, b)
		}
	}
	if a, b := keysOf("か", Letter), keysOf("が", Letter); slices.Equal(a, b) {
		t.Errorf("keys of か and が = %v, want different ones", a)
	}
	if got := fmt.Sprint(len(keysOf("snowboarding", Gram))); got != "11" {
		t.Errorf("grams of snowboarding = %s, want 11", got)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "abc's", "猫ねこネコ", "\xff", "e\u0301", "🎉🏽", strings.Repeat("x", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		terms := Terms(s)
		for _, term := range terms {
			if term.Key == 0 || !utf8.ValidString(term.Surface) || term.Key.Kind() != term.Kind {
				t.Fatalf("Terms(%q) has %+v", s, term)
			}
		}
		if again := Terms(s); !slices.Equal(terms, again) {
			t.Fatalf("Terms(%q) = %v, then %v", s, terms, again)
		}
	})
}
