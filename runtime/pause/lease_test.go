package pause_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/pause"
)

// Without a majority, too late, or for what is not to be sent any more, no key is pressed.
func TestALease(t *testing.T) {
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	reply := messages.Sending{Conversation: "line:Hana", Turn: 3, Epoch: 1}
	takes := func(d time.Duration) func(context.Context) error {
		return func(context.Context) error { now = now.Add(d); return nil }
	}
	sends := func(of messages.Sending) (bool, error) { return of == reply, nil }
	for _, c := range []struct {
		what    string
		of      messages.Sending
		barrier func(context.Context) error
		late    time.Duration // between the confirmation and the key
		pressed bool
	}{
		{"confirmed", reply, takes(900 * time.Millisecond), 0, true},
		{"cut off", reply, func(context.Context) error { return context.DeadlineExceeded }, 0, false},
		{"confirmed late", reply, takes(1100 * time.Millisecond), 0, false},
		{"slept before the key", reply, takes(0), 8 * time.Second, false},
		{"the clock was set back", reply, takes(0), -time.Hour, false},
		{"of an older turn", messages.Sending{Conversation: "line:Hana", Turn: 2, Epoch: 1}, takes(0), 0, false},
		{"withdrawn", messages.Sending{Conversation: "line:Hana", Turn: 3}, takes(0), 0, false},
		{"a host's own", messages.Sending{Conversation: "line:Hana", Key: "17"}, takes(0), 0, true},
	} {
		pressed := false
		l := pause.Lease{Barrier: c.barrier, Sends: sends, Now: func() time.Time { return now },
			Then: func(press func() error) error { now = now.Add(c.late); return press() }}
		err := l.Key(t.Context(), c.of, func() error { pressed = true; return nil })
		var refused *actors.Refusal
		if pressed != c.pressed || pressed != (err == nil) ||
			!pressed && (!errors.As(err, &refused) || refused.Code != string(messages.SendNoLease)) {
			t.Errorf("%s: Key() = %v, pressed: %v, want %v", c.what, err, pressed, c.pressed)
		}
	}
}
