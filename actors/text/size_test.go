package text

import "testing"

func TestSizeText(t *testing.T) {
	for s, want := range map[Size]string{0: "0B", 1: "1B", 1000: "1000B", 1024: "1KiB", 128 << 20: "128MiB",
		1 << 40: "1TiB", 3 << 29: "1536MiB"} {
		if got := s.String(); got != want {
			t.Errorf("Size(%d).String() = %q, want %q", uint64(s), got, want)
		}
		var back Size
		if err := back.UnmarshalText([]byte(s.String())); err != nil || back != s {
			t.Errorf("UnmarshalText(%q) = %d, %v, want %d", s, back, err, uint64(s))
		}
	}
	for _, bad := range []string{"", "1", "MiB", "-1MiB", "1 2MiB", "1XiB", "99999999999TiB", "1e3B", "0x1B",
		"999999999999999.5TiB"} {
		if n := Size(0); n.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("UnmarshalText(%q) = %d, want refused", bad, n)
		}
	}
}
