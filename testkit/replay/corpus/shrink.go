package corpus

import (
	"bytes"
	"slices"

	"github.com/kehai-run/kehai/hardware/drawn/script"
)

// Shrink drops events from a script for which fails holds, as long as it still holds, and
// returns the rest, from which no single event can be dropped. An edit or unsend is
// dropped with its message. fails must always answer the same for the same script.
func Shrink(s script.Script, fails func(script.Script) bool) script.Script {
	for size := len(s.Events) / 2; size > 0; {
		dropped := false
		for from := 0; from < len(s.Events); {
			if less, ok := without(s, from, min(from+size, len(s.Events))); ok && fails(less) {
				s, dropped = less, true
				continue // what follows has moved up
			}
			from += size
		}
		if !dropped || size > 1 {
			size /= 2
		}
	}
	return s
}

// without leaves events out. ok is false if the rest is not a valid script.
func without(s script.Script, from, to int) (script.Script, bool) {
	type place struct {
		conversation string
		index        int
	}
	moved := map[place]int{} // of each message to its new index
	count, kept := map[string]int{}, map[string]int{}
	var out script.Script
	for i, e := range s.Events {
		gone := i >= from && i < to
		switch e.Do {
		case "":
			at := place{e.Conversation, count[e.Conversation]}
			count[e.Conversation]++
			if moved[at] = -1; !gone {
				moved[at] = kept[e.Conversation]
				kept[e.Conversation]++
			}
		case script.Edit, script.Unsend:
			e.Index = moved[place{e.Conversation, e.Index}]
			gone = gone || e.Index < 0
		}
		if !gone {
			out.Events = append(out.Events, e)
		}
	}
	var text bytes.Buffer
	if out.Write(&text) != nil {
		return script.Script{}, false
	}
	again, err := script.Parse(&text)
	if err != nil || len(again.Events) == 0 || !slices.EqualFunc(again.Events, out.Events, same) {
		return script.Script{}, false
	}
	return again, true
}

// same compares events without their lines.
func same(e, o script.Event) bool {
	e.Line, o.Line = 0, 0
	return e == o
}
