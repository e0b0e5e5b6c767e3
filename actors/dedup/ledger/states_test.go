package ledger_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// movesOf plays steps and returns the states of each occurrence, one after the
// other. A step is a view of chatview.Chat, or "pass": three seconds later, what
// can be is released and revised.
func movesOf(r ledger.Rules, steps ...string) map[messages.Occurrence][]string {
	l, mem, now := open(r), ledger.Memory{}, chatview.Start
	moves := map[messages.Occurrence][]string{}
	record := func() {
		put, _ := l.Changes()
		for _, e := range put {
			list := moves[e.Occurrence]
			if s := e.State().String(); len(list) == 0 || list[len(list)-1] != s {
				moves[e.Occurrence] = append(list, s)
			}
		}
	}
	for _, step := range steps {
		if step != "pass" {
			mem = l.Observe(chatview.Chat(step), mem, now).Memory
			record()
			continue
		}
		now = now.Add(3 * time.Second)
		l.Release(now)
		record()
		l.Revise(now)
		record()
	}
	return moves
}

// TestStates plays every move of the state table, which has no other.
func TestStates(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		name  string
		of    messages.Occurrence
		steps []string
		want  string
	}{
		{"passed on", 1, []string{"<aaaa", "pass"}, "waiting settled"},
		{"own", 1, []string{">aaaa", "pass"}, "settled"},
		{"a notice where nothing was known", 3, []string{">zzzz <aaaa", ">zzzz <aaaa !", "pass"}, "removed"},
		{"taken back while it waits", 2, []string{">zzzz <?1 <b", ">zzzz ! <b", "pass"},
			"waiting withdrawn unsent removed"},
		{"and back", 2, []string{">zzzz <?1 <b", ">zzzz ! <b", ">zzzz <?1 <b"}, "waiting withdrawn waiting"},
		{"of unknown side", 2, []string{">zzzz =aaaa <b", ">zzzz ! <b", "pass"}, "waiting withdrawn removed"},
		{"edited", 2, []string{">zzzz <aaaa <b", "pass", ">zzzz <xxxx <b", "pass"}, "waiting settled edited settled"},
		{"edited and back", 2, []string{">zzzz <aaaa <b", "pass", ">zzzz <xxxx <b", ">zzzz <aaaa <b"},
			"waiting settled edited settled"},
		{"edited, taken back", 2, []string{">zzzz <aaaa <b", "pass", ">zzzz <xxxx <b", ">zzzz ! <b", "pass"},
			"waiting settled edited unsent removed"},
		{"taken back and there again", 2, []string{">zzzz <aaaa <b", "pass", ">zzzz ! <b", ">zzzz <aaaa <b"},
			"waiting settled unsent settled"},
		{"an own one taken back", 2, []string{"<zzzz >aaaa <b", "pass", "<zzzz ! <b", "pass"}, "settled removed"},
		{"becomes readable", 2, []string{">zzzz <?1 <b", "pass", ">zzzz <ab <b", "pass"},
			"waiting settled completed settled"},
		{"becomes readable, with another size", 2, []string{">zzzz <?1 <b", "pass", ">zzzz <something <b"},
			"waiting settled edited"},
		{"becomes readable, then another text", 2,
			[]string{">zzzz <?1 <b", "pass", ">zzzz <ab <b", ">zzzz <xyz_xyz <b"}, "waiting settled completed edited"},
		{"becomes readable, taken back", 2, []string{">zzzz <?1 <b", "pass", ">zzzz <ab <b", ">zzzz ! <b"},
			"waiting settled completed unsent"},
	} {
		moves := movesOf(ledger.Rules{FirstSight: ledger.All, Timeout: 2500 * time.Millisecond}, c.steps...)
		if got := strings.Join(moves[c.of], " "); got != c.want {
			t.Errorf("%s: after %q occurrence %d was %s, want %s", c.name, c.steps, c.of, got, c.want)
		}
		for _, list := range moves {
			from := "new"
			for _, to := range list {
				seen[from+" -> "+to] = true
				from = to
			}
		}
	}
	table := stateTable(t)
	for move := range table {
		if !seen[move] {
			t.Errorf("the table in doc.go has %s, and no case makes that move", move)
		}
	}
	for move := range seen {
		if !table[move] {
			t.Errorf("a case makes the move %s, which the table in doc.go lacks", move)
		}
	}
}

// stateTable reads the moves from the package comment.
func stateTable(t *testing.T) map[string]bool {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "# States of an entry")
	moves := map[string]bool{}
	rows := regexp.MustCompile(`(?m)^//\t\| ([a-z, ]+?) +\| .+? +\| ([a-z]+) +\| [A-Za-z.]+ +\|$`)
	for _, row := range rows.FindAllStringSubmatch(text, -1) {
		for from := range strings.SplitSeq(row[1], ", ") {
			if row[2] != "to" {
				moves[fmt.Sprint(from, " -> ", row[2])] = true
			}
		}
	}
	if len(moves) < 15 {
		t.Fatalf("the table in doc.go has %d moves, want at least 15: is it still read?", len(moves))
	}
	return moves
}
