package replay

import (
	"encoding/json"
	"strings"
)

// Differences compares two logs of [recording.Log]: the fewest lines of what each actor decided in a
// conversation that have to go ("- ") and to come ("+ ") for the one to be the other.
func Differences(then, now []byte) (list []string) {
	a, order := grouped(then, nil)
	b, order := grouped(now, order)
	for _, g := range order {
		list = append(list, changedLines(a[g], b[g])...)
	}
	return list
}

// tooLong is how many lines times lines are compared to the end. Longer logs differ from their first
// difference to their last one.
const tooLong = 32 << 20

func changedLines(x, y []string) (list []string) {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x)*len(y) <= tooLong {
		common := commonLines(x, y)
		for len(x) > 0 && len(y) > 0 {
			i, j := len(x), len(y)
			switch {
			case x[0] == y[0]:
				x, y = x[1:], y[1:]
			case common[i-1][j] >= common[i][j-1]:
				list, x = append(list, "- "+x[0]), x[1:]
			default:
				list, y = append(list, "+ "+y[0]), y[1:]
			}
		}
	}
	for _, line := range x {
		list = append(list, "- "+line)
	}
	for _, line := range y {
		list = append(list, "+ "+line)
	}
	return list
}

// commonLines says how many lines the last i of x and the last j of y have in common, in order.
func commonLines(x, y []string) [][]int32 {
	common := make([][]int32, len(x)+1)
	common[0] = make([]int32, len(y)+1)
	for i := 1; i <= len(x); i++ {
		common[i] = make([]int32, len(y)+1)
		for j := 1; j <= len(y); j++ {
			if x[len(x)-i] == y[len(y)-j] {
				common[i][j] = common[i-1][j-1] + 1
			} else {
				common[i][j] = max(common[i-1][j], common[i][j-1])
			}
		}
	}
	return common
}

// actorAt is an actor and a conversation.
type actorAt struct {
	Actor        string `json:"actor"`
	Conversation string `json:"conversation"`
}

// grouped are the lines of a log by who decided; new deciders go to the end of the order.
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
