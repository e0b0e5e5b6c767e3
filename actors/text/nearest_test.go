package text

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"workers", "timeout", "cache", "on"}
	for in, want := range map[string]string{"worker": "workers", "Workers": "workers", "tiemout": "timeout",
		"cahce": "cache", "no": "on", "xyz": "", "": "", strings.Repeat("w", 200): ""} {
		if got := Nearest(in, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
