package directory

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestSpelled(t *testing.T) {
	for _, c := range []struct {
		title string
		names []messages.Text
		want  string
		sure  float64
	}{
		{"Hama", nil, "Hama", 0.9},
		{"Hama", []messages.Text{"Hana see you at 10:30"}, "Hana", 0},
		{"Hama", []messages.Text{"", "Hana"}, "Hana", 0},
		{"Hama", []messages.Text{"Hana", "Hama - Chat"}, "Hama", 0.9}, // they contradict each other
		{"Hana", []messages.Text{"Hana - Chat", "Hana\nsee you"}, "Hana", 0},
		{"一朗", []messages.Text{"一郎\n12:03"}, "一郎", 0},
		{"l", []messages.Text{"I, hello"}, "I", 0},
		{"家挨 (5)", []messages.Text{"家族 hello"}, "家族 (5)", 0},
		{"Hana", []messages.Text{"Hana K see you"}, "Hana", 0.9}, // Hana, or Hana K
		{"Ana Lee", []messages.Text{"Ana Lee see you"}, "Ana Lee", 0},
		{"Ken", []messages.Text{"Hana see you"}, "Ken", 0.9}, // another list's row
		{"Lina", []messages.Text{"LINE"}, "Lina", 0.9},       // the application's own name
		{"", []messages.Text{"Hana"}, "", 0.9},
	} {
		got := standard.Spelled("line", line(c.title, 0.9), c.names)
		if string(got.Text) != c.want || got.Confidence != c.sure {
			t.Errorf("Spelled(%q, %q) = %q at %v, want %q at %v", c.title, c.names, string(got.Text), got.Confidence,
				c.want, c.sure)
		}
	}
}
