package text

import (
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", time.Second: "1s", 1500 * time.Millisecond: "1.5s",
		time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 61 * time.Minute: "1h1m",
		720 * time.Hour: "720h", time.Hour + time.Second: "1h0m1s", 10 * time.Minute: "10m", 20 * time.Hour: "20h",
		30 * time.Second: "30s", 250 * time.Millisecond: "250ms"} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb": `"a\nb"`, strings.Repeat("花", 62): `"` + strings.Repeat("花", 60) + `…"`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}
