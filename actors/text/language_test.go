package text_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors/text"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		s            string
		before, want text.Language
	}{
		{"OKです", "en", "ja"}, {"漢字", "en", "ja"}, {"ｱﾘｶﾞﾄ", "", "ja"}, {"fine", "ja", "en"}, {"ＯＫ", "ja", "en"},
		{"👍", "en", "en"}, {"123", "ja", "ja"}, {"", "", "ja"},
	} {
		if got := text.LanguageOf(c.s, c.before); got != c.want {
			t.Errorf("LanguageOf(%q, %q) = %q, want %q", c.s, c.before, got, c.want)
		}
	}
}
