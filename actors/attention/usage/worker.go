package usage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// NewWorker makes the constructor of usage workers. open is called by the first
// reading, and again after it failed. A driver that is an io.Closer is closed
// with its worker.
func NewWorker(open func() (hardware.Usage, error)) func() (actors.Worker, error) {
	return func() (actors.Worker, error) { return &worker{open: open}, nil }
}

type worker struct {
	open  func() (hardware.Usage, error)
	usage hardware.Usage
}

// Do implements [actors.Worker]. Values that the system does not report are
// missing. It is an error only if the system reports nothing at all.
func (w *worker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	if _, ok := request.(messages.ReadUsage); !ok {
		return nil, fmt.Errorf("pcusage: want read_usage, got %s", request.MessageType())
	}
	if w.usage == nil {
		usage, err := w.open()
		if err != nil {
			return nil, actors.RefuseKnown(hardware.Code(err), err)
		}
		w.usage = usage
	}
	app, errApp := w.usage.ActiveApp(ctx)
	idle, errIdle := w.usage.Idle(ctx)
	input, errInput := w.usage.Input(ctx)
	if errApp != nil && errIdle != nil && errInput != nil {
		err := errors.Join(errApp, errIdle, errInput)
		return nil, actors.RefuseKnown(hardware.Code(err), err)
	}
	var read messages.UsageRead
	if errApp == nil {
		read.App = messages.Text(app.Name) // the title stays here
	}
	if errIdle == nil {
		read.Idle = messages.Just(max(0, idle))
	}
	if errInput == nil {
		read.Keys, read.Mouse = messages.Just(input.Keys), messages.Just(input.Mouse)
		if input.SinceKey >= 0 {
			read.SinceKey = messages.Just[time.Duration](input.SinceKey)
		}
	}
	return read, nil
}

// Close implements io.Closer.
func (w *worker) Close() error {
	if c, ok := w.usage.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
