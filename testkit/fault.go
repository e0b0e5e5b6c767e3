package testkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// ErrInjected is in the error of everything that fails on purpose.
var ErrInjected = errors.New("testkit: injected fault")

// How is a way of failing.
type How int

// Ways to fail.
const (
	Error   How = iota // it returns an error
	Panic              // a worker panics; a store returns an error instead
	Hang               // a worker never answers in time; a store returns an error instead
	Garbage            // a worker answers with a message that does not belong there
)

// Fault makes calls of a worker kind, or commits of the store, fail.
type Fault struct {
	// Worker is the worker kind, such as "ocr" or "capture"; Store means the store.
	Worker string
	How    How
	// Every fails each nth time, beginning with the nth; 0 and 1 mean every time.
	Every int
	// Times ends the fault after this many failures; 0 means never.
	Times int
	// When limits it to some requests; nil means all. A store's request is nil.
	When func(request messages.Message) bool
}

// Store is the Worker of a fault of the store's commits.
const Store = "store"

// armed is a fault with its counters.
type armed struct {
	Fault
	seen, done int
}

type faults struct {
	mu   sync.Mutex
	list []*armed
}

// unknown is the first fault's worker kind that does not exist, "" if all do.
func (f *faults) unknown(kinds []string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.list {
		if !slices.Contains(kinds, a.Worker) {
			return a.Worker
		}
	}
	return ""
}

func (f *faults) add(list ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range list {
		f.list = append(f.list, &armed{Fault: one})
	}
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// strike says whether something has to fail now, and how.
func (f *faults) strike(worker string, request messages.Message) (How, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.list {
		if a.Worker != worker || a.When != nil && !a.When(request) || a.Times > 0 && a.done >= a.Times {
			continue
		}
		if a.seen++; a.Every > 1 && a.seen%a.Every != 0 {
			continue
		}
		a.done++
		return a.How, true
	}
	return 0, false
}

func (f *faults) wrapWorker(kind string, w actors.Worker) actors.Worker {
	return faultyWorker{w, kind, f}
}

// faultyWorker fails requests.
type faultyWorker struct {
	inner  actors.Worker
	kind   string
	faults *faults
}

// Do implements [actors.Worker].
func (w faultyWorker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	return w.DoReporting(ctx, request, func(messages.Message) {})
}

// DoReporting implements [actors.Reporter].
func (w faultyWorker) DoReporting(
	ctx context.Context, request messages.Message, report func(messages.Message),
) (messages.Message, error) {
	how, fails := w.faults.strike(w.kind, request)
	if !fails {
		return actors.Do(ctx, w.inner, request, report)
	}
	switch how {
	case Panic:
		panic(fmt.Sprintf("%v: worker %s", ErrInjected, w.kind))
	case Hang:
		<-ctx.Done()
		return nil, fmt.Errorf("%w: worker %s hung: %w", ErrInjected, w.kind, ctx.Err())
	case Garbage:
		return messages.PollDue{}, nil
	}
	return nil, fmt.Errorf("%w: worker %s", ErrInjected, w.kind)
}

func (f *faults) wrapStore(s engine.Store) engine.Store { return faultyStore{s, f} }

// faultyStore refuses batches.
type faultyStore struct {
	engine.Store
	faults *faults
}

// Apply implements engine.Store.
func (s faultyStore) Apply(batch []engine.Op, sync bool) error {
	if _, fails := s.faults.strike(Store, nil); fails {
		return fmt.Errorf("%w: store", ErrInjected)
	}
	return s.Store.Apply(batch, sync)
}
