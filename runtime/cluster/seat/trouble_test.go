package seat

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A machine that is cut off says since when, from whom, and what to do.
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
		got := cutOff(since, st, contact, k.shut, func(string) bool { return true }).Error()
		if !strings.Contains(got, k.want) || strings.Contains(got, k.not) {
			t.Errorf("cutOff(%v) = %s, want %q and not %q", k.shut, got, k.want, k.not)
		}
	}
}

// Who follows one that was taken out is not told to start that one.
func TestCutOffFromWhoWasTakenOut(t *testing.T) {
	st := cluster.Status{Node: "a", Peers: peers("fv")}
	stays := func(node string) bool { return node != "b" }
	got := cutOff(time.Now(), st, nil, map[string]bool{"b": true}, stays).Error()
	if !strings.Contains(got, "b decided and is no member any more") || strings.Contains(got, "start Kehai there") ||
		strings.Contains(got, "refused") {
		t.Errorf("cutOff() = %s, want that it can be promoted", got)
	}
}

// A machine that was taken out while it was away learns this from the members that it greets.
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

// A machine that was taken out and wants to leave is told how, not to start the others, which answer.
func TestLeaveOfWhoWasTakenOut(t *testing.T) {
	a, ring := founder(t)
	id, data := admitted(t, a)
	if _, _, err := a.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b := a.id.Book().Without(id.Node(), time.Now())
	b.Version++
	if err := a.id.Keep(b); err != nil {
		t.Fatal(err)
	}
	_, err := Leave(t.Context(), Options{Data: data, Node: id.Node()}, false)
	if err == nil || !strings.Contains(err.Error(), "kehai cluster leave --force") ||
		strings.Contains(err.Error(), "start one") {
		t.Errorf("Leave() = %v, want that it is refused, and what to do", err)
	}
}

// Clocks that are an hour apart are reported, with the command that sets them, and the
// machine stays a member.
func TestClocksApart(t *testing.T) {
	s, ring := founder(t)
	second(t, s)
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		ahead time.Duration
		want  string
	}{
		{time.Hour, "the clock of mac-b is 1h0m0s ahead of this machine's"},
		{-time.Hour, "1h0m0s behind this machine's: set the wrong one"},
		{time.Minute, ""},
	} {
		s.met(greeting{Node: "mac-b", Address: "127.0.0.1:1", Now: time.Now().Add(c.ahead)})
		got := strings.Join(s.Problems(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("a clock that is %v ahead: problems %q, want %q", c.ahead, got, c.want)
		}
		if !s.up("mac-b") {
			t.Errorf("a clock that is %v ahead: it counts as away", c.ahead)
		}
	}
}

// Members whose configurations share more or less of what was said are told so, until they are the same.
func TestOtherSettingsOfTheMemory(t *testing.T) {
	s, ring := founder(t)
	second(t, s)
	s.o.Sharing = cluster.Sharing{Share: "person", Owner: "none", People: "1"}
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		told cluster.Sharing
		want string
	}{
		{cluster.Sharing{Share: "all", Owner: "none", People: "2"}, "memory.share, people: the configuration of mac-b"},
		{s.o.Sharing, ""},
		{cluster.Sharing{}, ""}, // an older version, or a witness
	} {
		s.met(greeting{Node: "mac-b", Address: "127.0.0.1:1", Now: time.Now(), Sharing: c.told})
		got := strings.Join(s.Problems(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%+v: problems %q, want %q", c.told, got, c.want)
		}
		if told := s.Sharing(); (c.told != cluster.Sharing{}) != (len(told) == 1 && told[0] == c.told) {
			t.Errorf("Sharing() = %+v after %+v", told, c.told)
		}
	}
	s.met(greeting{Node: "mac-b", Address: "127.0.0.1:1", Now: time.Now(), Sharing: cluster.Sharing{Share: "all"}})
	b := s.id.Book().Without("mac-b", time.Now())
	b.Version++
	if err := s.id.Keep(b); err != nil {
		t.Fatal(err)
	}
	if got := s.Problems(); len(got) > 0 {
		t.Errorf("it was taken out: problems %q", got)
	}
}

// tight is a store on a volume that may be full.
type tight struct {
	engine.Store
	full *atomic.Bool
}

func (s tight) Free() (uint64, error) {
	if s.full.Load() {
		return 0, nil
	}
	return s.Store.Free()
}

// A machine whose volume is full says so, and what mends that, until there is room.
func TestNoRoom(t *testing.T) {
	var full atomic.Bool
	s, ring := founder(t)
	s.o.volume = func(st engine.Store) engine.Store { return tight{st, &full} }
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, now := range []bool{false, true, false} {
		full.Store(now)
		end := time.Now().Add(20 * time.Second)
		for n := 0; ; n++ {
			other := cluster.Peer{Node: "mac-b", Address: fmt.Sprint("127.0.0.1:", 1+n%2), Role: cluster.Follower}
			err := s.member.Add(t.Context(), other) // something to store
			s.look()
			says := strings.Contains(strings.Join(s.Problems(), "\n"), "free some space there")
			if says == now && (now || err == nil) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("with a full volume %v: problems %q, added: %v", now, s.Problems(), err)
			}
		}
	}
}

// Of a member that does not answer any more it is told how much has come since, not what it lacked then.
func TestLagOfWhoIsSilent(t *testing.T) {
	s, _ := founder(t)
	now := time.Now()
	s.o.now = func() time.Time { return now }
	s.contact["mac-b"], s.had["mac-b"] = now, had{its: 90, mine: 97}
	if got := s.lag("mac-b", 500); got != 7 {
		t.Errorf("lag = %d just after it answered, want 7", got)
	}
	now = now.Add(upFor)
	if got := s.lag("mac-b", 500); got != 410 {
		t.Errorf("lag = %d since it is silent, want 410", got)
	}
}

// A machine that holds everything because another one has its name says so.
func TestAnotherMachineOfOneName(t *testing.T) {
	if err := contested(cluster.Status{Node: "mac-a"}); err != nil {
		t.Errorf("alone under its name it says %v, want nothing", err)
	}
	err := contested(cluster.Status{Node: "mac-a", Contested: true})
	if err == nil || !strings.Contains(err.Error(), "another machine runs as mac-a") {
		t.Errorf("it says %v, want that another one has its name", err)
	}
}

// Who does not answer a greeting is not called up until long after, and is again once it answers or greets.
func TestWhoDoesNotAnswerIsNotUp(t *testing.T) {
	s, ring := founder(t)
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	admitted(t, s)
	is := func(want bool, when string) {
		t.Helper()
		s.mu.Lock()
		defer s.mu.Unlock()
		if got := s.answers("mac-b"); got != want {
			t.Errorf("%s it answers: %v, want %v", when, got, want)
		}
	}
	is(false, "never met")
	s.met(greeting{Node: "mac-b", Address: "127.0.0.1:1"})
	is(true, "just met")
	s.noteRefusal("mac-b", errors.New("refused"))
	is(false, "not answering a greeting")
	s.met(greeting{Node: "mac-b", Address: "127.0.0.1:1"})
	is(true, "back")
}
