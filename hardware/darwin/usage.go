package darwin

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// UsageOptions enables features that are off by default.
type UsageOptions struct {
	Titles bool // report the title of the active window; needs Screen Recording
}

// Usage counts input and names the active application. It asks the system for
// counts only, never for what was typed. It needs no permission. All methods may
// be called concurrently.
type Usage struct {
	a       *api
	options UsageOptions

	mu     sync.Mutex
	counts map[uint32]*counter
}

var _ hardware.Usage = (*Usage)(nil)

// OpenUsage starts counting.
func OpenUsage(o UsageOptions) (*Usage, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return openUsage(a, o), nil
}

func openUsage(a *api, o UsageOptions) *Usage {
	u := &Usage{a: a, options: o, counts: map[uint32]*counter{}}
	for kind := range inputKinds {
		u.counts[kind] = &counter{last: a.event.counter(stateHID, kind)}
	}
	return u
}

// stateHID is the event source of the devices. Keys that a program posts where devices do may
// count as well: that is not documented.
const stateHID = 1

// Kinds of CGEvents.
const (
	eventLeftDown  = 1
	eventLeftUp    = 2
	eventRightDown = 3
	eventMoved     = 5
	eventLeftDrag  = 6
	eventRightDrag = 7
	eventKeyDown   = 10
	eventWheel     = 22
	eventOtherDown = 25
	eventOtherDrag = 27
	eventAny       = math.MaxUint32
)

// inputKinds are the counted kinds; true for those of the keyboard.
var inputKinds = map[uint32]bool{
	eventKeyDown:  true,
	eventLeftDown: false, eventRightDown: false, eventOtherDown: false, eventWheel: false,
	eventMoved: false, eventLeftDrag: false, eventRightDrag: false, eventOtherDrag: false,
}

// counter follows a system count that wraps at 32 bits.
type counter struct {
	last  uint32
	total uint64
}

func (c *counter) see(now uint32) uint64 {
	c.total += uint64(now - c.last)
	c.last = now
	return c.total
}

// ActiveApp implements [hardware.Usage]: the application with the topmost ordinary
// window. It does not notice an application without windows.
func (u *Usage) ActiveApp(ctx context.Context) (hardware.App, error) {
	if err := ctx.Err(); err != nil {
		return hardware.App{}, err
	}
	var list []windowInfo
	var err error
	u.a.pool(func() { list, err = u.a.windows() })
	w, ok := front(list)
	if err != nil || !ok {
		return hardware.App{}, err
	}
	app := hardware.App{Name: w.app, PID: w.pid}
	if u.options.Titles {
		app.Title = w.title
	}
	return app, nil
}

// Idle implements [hardware.Usage].
func (u *Usage) Idle(ctx context.Context) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return max(0, since(u.a.event.since(stateHID, eventAny))), nil
}

// Input implements [hardware.Usage].
func (u *Usage) Input(ctx context.Context) (hardware.Input, error) {
	if err := ctx.Err(); err != nil {
		return hardware.Input{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var in hardware.Input
	for kind, key := range inputKinds {
		n := u.counts[kind].see(u.a.event.counter(stateHID, kind))
		if key {
			in.Keys += n
		} else {
			in.Mouse += n
		}
	}
	in.SinceKey = since(u.a.event.since(stateHID, eventKeyDown))
	return in, nil
}

// since turns seconds into a duration. It is negative for an invalid value, which
// the system returns as long as nothing has happened.
func since(seconds float64) time.Duration {
	const year = 365 * 24 * 3600
	if !(seconds >= 0 && seconds <= year) {
		return -1
	}
	return time.Duration(seconds * float64(time.Second))
}
