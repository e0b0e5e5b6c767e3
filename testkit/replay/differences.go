package replay

import (
	"encoding/json"
	"strings"
)

// Differences compares two logs of [recording.Log]: of what each actor decided in a conversation, the
// lines between those that both begin and end with, then ("- ") and now ("+ ").
func Differences(then, now []byte) (list []string) {
	a, order := grouped(then, nil)
	b, order := grouped(now, order)
	for _, g := range order {
		x, y := a[g], b[g]
		for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
			x, y = x[1:], y[1:]
		}
		for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
			x, y = x[:len(x)-1], y[:len(y)-1]
		}
		for _, line := range x {
			list = append(list, "- "+line)
		}
		for _, line := range y {
			list = append(list, "+ "+line)
		}
	}
	return list
}

// actorAt is an actor and a conversation.
type actorAt struct {
	Actor        string `json:"actor"`
	Conversation string `json:"conversation"`
}

// grouped are the lines of a log by who decided; those that are new go to the end of the order.
func grouped(log []byte, order []actorAt) (map[actorAt][]string, []actorAt) {
	of, known := map[actorAt][]string{}, map[actorAt]bool{}
	for _, g := range order {
		known[g] = true
	}
	for line := range strings.Lines(string(log)) {
		var g actorAt
		if json.Unmarshal([]byte(line), &g) != nil {
			continue // no line of a log
		}
		if of[g] = append(of[g], strings.TrimSuffix(line, "\n")); !known[g] {
			order, known[g] = append(order, g), true
		}
	}
	return of, order
}
