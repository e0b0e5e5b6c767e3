package testkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Option changes what Start runs.
type Option func(*System)

// WithConfig changes the configuration. Start begins with runtime.Default, one
// drawn window named "line", first_sight all, the recognizer "drawn", and no replies.
func WithConfig(change func(*config.Config)) Option {
	return func(s *System) { change(&s.cfg) }
}

// WithRuntime passes options to the runtime: a host's own actors, workers and
// message types.
func WithRuntime(opts ...runtime.Option) Option {
	return func(s *System) { s.opts = append(s.opts, opts...) }
}

// WithFaults makes things fail from the start; see [System.Inject].
func WithFaults(faults ...Fault) Option {
	return func(s *System) { s.faults.add(faults...) }
}

// WithSubscription subscribes a host's own handler to each runtime of the system before
// it runs: events that were not acknowledged come again after a crash.
func WithSubscription(
	name string, handler func(context.Context, runtime.Event) error, opts ...runtime.SubscribeOption,
) Option {
	return func(s *System) { s.subs = append(s.subs, subscription{name, handler, opts}) }
}

type subscription struct {
	name    string
	handler func(context.Context, runtime.Event) error
	opts    []runtime.SubscribeOption
}

// System is a runtime under test. Its methods are for the test's goroutine.
type System struct {
	// Window is what the friend and the owner see; change it as you like.
	Window *drawn.Window
	// Runtime is the present runtime; a crash makes a new one.
	Runtime *runtime.Runtime

	t      testing.TB
	cfg    config.Config
	opts   []runtime.Option
	subs   []subscription
	faults *faults
	store  *mem.Store
	cancel context.CancelFunc
	abort  context.CancelFunc
	ended  chan error

	stopped bool

	mu        sync.Mutex
	life      int // the runtime whose output counts
	delivered []messages.MessageDelivered
	events    []messages.Message
}

// Start runs a runtime until the test ends. Call it inside synctest.Test.
func Start(t testing.TB, opts ...Option) *System {
	t.Helper()
	if !inBubble() {
		t.Fatal("testkit: Start needs virtual time: call it in the function that synctest.Test runs")
	}
	s := &System{t: t, cfg: config.Default(), faults: &faults{}, store: mem.New()}
	s.cfg.Node, s.cfg.OCR.Engine, s.cfg.Dedup.FirstSight = "test", config.OCRDrawn, "all"
	s.cfg.Replies.Policy, s.cfg.Replies.Drawn = "off", false // unless a test is about them
	s.cfg.Data = t.TempDir()                                 // nothing is written there: the store is in memory
	for _, o := range opts {
		o(s)
	}
	look := drawn.DefaultOptions(time.Now)
	look.Ref, look.Fonts = "line", drawn.FindFonts()
	if s.cfg.OCR.Engine == config.OCRTesseract { // which reads no boxes
		look.Fonts = drawn.Fonts()
	}
	w, err := drawn.New(look)
	if err != nil {
		t.Fatalf("testkit: draw the window: %v", err)
	}
	s.Window = w
	s.boot()
	t.Cleanup(s.stop)
	s.checkFaults()
	return s
}

