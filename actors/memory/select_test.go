package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

func TestParseSelection(t *testing.T) {
	for answer, want := range map[string]string{
		`{"chosen": [{"n": 3, "reason": "the dog's name"}, {"n": 1}]}`:        "2|0",
		"<think>{\"chosen\":[1]}</think>\n```json\n{\"chosen\": [2, 4]}\n```": "1|3",
		`{"chosen": []}`:                         "",
		`{"chosen": [2, 2, {"n": 2}]}`:           "1",
		`{"chosen": [0, 9, -1, 5]}`:              "not read",
		`{"chosen": ["2", null, {"n": "3"}, 4]}`: "3",
		`{"chosen": {"n": 2}}`:                   "not read",
		`{"chosen": null}`:                       "not read",
		`{"chosen": [1`:                          "not read",
		`<html>502</html>`:                       "not read",
		``:                                       "not read",
		`{"chosen": [{"n": 1, "reason": "a\nb\u202ec"}]}`: "0",
		`{"chosen": [{"n": NaN}, {"n": 1e3}, {"n": 2}]}`:  "1",
	} {
		chosen, ok := memory.ParseSelection(answer, 4)
		var got []string
		for _, s := range chosen {
			got = append(got, fmt.Sprint(s))
		}
		if !ok {
			got = []string{"not read"}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("ParseSelection(%q) = %q, want %q", answer, strings.Join(got, "|"), want)
		}
	}
}

// Each chosen event was offered, once.
func FuzzParseSelection(f *testing.F) {
	f.Add(`{"chosen": [{"n": 3, "reason": "x"}, 1]}`, 4)
	f.Add(`{"chosen": [NaN, 99999999999999999999, {}]} {"chosen": [[]]}`, 0)
	f.Fuzz(func(t *testing.T, answer string, offered int) {
		chosen, _ := memory.ParseSelection(answer, offered)
		seen := map[int]bool{}
		for _, s := range chosen {
			if s < 0 || s >= offered || seen[s] {
				t.Errorf("chose %+v of %d", chosen, offered)
			}
			seen[s] = true
		}
	})
}

func TestOffer(t *testing.T) {
	var hits []messages.MemoryHit
	for n := range 50 {
		hits = append(hits, hit(fmt.Sprint("m", n), fmt.Sprint(n), float64(50-n)))
	}
	list := merge([]memory.Found{found(memory.Lexical, hits...)}, memory.Associative)
	offered := memory.Offer(list, []messages.MessageID{"m0", "m2"})
	if len(offered) != 40 || offered[0].ID != "m1" || offered[1].ID != "m3" {
		t.Fatalf("Offer = %d from %s on, want 40 from m1 on, without m2", len(offered), offered[0].ID)
	}
	picked := memory.Choose(offered, []int{7, 0, 1}, 2)
	if ids(picked) != "m9 m1" {
		t.Errorf("Choose = %s, want m9 m1", ids(picked))
	}
}
