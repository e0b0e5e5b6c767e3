package dedup

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// details takes what has been reported and returns the verdicts in it.
func details(h *actortest.Harness) (list []string) {
	for _, m := range h.Reported() {
		switch m := m.(type) {
		case events.Passed:
			list = append(list, fmt.Sprint("passed ", m.Detail.Rule, m.Detail.Occurrences, m.Detail.Known))
		case events.Dropped:
			list = append(list, fmt.Sprint("dropped ", m.Detail.Rule, m.Detail.Occurrences, m.Detail.Known))
		}
	}
	return list
}

func TestVerdictsNameOccurrences(t *testing.T) {
	h := spawn(t, DefaultOptions())
	for _, c := range []struct{ view, want string }{
		{"<aaaa >bbbb <cccc", "[dropped first_sight[1] [] passed first_sight[2 3] [] passed released[3] []]"},
		{">bbbb <cccc <dddd", "[passed aligned[4] [2 3 0] passed released[4] []]"},
		{"<cccc <dddd", "[passed aligned[] [3 4]]"},
		{"<cccc <dddd", "[dropped same_view[] []]"},
		{">xxxx <yyyy <zzzz", "[passed gap[5 6 7] [] passed released[6 7] []]"},
	} {
		h.Send(detection(c.view))
		if got := fmt.Sprint(details(h)); got != c.want {
			t.Errorf("verdicts of %q = %s, want %s", c.view, got, c.want)
		}
	}
}
