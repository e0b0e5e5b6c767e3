package parts

import (
	"context"
	"fmt"
	"io"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Wrapped returns a kind whose workers are wrapped by a host, the last wrapper outermost.
func Wrapped(k engine.WorkerKind, wrappers []func(string, actors.Worker) actors.Worker) engine.WorkerKind {
	k.New, k.Isolated = wrapped(k.Name, k.New, wrappers), wrapped(k.Name, k.Isolated, wrappers)
	return k
}

// wrapped makes workers like create, inside the host's wrappers; nil if create is nil.
func wrapped(name string, create NewWorker, wrappers []func(string, actors.Worker) actors.Worker) NewWorker {
	if create == nil {
		return nil
	}
	return func() (actors.Worker, error) {
		w, err := create()
		if err != nil {
			return nil, fmt.Errorf("runtime: worker %s: %w", name, err)
		}
		outer := w
		for _, wrap := range wrappers {
			outer = wrap(name, outer)
		}
		if c, ok := w.(io.Closer); ok {
			return closing{outer, c}, nil
		}
		return outer, nil
	}
}

// closing closes a worker through any wrappers.
type closing struct {
	actors.Worker
	io.Closer
}

// DoReporting implements [actors.Reporter].
func (c closing) DoReporting(
	ctx context.Context, request messages.Message, report func(messages.Message),
) (messages.Message, error) {
	return actors.Do(ctx, c.Worker, request, report)
}
