package parts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
)

// A name on the list counts where the directory says that it can mean nobody else, an id
// always. In a window that Kehai draws everybody is answered.
func TestReplySettings(t *testing.T) {
	cfg := config.Default()
	cfg.Replies.Policy, cfg.Replies.Auto, cfg.Replies.Drawn = reply.PolicyAuto, []string{"line:Hana", "c-id"}, true
	p := &Parts{
		Config: cfg,
		Windows: map[messages.WindowID]drivers.Window{
			"line@a":  {Config: config.Window{Driver: "x11"}, Hands: "xtest"},
			"mute@a":  {Config: config.Window{Driver: "x11"}, Hands: "none"},
			"drawn@a": {Config: config.Window{Driver: "drawn"}, Hands: "drawn"},
		},
		Called: func(c messages.ConversationID) string {
			if c == "c-id" {
				return "c-id"
			}
			return "line:Hana"
		},
		Bound: func(c messages.ConversationID, name string) bool { return c == "c-hana" && name == "line:Hana" },
	}
	for _, c := range []struct {
		of             messages.ConversationID
		window         messages.WindowID
		listed, typist bool
	}{
		{"c-hana", "line@a", true, true},
		{"c-namesake", "line@a", false, true},
		{"c-id", "line@a", true, true},
		{"c-hana", "mute@a", true, false},
		{"c-namesake", "drawn@a", true, true},
		{"c-namesake", messages.WindowID(messages.ChannelWeb), true, true},
	} {
		s := p.replySettings(c.of, c.window)
		if s.Listed != c.listed || s.Typist != c.typist {
			t.Errorf("replySettings(%s, %s) = listed %v, typist %v, want %v, %v", c.of, c.window, s.Listed, s.Typist,
				c.listed, c.typist)
		}
	}
}

// named answers with its name and what is inside of it.
type named struct {
	name   string
	inside actors.Worker
	closed *bool
}

func (n named) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	if n.inside == nil {
		return messages.IncomingBubble{Window: messages.WindowID(n.name)}, nil
	}
	result, err := n.inside.Do(ctx, request)
	heard := result.(messages.IncomingBubble)
	return messages.IncomingBubble{Window: messages.WindowID(n.name) + " " + heard.Window}, err
}

func (n named) Close() error {
	*n.closed = true
	return nil
}

// The last wrapper is outermost, and a wrapped worker is still closed.
func TestWrapped(t *testing.T) {
	closed, wrapperClosed := false, false
	wrap := func(by string) func(string, actors.Worker) actors.Worker {
		return func(kind string, w actors.Worker) actors.Worker {
			return struct{ actors.Worker }{named{by + "(" + kind + ")", w, &wrapperClosed}}
		}
	}
	create := func() (actors.Worker, error) { return named{"core", nil, &closed}, nil }
	k := Wrapped(engine.WorkerKind{Name: "ocr", New: create},
		[]func(string, actors.Worker) actors.Worker{wrap("first"), wrap("last")})
	if k.Isolated != nil {
		t.Error("Wrapped() makes isolated workers where there were none")
	}
	w, err := k.New()
	if err != nil {
		t.Fatal(err)
	}
	got, err := actors.Do(t.Context(), w, messages.IncomingBubble{}, nil)
	if want := "last(ocr) first(ocr) core"; err != nil || fmt.Sprint(got.(messages.IncomingBubble).Window) != want {
		t.Errorf("Do() = %v, %v, want %s", got, err, want)
	}
	if err := w.(interface{ Close() error }).Close(); err != nil || !closed || wrapperClosed {
		t.Errorf("Close() = %v, core closed %v, wrapper closed %v, want that of the core alone", err, closed,
			wrapperClosed)
	}
	broken := errors.New("no such engine")
	k.New = wrapped("ocr", func() (actors.Worker, error) { return nil, broken }, nil)
	if _, err := k.New(); !errors.Is(err, broken) || err.Error() != "runtime: worker ocr: no such engine" {
		t.Errorf("New() = %v, want the error with the worker's kind", err)
	}
}

func TestKeysAreSorted(t *testing.T) {
	p := &Parts{Windows: map[messages.WindowID]drivers.Window{"b@n": {}, "a@n": {}, "c@n": {}}}
	if got, want := p.WindowKeys(), []string{"a@n", "b@n", "c@n"}; !slices.Equal(got, want) {
		t.Errorf("WindowKeys() = %v, want %v", got, want)
	}
}
