package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "ocr-worker" {
		os.Exit(1) // a child that a test started: it would run all tests
	}
	goleak.VerifyTestMain(m)
}

// note is a host's own message type; a notebook keeps how many it got.
type note struct{ N int }

func (note) MessageType() messages.Type { return messages.Type{Name: "host_note", Version: 1} }

var notes = actors.NewTable[int]("notes")

func notebook(messages.Address) actors.Actor {
	return actors.Func(func(t *actors.Turn, m messages.Message) error {
		if n, ok := m.(note); ok {
			sum, _ := notes.Get(t, "sum")
			notes.Put(t, "sum", sum+n.N)
			t.Publish(note{sum + n.N})
		}
		return nil
	})
}

// noWindow watches nothing and needs nothing.
func noWindow(t *testing.T) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Windows = t.TempDir(), nil
	return cfg
}

// start runs a runtime until the returned function is called.
func start(t *testing.T, rt *runtime.Runtime) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	if <-rt.Ready(); errors.Is(rt.Healthy(), runtime.ErrNotRunning) {
		t.Fatalf("Run: %v", <-ended)
	}
	return func() error {
		cancel()
		return <-ended
	}
}

func newRuntime(t *testing.T, cfg config.Config, opts ...runtime.Option) *runtime.Runtime {
	t.Helper()
	rt, err := runtime.New(cfg, append([]runtime.Option{
		runtime.WithMessages(messages.Table{messages.Durable[note](nil).AboutNobody()}),
		runtime.WithActor(engine.Kind{Name: "notebook", New: notebook}),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// collect subscribes to the host's notes.
func collect(t *testing.T, rt *runtime.Runtime, name string) <-chan int {
	t.Helper()
	got := make(chan int, 100)
	err := rt.Subscribe(name, func(_ context.Context, ev runtime.Event) error {
		if n, ok := ev.Message.(note); ok {
			got <- n.N
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTwoRuntimesInOneProcess(t *testing.T) {
	ctx := context.Background()
	var stops []func() error
	for i := 1; i <= 2; i++ {
		rt := newRuntime(t, noWindow(t))
		got := collect(t, rt, "host")
		stops = append(stops, start(t, rt))
		for range 3 {
			if err := rt.Inject(ctx, "notebook/a", note{i}, ""); err != nil {
				t.Fatal(err)
			}
		}
		for n := 1; n <= 3; n++ {
			if sum := <-got; sum != n*i {
				t.Errorf("runtime %d: sum %d after %d notes, want %d", i, sum, n, n*i)
			}
		}
		if err := rt.Healthy(); err != nil {
			t.Errorf("Healthy() = %v, want nil", err)
		}
	}
	for _, stop := range stops {
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

func TestStateAndSubscriptionsSurviveARestart(t *testing.T) {
	cfg := noWindow(t)
	ctx := context.Background()
	for life := 1; life <= 3; life++ {
		rt := newRuntime(t, cfg)
		got := collect(t, rt, "host")
		stop := start(t, rt)
		if err := rt.Inject(ctx, "notebook/a", note{10}, fmt.Sprint("life", life)); err != nil {
			t.Fatal(err)
		}
		if err := rt.Inject(ctx, "notebook/a", note{10}, fmt.Sprint("life", life)); err != nil { // counts once
			t.Fatal(err)
		}
		if sum := <-got; sum != 10*life {
			t.Errorf("life %d: first event is %d, want %d: nothing old comes again", life, sum, 10*life)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 {
			t.Errorf("life %d: one more event: %d", life, <-got)
		}
	}
}

func TestAFailedHandlerGetsTheEventAgain(t *testing.T) {
	rt := newRuntime(t, noWindow(t))
	tries := make(chan uint64, 10)
	n := 0
	err := rt.Subscribe("host", func(_ context.Context, ev runtime.Event) error {
		tries <- ev.Seq
		if n++; n < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := start(t, rt)
	if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
		t.Fatal(err)
	}
	first := <-tries
	for range 2 {
		if again := <-tries; again != first {
			t.Errorf("event %d came after a failure, want %d again", again, first)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func silentFunc(*actors.Turn, messages.Message) error { return nil }

// A message to a kind that nobody has, or a request to such workers, is trouble: a
// host hears of its mistake. What is switched off is none.
func TestAMistypedKindIsTrouble(t *testing.T) {
	asked := make(chan messages.FailureKind, 1)
	lost := actors.Func(func(turn *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case messages.Started:
			turn.Send("notebok/a", note{1})
			turn.Send(messages.To(messages.ActorFocus, "desk"), note{1}) // without attention it is off
			turn.Call("abacuss", note{2}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		case messages.CallFailed:
			asked <- m.Kind
		}
		return nil
	})
	var log logBook
	rt := newRuntime(t, noWindow(t), runtime.WithFunc("lost", lost, "a"), runtime.WithEventLog(zerolog.New(&log)),
		runtime.WithWorker(engine.WorkerKind{Name: "abacus", New: func() (actors.Worker, error) { return nil, nil }}))
	stop := start(t, rt)
	if got := <-asked; got != messages.FailureUnknown {
		t.Errorf("the caller heard %q, want %q", got, messages.FailureUnknown)
	}
	want := `an actor calls workers of the kind "abacuss", which this program does not have ` +
		`(did you mean "abacus"?); whoever asks gets messages.CallFailed
an actor sends to the kind "notebok", which this program does not have (did you mean "notebook"?); ` +
		`what is durable waits in the store for a program that has it`
	got := fmt.Sprint(rt.Healthy())
	lines := strings.Split(got, "\n")
	slices.Sort(lines)
	if got = strings.Join(lines, "\n"); got != want {
		t.Errorf("Healthy() =\n%s\nwant\n%s", got, want)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, rule := range []string{"no_actor", "no_worker"} {
		if !slices.ContainsFunc(strings.Split(log.String(), "\n"), func(line string) bool {
			return strings.Contains(line, `"level":"warn"`) && strings.Contains(line, `"rule":"`+rule+`"`)
		}) {
			t.Errorf("the log warns of no %s:\n%s", rule, log.String())
		}
	}
}

// An actor that panics again and again is in the log of a host that has set no more
// than a logger, with the place and without what it panicked with.
func TestTheLoggerHearsOfFailures(t *testing.T) {
	failed := make(chan struct{}, 10)
	bad := actors.On(func(*actors.Turn, note) error { panic("to Hana: s3cret") })
	var log logBook
	rt := newRuntime(t, noWindow(t), runtime.WithFunc("bad", bad),
		runtime.WithLogger(zerolog.New(&log).Level(zerolog.InfoLevel)),
		runtime.WithListener(func(ev runtime.Event) {
			if _, ok := ev.Message.(events.MessageQuarantined); ok {
				failed <- struct{}{}
			}
		}))
	stop := start(t, rt)
	if err := rt.Inject(context.Background(), "bad/Hana", note{1}, ""); err != nil {
		t.Fatal(err)
	}
	<-failed
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"attempt":1,"fatal":false,"reason":"panic with a string"`, `"fatal":true`,
		"runtime_test.go:", `"level":"error"`, "kehai deadletters show", "TestTheLoggerHearsOfFailures"} {
		if got := log.String(); !strings.Contains(got, want) {
			t.Errorf("the log has no %q:\n%s", want, got)
		}
	}
	if got := log.String(); strings.Contains(got, "s3cret") || strings.Contains(got, `"level":"debug"`) {
		t.Errorf("the log says too much:\n%s", got)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*config.Config)
		opts   []runtime.Option
		want   string
	}{
		"a type twice": {opts: []runtime.Option{runtime.WithMessages(messages.Table{messages.Fleeting[note](),
			messages.Fleeting[note]()})}, want: "host_note"},
		"a durable type without a subject": {
			opts: []runtime.Option{runtime.WithMessages(messages.Table{messages.Durable[note](nil)})},
			want: `"host_note" is durable and does not say whom it is about`,
		},
		"an unknown driver": {change: func(c *config.Config) {
			c.Windows = []config.Window{config.DefaultWindow("w")}
			c.Windows[0].Driver = "x12"
		}, want: "x12"},
		"an unknown engine": {change: func(c *config.Config) { c.OCR.Engine = "magic" }, want: "magic"},
		"a bad kind": {opts: []runtime.Option{runtime.WithActor(engine.Kind{Name: "Big", New: notebook})},
			want: "Big"},
		"no function": {opts: []runtime.Option{runtime.WithFunc("idle", nil, "a")},
			want: `actor kind "idle": nothing makes it`},
		"a kind of workers that nothing makes": {
			opts: []runtime.Option{runtime.WithWorker(engine.WorkerKind{Name: "lazy"})},
			want: `worker kind "lazy": nothing makes it`,
		},
		"no key": {opts: []runtime.Option{runtime.WithFunc("idle", silentFunc, "")}, want: "want kind/key"},
		"a missing scenario": {change: func(c *config.Config) {
			c.Windows = []config.Window{config.DefaultWindow("w")}
			c.Windows[0].Script = "/no/such.jsonl"
		}, want: "/no/such.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := noWindow(t)
			if c.change != nil {
				c.change(&cfg)
			}
			_, err := runtime.New(cfg, c.opts...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that names %q", err, c.want)
			}
		})
	}
}

func TestStoreInUse(t *testing.T) {
	cfg := noWindow(t)
	stop := start(t, newRuntime(t, cfg))
	err := newRuntime(t, cfg).Run(context.Background())
	if !errors.Is(err, engine.ErrInUse) {
		t.Errorf("second Run on a data directory: %v, want ErrInUse", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestControlSocket(t *testing.T) {
	cfg := noWindow(t)
	ctx := context.Background()
	if _, err := control.Dial(ctx, cfg.Data); !errors.Is(err, control.ErrNotRunning) {
		t.Fatalf("Dial before Run: %v, want ErrNotRunning", err)
	}
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	c := dial(t, cfg.Data)
	s, err := c.Status(ctx)
	if err != nil || !s.Running || !s.Healthy {
		t.Errorf("Status() = %+v, %v, want running and healthy", s, err)
	}
	if err := c.RetryDeadLetter(ctx, "d7"); !errors.Is(err, engine.ErrNoDeadLetter) {
		t.Errorf("RetryDeadLetter(d7) = %v, want ErrNoDeadLetter", err)
	}
	c.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// dial waits until the socket is there: it is served soon after Ready.
func dial(t *testing.T, data string) *control.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ; ctx.Err() == nil; <-time.After(5 * time.Millisecond) {
		c, err := control.Dial(ctx, data)
		if err == nil {
			return c
		}
		if !errors.Is(err, control.ErrNotRunning) {
			t.Fatal(err)
		}
	}
	t.Fatal("no control socket within a minute")
	return nil
}

func TestDeadLettersOverASocketAndAtRest(t *testing.T) {
	cfg := noWindow(t)
	ctx := context.Background()
	rt := newRuntime(t, cfg, runtime.WithActor(engine.Kind{Name: "fragile", New: func(messages.Address) actors.Actor {
		return actors.Func(func(_ *actors.Turn, m messages.Message) error {
			if _, ok := m.(note); ok {
				return errors.New("cannot")
			}
			return nil
		})
	}}))
	quarantined := make(chan struct{})
	stop := start(t, rt)
	c := dial(t, cfg.Data)
	go func() {
		defer close(quarantined)
		for {
			if list, err := c.DeadLetters(ctx); err != nil || len(list) > 0 {
				return
			}
		}
	}()
	if err := rt.Inject(ctx, "fragile/a", note{1}, ""); err != nil {
		t.Fatal(err)
	}
	<-quarantined
	list, err := c.DeadLetters(ctx)
	if err != nil || len(list) != 1 || list[0].Type != "host_note" || list[0].Error != "cannot" ||
		list[0].Attempts != 5 {
		t.Fatalf("DeadLetters() = %+v, %v, want one host_note after 5 attempts", list, err)
	}
	c.Close()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	notes := messages.Table{messages.Durable[note](nil).AboutNobody()}
	rest, err := runtime.OpenOffline(cfg, runtime.WithMessages(notes))
	if err != nil {
		t.Fatal(err)
	}
	if err := rest.RetryDeadLetter(ctx, list[0].ID); err != nil {
		t.Errorf("RetryDeadLetter: %v", err)
	}
	if list, err := rest.DeadLetters(ctx); err != nil || len(list) != 0 {
		t.Errorf("DeadLetters() = %v, %v after the retry, want none", list, err)
	}
	if err := rest.Close(); err != nil {
		t.Error(err)
	}
}

func TestPage(t *testing.T) {
	cfg := noWindow(t)
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	base := strings.TrimSuffix(rt.Inspect().Page, "/")
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 401, "/": 200, "/events": 401} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s = %d, want %d: %s", path, resp.StatusCode, want, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A store that stops for good ends the run with words, and one that is damaged is not called whole.
func TestAStoreThatStopsEndsTheRun(t *testing.T) {
	for why, again := range map[error]bool{engine.ErrClosed: true, engine.ErrCorrupt: false} {
		synctest.Test(t, func(t *testing.T) {
			cfg := noWindow(t)
			dying := &dyingStore{}
			rt := newRuntime(t, cfg,
				runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }),
				runtime.WithStoreWrapper(func(s engine.Store) engine.Store { dying.Store = s; return dying }))
			ended := make(chan error, 1)
			go func() { ended <- rt.Run(context.Background()) }()
			<-rt.Ready()
			synctest.Wait() // what a start stores is stored
			died := time.Now()
			dying.die(why)
			if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); !errors.Is(err, why) {
				t.Errorf("Inject = %v, want %v", err, why)
			}
			err := <-ended
			if !errors.Is(err, why) || !strings.Contains(err.Error(), "a write failed") {
				t.Errorf("Run = %v, want an error that wraps %v", err, why)
			} else if strings.Contains(err.Error(), "start again: nothing that was delivered is lost") != again {
				t.Errorf("Run = %v, want that it says to start again as it is: %v", err, again)
			}
			if took := time.Since(died); took > time.Second {
				t.Errorf("the run ended after %v, want no waiting for a store that is gone", took)
			}
		})
	}
}

// TestARunEndsThoughAReadHangs has a subscription read what never answers.
func TestARunEndsThoughAReadHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dying := &dyingStore{}
		end := make(chan struct{})
		dying.hangs.Store(&end)
		rt := newRuntime(t, noWindow(t),
			runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }),
			runtime.WithStoreWrapper(func(s engine.Store) engine.Store { dying.Store = s; return dying }))
		if err := rt.Subscribe("host", func(context.Context, runtime.Event) error { return nil }); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- rt.Run(context.Background()) }()
		<-rt.Ready()
		synctest.Wait()
		died := time.Now()
		dying.die(engine.ErrClosed)
		if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Inject = %v, want %v", err, engine.ErrClosed)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "start again") {
			t.Errorf("Run = %v, want that it ends because the store stopped", err)
		}
		if took := time.Since(died); took > 5*time.Second {
			t.Errorf("the run ended after %v, want within 5 s", took)
		}
		close(end)
	})
}

// A failed commit is said at once, until one succeeds.
func TestAFailedCommitIsTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flaky := &flakyStore{}
		rt := newRuntime(t, noWindow(t),
			runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }),
			runtime.WithStoreWrapper(func(s engine.Store) engine.Store { flaky.Store = s; return flaky }))
		stop := start(t, rt)
		synctest.Wait()
		flaky.failing.Store(true)
		if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); !errors.Is(err, errFlaky) {
			t.Errorf("Inject = %v, want %v", err, errFlaky)
		}
		if err := rt.Healthy(); err == nil || !strings.Contains(err.Error(), errFlaky.Error()) {
			t.Errorf("Healthy() after a failed commit = %v, want what failed", err)
		}
		if s := rt.Inspect(); s.Healthy || len(s.Problems) != 1 {
			t.Errorf("Inspect() after a failed commit = healthy %v, %q, want the problem", s.Healthy, s.Problems)
		}
		flaky.failing.Store(false)
		if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
			t.Errorf("Inject = %v, want no error", err)
		}
		if err := rt.Healthy(); err != nil {
			t.Errorf("Healthy() after a commit = %v, want nil", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
