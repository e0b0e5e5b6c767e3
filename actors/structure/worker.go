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

// nameLongest is how many characters of a name count.
const nameLongest = 200

// ask counts rows, and asks for the chat's names where the driver knows them.
func (s Source) ask(ctx context.Context) (rows int, names []messages.Text, err error) {
	namer, ok := s.Structure.(hardware.ChatNamer)
	if !ok {
		rows, err = s.Structure.Rows(ctx, s.Ref)
		return rows, nil, err
	}
	rows, list, err := namer.Chat(ctx, s.Ref)
	for _, n := range list {
		if all := []rune(n); len(all) > nameLongest {
			n = string(all[:nameLongest])
		}
		names = append(names, messages.Text(n))
	}
	return rows, names, err
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
			n, names, err := s.ask(ctx)
			if err != nil {
				return nil, actors.RefuseKnown(hardware.Code(err), err)
			}
			return messages.RowsCounted{Window: ask.Window, Rows: n, Names: names, At: at}, nil
		}), nil
	}
}
