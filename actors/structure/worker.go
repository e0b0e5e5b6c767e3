package structure

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// CodeUnknownWindow refuses a window whose rows nobody counts.
const CodeUnknownWindow = "unknown_window"

// Source is one window of one accessibility tree.
type Source struct {
	Structure hardware.Structure
	Ref       string // as the driver knows the window
}

// NewWorker makes the constructor of structure workers. The map must not change
// afterwards. now gives the time of a count.
func NewWorker(sources map[messages.WindowID]Source, now func() time.Time) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			ask, ok := request.(messages.CountRows)
			if !ok {
				return nil, fmt.Errorf("structure: want count_rows, got %s", request.MessageType())
			}
			s, ok := sources[ask.Window]
			if !ok {
				return nil, actors.Refuse(CodeUnknownWindow,
					fmt.Errorf("structure: window %q is not configured", ask.Window))
			}
			at := now()
			n, err := s.Structure.Rows(ctx, s.Ref)
			if err != nil {
				if code := hardware.Code(err); code != "error" {
					return nil, actors.Refuse(code, err)
				}
				return nil, err
			}
			return messages.RowsCounted{Window: ask.Window, Rows: n, At: at}, nil
		}), nil
	}
}
