package seat

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Who is cut off is told since when, by whom, and what to do.
func TestCutOff(t *testing.T) {
	since := time.Date(2026, 3, 1, 9, 30, 0, 0, time.Local)
	st := cluster.Status{Node: "a", Peers: peers("vvvfv")}
	contact := map[string]time.Time{"b": since.Add(time.Second), "c": since.Add(-time.Second)}
	for _, k := range []struct {
		shut      map[string]bool
		want, not string
	}{
		{nil, "no answer from c, e: start Kehai there", "refused"},
		{nil, "only if that is lost for good, stop Kehai here and `kehai cluster promote`", " b"},
		{nil, "since 2026-03-01 09:30:00 ", " d"},
		{map[string]bool{"c": true, "e": true}, "refused by c, e: ", "promote"},
		{map[string]bool{"e": true}, "`kehai cluster leave --force`", "from c, e"},
	} {
		got := cutOff(since, st, contact, k.shut).Error()
		if !strings.Contains(got, k.want) || strings.Contains(got, k.not) {
			t.Errorf("cutOff(%v) = %s, want %q and not %q", k.shut, got, k.want, k.not)
		}
	}
}

// A machine that was taken out while it was away hears so from those that it greets.
func TestTakenOut(t *testing.T) {
	s, ring := founder(t)
	other := second(t, s)
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	greet := func() error {
		_, err := other.Ask(t.Context(), "mac-a", serviceGreet, nil)
		return err
	}
	if err := greet(); shutOut(err) {
		t.Fatalf("a member is refused: %v", err)
	}
	if shutOut(errors.New("connection refused")) {
		t.Error("who does not answer refuses nobody")
	}
	b := s.id.Book().Without("mac-b", time.Now())
	b.Version++
	if err := s.id.Keep(b); err != nil {
		t.Fatal(err)
	}
	other.Sweep()                                      // it connects anew
	for err := greet(); !shutOut(err); err = greet() { // its own words may break the connection first
		if err == nil || strings.Contains(err.Error(), "no greeting") {
			t.Fatalf("who was taken out hears %v, want that it is refused", err)
		}
	}
}
