package structure_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// tree is a hardware.Structure.
type tree struct {
	rows int
	err  error
}

func (s tree) Rows(_ context.Context, ref string) (int, error) {
	if ref != "7" {
		return 0, errors.New("another window was asked for")
	}
	return s.rows, s.err
}

// namer is a hardware.ChatNamer.
type namer struct{ tree }

func (s namer) Chat(ctx context.Context, ref string) (int, []string, error) {
	n, err := s.Rows(ctx, ref)
	return n, []string{"", strings.Repeat("花", 300)}, err
}

func TestWorker(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	denied := fmt.Errorf("tree: %w", hardware.ErrPermission)
	for _, c := range []struct {
		name    string
		tree    hardware.Structure
		request messages.Message
		want    messages.Message
		code    string // of a refusal
		fails   bool
	}{
		{"rows", tree{rows: 4}, messages.CountRows{Window: "w"},
			messages.RowsCounted{Window: "w", Rows: 4, At: at}, "", false},
		{"names", namer{tree{rows: 4}}, messages.CountRows{Window: "w"}, messages.RowsCounted{Window: "w", Rows: 4,
			Names: []messages.Text{"", messages.Text(strings.Repeat("花", 200))}, At: at}, "", false},
		{"denied", tree{err: denied}, messages.CountRows{Window: "w"}, nil, messages.CodePermission, true},
		{"broken", tree{err: errors.New("bus")}, messages.CountRows{Window: "w"}, nil, "", true},
		{"another window", tree{}, messages.CountRows{Window: "x"}, nil, structure.CodeUnknownWindow, true},
		{"another request", tree{}, messages.CaptureWindow{Window: "w"}, nil, "", true},
	} {
		w, err := structure.NewWorker(map[messages.WindowID]structure.Source{"w": {Structure: c.tree, Ref: "7"}},
			func() time.Time { return at })()
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Do(context.Background(), c.request)
		var refused *actors.Refusal
		code := ""
		if errors.As(err, &refused) {
			code = refused.Code
		}
		if !reflect.DeepEqual(got, c.want) || (err != nil) != c.fails || code != c.code {
			t.Errorf("%s: Do(%v) = %v, %v with code %q, want %v, code %q, failing %v", c.name, c.request, got, err,
				code, c.want, c.code, c.fails)
		}
	}
}