// boot starts a runtime over the store as it is.
func (s *System) boot() {
	s.t.Helper()
	screen, err := drawn.NewScreen(s.Window)
	if err != nil {
		s.t.Fatalf("testkit: %v", err)
	}
	store, life := s.store, s.life
	opts := append([]runtime.Option{
		runtime.WithStore(func() (engine.Store, error) { return store, nil }),
		runtime.WithStoreWrapper(s.faults.wrapStore),
		runtime.WithWorkerWrapper(s.faults.wrapWorker),
		runtime.WithScreen("drawn", func(w config.Window) (hardware.Screen, string, error) {
			return screen, "line", nil
		}),
		runtime.WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(s.Window), nil
		}),
		runtime.WithRecognizer(config.OCRDrawn,
			func() (hardware.Recognizer, error) { return drawn.NewRecognizer(s.Window), nil }),
		runtime.WithListener(func(ev runtime.Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, ev.Message)
		}),
	}, s.opts...)
	rt, err := runtime.New(s.cfg, opts...)
	if err != nil {
		s.t.Fatalf("testkit: %v", err)
	}
	err = rt.Subscribe("testkit", func(_ context.Context, ev runtime.Event) error {
		if d, ok := ev.Message.(messages.MessageDelivered); ok {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.life == life {
				s.delivered = append(s.delivered, d)
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatalf("testkit: %v", err)
	}
	for _, sub := range s.subs {
		if err := rt.Subscribe(sub.name, sub.handler, sub.opts...); err != nil {
			s.t.Fatalf("testkit: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	abort, kill := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rt.RunUntil(ctx, abort) }()
	s.Runtime, s.cancel, s.abort, s.ended, s.stopped = rt, cancel, kill, ended, false
	if <-rt.Ready(); errors.Is(rt.Healthy(), runtime.ErrNotRunning) {
		s.t.Fatalf("testkit: the runtime did not start: %v", <-ended)
	}
	synctest.Wait() // or a test's first step would come now before the first reading, now after it
}

// Stop ends the runtime in order. [System.Restart] starts it again.
func (s *System) Stop() { s.stop() }

// stop ends the runtime in order, if it runs.
func (s *System) stop() {
	if s.stopped {
		return
	}
	s.stopped = true
	s.cancel()
	if err := <-s.ended; err != nil {
		s.t.Errorf("testkit: stop: %v", err)
	}
	s.abort()
}

// Restart stops the runtime in order and starts it again.
func (s *System) Restart() {
	s.t.Helper()
	s.stop()
	s.store = s.store.Clone()
	s.boot()
}

// Crash ends the runtime as a kill would: what is not in the store is lost. A new one
// starts over what was stored at this moment.
func (s *System) Crash() {
	s.t.Helper()
	// What the old process still writes and says while it ends does not count.
	s.mu.Lock()
	s.life++
	s.mu.Unlock()
	store := s.store.Clone()
	s.abort()
	s.cancel()
	var left *runtime.Unfinished
	if err := <-s.ended; err != nil && !errors.As(err, &left) {
		s.t.Logf("testkit: the crashed runtime said: %v", err)
	}
	s.store = store
	s.boot()
}

// Inject adds a fault from now on.
func (s *System) Inject(faults ...Fault) {
	s.t.Helper()
	s.faults.add(faults...)
	s.checkFaults()
}

// checkFaults fails the test if a fault names a worker kind that does not exist.
func (s *System) checkFaults() {
	s.t.Helper()
	kinds := []string{Store}
	for _, p := range s.Runtime.Inspect().Pools {
		kinds = append(kinds, p.Kind)
	}
	if kind := s.faults.unknown(kinds); kind != "" {
		s.t.Fatalf("testkit: a fault of workers of kind %q, which this runtime does not have: want one of %q",
			kind, kinds)
	}
}

// inBubble reports whether the test runs in one of package synctest.
func inBubble() (in bool) {
	defer func() { in = recover() == nil }()
	synctest.Wait() // panics elsewhere
	return true
}

// Heal removes all faults.
func (s *System) Heal() { s.faults.clear() }

// Friend lets somebody write into a conversation of the window, which is shown.
func (s *System) Friend(conversation string, lines ...string) {
	s.t.Helper()
	s.write(drawn.Friend, conversation, lines)
}

// Me lets the owner of the window write.
func (s *System) Me(conversation string, lines ...string) {
	s.t.Helper()
	s.write(drawn.Me, conversation, lines)
}

// write appends lines. A line that would push unseen bubbles out of view waits for the
// next capture, because a test wants to see each of them arrive.
func (s *System) write(who drawn.Who, conversation string, lines []string) {
	s.t.Helper()
	if s.Window.Title() != conversation {
		if err := s.Window.Switch(conversation); err != nil {
			s.t.Fatalf("testkit: %v", err)
		}
	}
	for _, line := range lines {
		change := drawn.Change{Op: drawn.OpAppend, Conversation: conversation, Who: who, Text: messages.Text(line)}
		for range 100 {
			if !s.Window.Hides(change) {
				break
			}
			s.Advance(time.Second)
		}
		if err := s.Window.Apply(change); err != nil {
			s.t.Fatalf("testkit: %v", err)
		}
	}
}

// Remember has the memory of a conversation hold what was said, a minute each up to now, the
// oldest first: "Anna: the bicycle squeaks". What "me" said is of our side.
func (s *System) Remember(c messages.ConversationID, lines ...string) {
	s.t.Helper()
	var list []messages.Event
	for i, line := range lines {
		who, text, ok := strings.Cut(line, ": ")
		if !ok {
			s.t.Fatalf("testkit: remember %q: want who said it, such as Anna: the bicycle squeaks", line)
		}
		at := time.Now().Add(time.Duration(i+1-len(lines)) * time.Minute)
		e := messages.Event{ID: messages.MessageID(fmt.Sprintf("said:%d:%s", at.UnixNano(), line)), Own: who == "me",
			Text: messages.Text(text), At: at}
		if !e.Own {
			e.Speaker = messages.Text(who)
		}
		list = append(list, e)
	}
	if _, err := s.Runtime.Remember(s.t.Context(), c, list); err != nil {
		s.t.Fatalf("testkit: remember: %v", err)
	}
}

// Advance lets virtual time pass, and waits until nothing is possible at its end.
func (s *System) Advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// timeout is how long Want waits, in virtual time: for polls, a burst's end, and retries
// with backoff.
const timeout = 2 * time.Minute

// WantMessages waits until these texts were delivered, one per bubble and in this order,
// over all conversations since the start. It fails the test if others were delivered, or
// if these do not come within two minutes of virtual time.
func (s *System) WantMessages(texts ...string) {
	s.t.Helper()
	for waited := time.Duration(0); len(s.texts()) < len(texts) && waited < timeout; waited += time.Second {
		s.Advance(time.Second)
	}
	s.Advance(10 * time.Second) // for messages that should not come
	if got := s.texts(); !slices.Equal(got, texts) {
		s.t.Fatalf("delivered messages:\n got %s\nwant %s", quoted(got), quoted(texts))
	}
}

// Messages returns what the subscription was given so far.
func (s *System) Messages() []messages.MessageDelivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.delivered)
}

// Events returns every event so far, of all runtimes of this system.
func (s *System) Events() []messages.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// texts are the delivered parts. An event that was not acknowledged before a
// crash comes again with the same id; it counts once.
func (s *System) texts() []string {
	var list []string
	seen := map[messages.MessageID]bool{}
	for _, m := range s.Messages() {
		if seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		for _, p := range m.Parts {
			list = append(list, string(p.Text))
		}
	}
	return list
}

func quoted(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", s)
	}
	return "[" + b.String() + "]"
}

// ID is the id of a conversation of the window; one that was never seen gets its id now.
func (s *System) ID(conversation string) messages.ConversationID {
	s.t.Helper()
	id, err := s.Runtime.Conversation(context.Background(), s.cfg.Windows[0].App, conversation)
	if err != nil {
		s.t.Fatalf("testkit: the id of a conversation: %v", err)
	}
	return id
}
