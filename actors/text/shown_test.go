package text

import (
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	long := strings.Repeat("明日は朝から会議なので夕方に電話します。", 8)
	for _, c := range []struct {
		read, sent string
		want       bool
	}{
		{"了解です！", "了解です!", true},
		{"15:30に渋谷駅で", "15:30に渋谷駅で", true},
		{"15:80に渋谷駅で", "15:30に渋谷駅で", true}, // a digit misread
		{"I wi1l be tbere at noon", "I will be there at noon", true},
		{"OK", "OK", true},
		{"OK", "NO", false},
		{"うん", "いや", false},
		{"また明日", "今から向かいます", false},
		{"", "今から向かいます", false},
		{long[len(long)/2:], long, true}, // the end of a high bubble
		{"に電話します。", long, false},
	} {
		if got := Shown(c.read, c.sent); got != c.want {
			t.Errorf("Shown(%q, %q) = %v, want %v", c.read, c.sent, got, c.want)
		}
	}
}
