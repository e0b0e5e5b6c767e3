package bare_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
)

// blocking runs a purse and a till, one of which waits until the test is over, for ten
// minutes. It returns how the run ended, how long that took, and the log.
func blocking(t *testing.T, purse, till bool, running func(*bare.Runtime)) (left *bare.Unfinished, log string) {
	t.Helper()
	over := make(chan struct{})
	defer close(over)
	wait := func(blocks bool) {
		if blocks {
			<-over
		}
	}
	var lines bytes.Buffer
	rt, err := bare.New(bare.Options{
		Log: zerolog.New(zerolog.SyncWriter(&lines)),
		Actors: []engine.Kind{bare.Func("purse", actors.On(func(turn *actors.Turn, m coin) error {
			wait(purse)
			turn.Publish(counted(m))
			return nil
		}))},
		Messages: []messages.Table{{
			messages.Durable[coin](nil).AboutNobody(), messages.Durable[counted](nil).AboutNobody(),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Subscribe("till", func(context.Context, bare.Event) error { wait(till); return nil }); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	if err := rt.Inject(ctx, "purse/aki", coin{5}, ""); err != nil {
		t.Fatal(err)
	}
	<-time.After(10 * time.Minute)
	running(rt)
	stop()
	began := time.Now()
	if err := <-ended; !errors.As(err, &left) {
		t.Fatalf("Run() = %v, want what is unfinished", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("Run() took %v to stop, want at most the 5s of the draining and 5s more", took)
	}
	return left, lines.String()
}

func TestASubscriberThatDoesNotReturnIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, log := blocking(t, false, true, func(rt *bare.Runtime) {
			err := rt.Healthy()
			if err == nil || !strings.Contains(err.Error(), `"till": its handler does not return`) {
				t.Errorf("Healthy() = %v, want the subscription that hangs", err)
			}
		})
		if !slices.Equal(left.Behind, []string{"till"}) || !strings.Contains(left.Error(), "till") {
			t.Errorf("Run() = %+v: %v, want the till behind", left, left)
		}
		if !strings.Contains(log, `"subscription":"till","message":"did not stop in time`) {
			t.Errorf("log = %s, want the subscription named", log)
		}
	})
}

func TestAnActorThatBlocksIsToldAndLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, log := blocking(t, true, false, func(rt *bare.Runtime) {
			if err := rt.Healthy(); err == nil || !strings.Contains(err.Error(), "an actor of kind purse blocks") {
				t.Errorf("Healthy() = %v, want the actor that blocks", err)
			}
		})
		if left.Left.Turns != 1 || !slices.Equal(left.Blocked, []messages.Address{"purse/aki"}) {
			t.Errorf("Run() = %+v, want one turn of purse/aki", left)
		}
		if text := left.Error(); !strings.Contains(text, "kind purse blocks") || strings.Contains(text, "aki") {
			t.Errorf("Run() = %q, want the kind of the actor and no name", text)
		}
		if n := strings.Count(log, "a turn has not ended"); n != 1 {
			t.Errorf("%d lines tell of the turn, want 1:\n%s", n, log)
		}
		if !strings.Contains(log, `"busy":["purse/#"]`) {
			t.Errorf("log = %s, want the actor that did not stop", log)
		}
	})
}

// A store that is damaged loses what it held: only one that cannot be written is started again as it is.
func TestADamagedStoreIsNotCalledWhole(t *testing.T) {
	for why, again := range map[error]bool{engine.ErrCorrupt: false, engine.ErrClosed: true} {
		core, err := bare.NewCore(zerolog.Nop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		core.StoreStopped(fmt.Errorf("torn: %w", why))
		told := strings.Join(core.Health.Problems(), "\n")
		if strings.Contains(told, "start again: nothing that was delivered is lost") != again ||
			!strings.Contains(told, "so this run ends") || !strings.Contains(told, why.Error()) {
			t.Errorf("told %q of %v, want to start again: %v", told, why, again)
		}
	}
}

// A message that is put aside is trouble for an hour, or until it is not there any more.
func TestAMessagePutAsideIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, err := bare.New(bare.Options{
			Actors: []engine.Kind{bare.Func("purse", actors.On(func(*actors.Turn, coin) error {
				return errors.New("torn")
			}))},
			Messages: []messages.Table{{messages.Durable[coin](nil).AboutNobody()}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- rt.Run(ctx) }()
		<-rt.Ready()
		if err := rt.Inject(ctx, "purse/aki", coin{5}, ""); err != nil {
			t.Fatal(err)
		}
		if err := rt.Healthy(); err != nil {
			t.Errorf("Healthy() = %v before it is put aside, want nil", err)
		}
		<-time.After(time.Minute)
		const told = "put aside: 1; Runtime.DeadLetters says why"
		if err := rt.Healthy(); err == nil || !strings.Contains(err.Error(), told) {
			t.Errorf("Healthy() = %v, want the message that was put aside", err)
		}
		<-time.After(time.Hour)
		if err := rt.Healthy(); err != nil {
			t.Errorf("Healthy() = %v an hour later, want nil", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
