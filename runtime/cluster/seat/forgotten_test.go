package seat

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A member says that it has forgotten once it has come so far and nothing is left in its files; who
// does not say so is named.
func TestForgotten(t *testing.T) {
	s, ring := founder(t)
	other := second(t, s)
	var asked []string
	var failing error
	s.Forgets(func(ids []string) error {
		asked = append(asked, ids...)
		return failing
	})
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		request string
		failing error
		fails   bool
	}{
		{`{"conversations":["c-1"]}`, nil, false},
		{`{"conversations":["c-2"]}`, errors.New("a file that cannot be removed"), true},
		{`?`, nil, true},
	} {
		failing = c.failing
		if _, err := other.Ask(t.Context(), "mac-a", serviceForgotten, []byte(c.request)); (err != nil) != c.fails {
			t.Errorf("asked %s: %v, want an error: %v", c.request, err, c.fails)
		}
	}
	if want := []string{"c-1", "c-2"}; !slices.Equal(asked, want) {
		t.Errorf("it removed %q, want %q", asked, want)
	}
	late, end := context.WithTimeout(t.Context(), 10*forgottenEvery)
	defer end()
	_, err := s.answerForgotten(late, "mac-b", []byte(`{"conversations":["c-3"],"applied":9000}`))
	if err == nil || slices.Contains(asked, "c-3") {
		t.Errorf("asked for what the log has not brought yet: %v, and removed %q", err, asked)
	}
	ctx, done := context.WithCancel(t.Context())
	done() // mac-b does not listen
	if got := s.Unanswered(ctx, []string{"c-1"}, nil); !slices.Equal(got, []string{"mac-b"}) {
		t.Errorf("Unanswered = %q, want mac-b", got)
	}
}
