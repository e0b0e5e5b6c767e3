package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// canary stands in each private text of these tests. It is written nowhere else.
const canary = "カナリア canary 7f3a"

// leaving is a host whose actor leaves a private text in everything that is stored:
// rows, mail, an event, a timer, a call, a verdict, and a dead letter with its error.
// handled gets each message of the actor, once for each attempt.
func leaving(t *testing.T, cfg config.Config, handled chan<- string, opts ...runtime.Option) *runtime.Runtime {
	t.Helper()
	rows := actors.NewTable[string]("rows")
	leave := func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			s, ok := m.(secret)
			if !ok {
				return nil
			}
			select {
			case handled <- s.Text:
			default:
			}
			if strings.HasPrefix(s.Text, "bad") {
				return errors.New("cannot bear " + s.Text)
			}
			rows.Put(turn, "row", s.Text)
			turn.Publish(s)
			turn.Send("elsewhere/all", s) // nobody handles it: it stays in the inbox
			turn.After("later", time.Hour, s)
			turn.Call("elsewhere", s, actors.CallOptions{Deadline: time.Hour, Retries: 9})
			turn.Drop("test", events.Rule("test"), events.Detail{Conversation: "c1"})
			return nil
		})
	}
	hangs := func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil
	}
	cfg.Shutdown.Drain = 10 * time.Millisecond
	return newRuntime(t, cfg, append([]runtime.Option{
		runtime.WithMessages(messages.Table{messages.Durable[secret](nil).AboutNobody()}),
		runtime.WithActor(engine.Kind{Name: "keeper", New: leave}),
		runtime.WithWorker(engine.WorkerKind{Name: "elsewhere", New: hangs}),
	}, opts...)...)
}

// fill has a running host store texts, and waits until they are.
func fill(t *testing.T, rt *runtime.Runtime, handled <-chan string) {
	t.Helper()
	for n := range 40 {
		kind := "good"
		if n == 7 {
			kind = "bad"
		}
		text := fmt.Sprint(kind, " ", n, " ", canary, strings.Repeat(" filler", 50))
		if err := rt.Inject(t.Context(), "keeper/c1", secret{text}, ""); err != nil {
			t.Fatal(err)
		}
		for got := <-handled; got != text; got = <-handled {
		}
	}
}

func wantNoCanary(t *testing.T, cfg config.Config, when string) {
	t.Helper()
	if holds(t, cfg.Data, "canary 7f3a") || holds(t, cfg.Data, "カナリア") {
		t.Errorf("%s: a private text stands in a file of the data directory", when)
	}
}

// purged waits until what was deleted or overwritten has left the store's files.
func purged(t *testing.T, cfg config.Config) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.PurgeLater(); err != nil {
		t.Error(err)
	}
	if gone, err := st.Purge(t.Context()); !gone || err != nil {
		t.Errorf("Purge() = %v, %v", gone, err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// No private text stands in any file: while the host runs, when it has stopped, and
// after the store's files were compacted. It is read all the same.
func TestNoPrivateTextIsInTheFiles(t *testing.T) {
	cfg := noWindow(t)
	handled := make(chan string, 100)
	rt := leaving(t, cfg, handled)
	stop := start(t, rt)
	fill(t, rt, handled)
	wantNoCanary(t, cfg, "running")
	_ = stop() // with calls under way
	wantNoCanary(t, cfg, "stopped")
	purged(t, cfg)
	wantNoCanary(t, cfg, "compacted")

	told := make(chan string, 100)
	rt = leaving(t, cfg, handled)
	subscribe(t, rt, told)
	stop = start(t, rt)
	if got := <-told; !strings.Contains(got, canary) {
		t.Errorf("after a start the first event is %.40q, want the text", got)
	}
	_ = stop()
	wantNoCanary(t, cfg, "stopped again")
}

// A store that was written as it is, as by an older version, is sealed by the next
// start, and what it held leaves its files.
func TestAPlainStoreIsSealedAtTheNextStart(t *testing.T) {
	cfg := noWindow(t)
	handled := make(chan string, 100)
	rt := leaving(t, cfg, handled, runtime.WithStore(func() (engine.Store, error) {
		return store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
	}))
	stop := start(t, rt)
	fill(t, rt, handled)
	_ = stop()
	if !holds(t, cfg.Data, "canary 7f3a") {
		t.Fatal("a store without keys is sealed: this test shows nothing")
	}
	told := make(chan string, 100)
	rt = leaving(t, cfg, handled)
	subscribe(t, rt, told)
	stop = start(t, rt)
	if got := <-told; !strings.Contains(got, canary) {
		t.Errorf("after a start the first event is %.40q, want the text", got)
	}
	for holds(t, cfg.Data, "canary 7f3a") { // until the purge is done
		if t.Context().Err() != nil {
			t.Fatal("the texts stay in the files")
		}
	}
	_ = stop()
	wantNoCanary(t, cfg, "stopped")
}

// A host that brings a store brings its keys too, or the log says that there are none.
func TestAHostsStoreIsSealedWithItsKeys(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		cfg, kept := noWindow(t), mem.New()
		handled := make(chan string, 100)
		var log bytes.Buffer
		opts := []runtime.Option{runtime.WithStore(func() (engine.Store, error) { return kept, nil }),
			runtime.WithLogger(zerolog.New(zerolog.SyncWriter(&log)))}
		if sealed {
			opts = append(opts, runtime.WithSealer(keyring.Memory(nil)))
		}
		rt := leaving(t, cfg, handled, opts...)
		stop := start(t, rt)
		fill(t, rt, handled)
		plain := 0
		if err := kept.Scan(nil, nil, func(_, v []byte) bool {
			if bytes.Contains(v, []byte(canary)) {
				plain++
			}
			return true
		}); err != nil {
			t.Error(err)
		}
		_ = stop()
		if sealed != (plain == 0) || sealed == strings.Contains(log.String(), "store_not_sealed") {
			t.Errorf("with keys %v: %d rows are plain; the log says %s", sealed, plain, log.String())
		}
	}
}

// Without its keys the store is left alone, and the error says what to do.
func TestALostKeyringIsMissed(t *testing.T) {
	cfg := noWindow(t)
	handled := make(chan string, 100)
	rt := leaving(t, cfg, handled)
	stop := start(t, rt)
	fill(t, rt, handled)
	_ = stop()
	keys, away := filepath.Join(cfg.Data, "keys"), filepath.Join(cfg.Data, "away")
	if err := os.Rename(keys, away); err != nil {
		t.Fatal(err)
	}
	err := leaving(t, cfg, handled).Run(t.Context())
	if !errors.Is(err, engine.ErrNoKey) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Run() without the keys = %v, want it to say what to do", err)
	}
	if _, err := os.Stat(keys); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("new keys were made beside a sealed store, %v", err)
	}
	if err := os.Rename(away, keys); err != nil {
		t.Fatal(err)
	}
	stop = start(t, leaving(t, cfg, handled))
	_ = stop()
}

// subscribe has a host told of the texts of all events.
func subscribe(t *testing.T, rt *runtime.Runtime, told chan<- string) {
	t.Helper()
	if err := rt.Subscribe("canary", func(_ context.Context, e runtime.Event) error {
		if s, ok := e.Message.(secret); ok {
			select {
			case told <- s.Text:
			default:
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
