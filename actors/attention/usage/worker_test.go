package usage_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention/usage"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// computer is a hardware.Usage made up by a test.
type computer struct {
	app                       hardware.App
	input                     hardware.Input
	errApp, errIdle, errInput error
	closed                    bool
}

func (c *computer) ActiveApp(context.Context) (hardware.App, error) { return c.app, c.errApp }
func (c *computer) Idle(context.Context) (time.Duration, error)     { return 3 * second, c.errIdle }
func (c *computer) Input(context.Context) (hardware.Input, error)   { return c.input, c.errInput }
func (c *computer) Close() error                                    { c.closed = true; return nil }

func do(t *testing.T, c *computer) (messages.Message, error) {
	t.Helper()
	w, err := usage.NewWorker(func() (hardware.Usage, error) { return c, nil })()
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Do(context.Background(), messages.ReadUsage{})
	if closeErr := w.(io.Closer).Close(); closeErr != nil || !c.closed {
		t.Errorf("Close() = %v, closed %v, want the driver closed", closeErr, c.closed)
	}
	return got, err
}

// Even from a driver that was opened with titles, no title gets out.
func TestNoTitleLeavesTheWorker(t *testing.T) {
	got, err := do(t, &computer{app: hardware.App{Name: "Mail", PID: 7, Title: "Secret plans"},
		input: hardware.Input{Keys: 5, Mouse: 6, SinceKey: second}})
	if err != nil || got != messages.Message(reading2("Mail", 5, 6, second)) {
		t.Errorf("Do() = %+v, %v, want the name and the counts", got, err)
	}
	raw, err := json.Marshal(got)
	if err != nil || strings.Contains(string(raw), "Secret") {
		t.Errorf("Do() = %s, %v, want no title", raw, err)
	}
}

func reading2(app messages.Text, keys, mouse uint64, sinceKey time.Duration) messages.UsageRead {
	r := reading(app, keys, mouse, sinceKey)
	r.Idle = messages.Just(3 * second)
	return r
}

func TestPartialReadings(t *testing.T) {
	got, err := do(t, &computer{errApp: hardware.ErrPermission, errInput: hardware.ErrUnavailable})
	if want := (messages.UsageRead{Idle: messages.Just(3 * second)}); err != nil || got != messages.Message(want) {
		t.Errorf("Do(idle only) = %+v, %v, want %+v", got, err, want)
	}
	got, err = do(t, &computer{input: hardware.Input{SinceKey: -1}})
	if r, ok := got.(messages.UsageRead); err != nil || !ok || r.SinceKey.Known {
		t.Errorf("Do(no key yet) = %+v, %v, want no time since a key", got, err)
	}
}

func TestNothingReadable(t *testing.T) {
	_, err := do(t, &computer{errApp: hardware.ErrNoDisplay, errIdle: hardware.ErrNoDisplay,
		errInput: hardware.ErrNoDisplay})
	var refusal *actors.Refusal
	if !errors.As(err, &refusal) || refusal.Code != messages.CodeNoDisplay {
		t.Errorf("Do(no display) = %v, want the refusal no_display", err)
	}
	w, _ := usage.NewWorker(func() (hardware.Usage, error) { return nil, hardware.ErrUnavailable })()
	if _, err := w.Do(context.Background(), messages.ReadUsage{}); !errors.As(err, &refusal) ||
		refusal.Code != messages.CodeUnavailable {
		t.Errorf("Do(no driver) = %v, want the refusal unavailable", err)
	}
	if err := w.(io.Closer).Close(); err != nil {
		t.Errorf("Close() = %v, want none", err)
	}
	if _, err := w.Do(context.Background(), messages.PollDue{}); err == nil {
		t.Error("Do(poll_due) = nil, want an error")
	}
}
