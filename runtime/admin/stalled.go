package admin

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/stall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// stalledFor is how long a status lists what was not sent in time.
const stalledFor = 24 * time.Hour

// stalled lists recent tasks that were not seen to be sent in time, oldest first.
func stalled(e *engine.Engine, now time.Time) (list []control.Stalled, err error) {
	add := func(_ messages.Address, _ string, w stall.Watch) error {
		if w.Reported != "" && !w.Over && now.Sub(w.At) < stalledFor {
			list = append(list, control.Stalled{Conversation: w.Conversation, Reason: w.Reported,
				Since: control.Stamp{Time: w.Since}, At: control.Stamp{Time: w.At}})
		}
		return nil
	}
	for _, table := range []func() error{
		func() error { return engine.ReadTable(e, stall.Kind, stall.Pending, add) },
		func() error { return engine.ReadTable(e, stall.Kind, stall.Known, add) },
	} {
		if err := table(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b control.Stalled) int { return a.At.Compare(b.At.Time) })
	return list, nil
}
