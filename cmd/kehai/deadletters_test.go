package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// TestDeadLetters looks at, sends again and discards a real dead letter: that
// of a conversation that could not take its messages.
func TestDeadLetters(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.Windows = t.TempDir(), nil
	quarantined := make(chan struct{}, 2)
	rt, err := runtime.New(cfg,
		runtime.WithActor(engine.Kind{Name: "conversation", New: func(messages.Address) actors.Actor {
			return actors.Func(func(_ *actors.Turn, m messages.Message) error {
				if _, ok := m.(messages.InboundMessage); ok {
					return errors.New("the shelf is full")
				}
				return nil
			})
		}}),
		runtime.WithListener(func(ev runtime.Event) {
			if _, ok := ev.Message.(events.MessageQuarantined); ok {
				quarantined <- struct{}{}
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	for _, id := range []messages.MessageID{"one", "two"} {
		m := messages.InboundMessage{ID: id, Text: "secret words"}
		if err := rt.Inject(ctx, "conversation/line:Hana", m, ""); err != nil {
			t.Fatal(err)
		}
		<-quarantined
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	kehai := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := Main(append([]string{"--data", cfg.Data, "deadletters"}, args...), &stdout, &stderr); got != want {
			t.Fatalf("kehai deadletters %v exits with %d, want %d\n%s", args, got, want, stderr.String())
		}
		return stdout.String() + stderr.String()
	}
	list := kehai(exitOK, "list")
	if strings.Count(list, "the shelf is full") != 2 || strings.Contains(list, "secret") {
		t.Fatalf("list shows:\n%s\nwant two with their error and without their text", list)
	}
	lines := strings.Split(list, "\n")
	first, second := strings.Fields(lines[1])[0], strings.Fields(lines[2])[0]
	shown := kehai(exitOK, "show", first)
	if !strings.Contains(shown, "secret words") || !strings.Contains(shown, `"attempts": 5`) {
		t.Errorf("show %s prints\n%s\nwant the whole message and 5 attempts", first, shown)
	}
	kehai(exitOK, "discard", first)
	kehai(exitFailed, "discard", first)
	if out := kehai(exitOK, "retry", "--all"); !strings.Contains(out, second+" sent again") {
		t.Errorf("retry --all prints %q, want that %s was sent again", out, second)
	}
	if out := kehai(exitOK, "list"); !strings.Contains(out, "no dead letters") {
		t.Errorf("list shows %q in the end, want none", out)
	}
	// The actor is mended: the next start delivers it.
	run := []string{"--data", cfg.Data, "run", "--for", "1s", "--json", "--no-web", "--script", "testdata/quiet.jsonl"}
	var stdout, stderr bytes.Buffer
	if code := Main(run, &stdout, &stderr); code != exitOK || strings.Count(stdout.String(), "secret words") != 1 {
		t.Errorf("run after the retry exits with %d and prints %q, want the message once\n%s", code, &stdout, &stderr)
	}
}
