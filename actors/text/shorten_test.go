package text

import "testing"

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s            string
		runes        int
		first, short string
	}{
		{"", 3, "", ""}, {"猫の", 3, "猫の", "猫の"}, {"猫の毛", 3, "猫の毛", "猫の毛"}, {"猫の名前", 3, "猫の名", "猫の…"},
		{"ab", 1, "a", "…"}, {"ab", 0, "", "…"}, {"", 0, "", ""},
		{"a\xff\xffb", 2, "a\xff", "a…"},
	} {
		if got := First(c.s, c.runes); got != c.first {
			t.Errorf("First(%q, %d) = %q, want %q", c.s, c.runes, got, c.first)
		}
		if got := Shorten(c.s, c.runes); got != c.short {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.s, c.runes, got, c.short)
		}
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		s     string
		runes int
		want  string
	}{
		{"", 3, ""}, {"猫の名前", 4, "猫の名前"}, {"猫の名前は", 4, "猫\nは"}, {"猫の名前は", 3, "猫\nは"}, {"abcdefgh", 7, "abc\nfgh"},
	} {
		if got := Ends(c.s, c.runes); got != c.want {
			t.Errorf("Ends(%q, %d) = %q, want %q", c.s, c.runes, got, c.want)
		}
	}
}
