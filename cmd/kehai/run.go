package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
)

// gcPercent is how much the heap may grow before it is collected.
const gcPercent = 40

// session watches windows until it has to stop. Run and watch share it, and its flags.
type session struct {
	*app
	duration time.Duration
	asJSON   bool
	noWeb    bool

	delivered int64 // atomic: messages shown since this process began
}

type runVerb struct {
	session
	script string
	speed  float64
}

func (v *runVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Watch the windows and show each message once as it arrives",
		Long: `Watches the configured windows until Ctrl-C and prints each message once. Without
a configuration it watches a chat window that it draws itself, in which a
scripted friend writes. Started again, it goes on where it was. A script may also
have Kehai send something, forget its last look, restart, or crash: then what was
not stored is gone, and all of it starts again in this process. kehai help script
says how a script is written.

What becomes of replies is a line each: judged, written or waiting, typed, confirmed.

A message that its sender edits or takes back after that is shown as changed; with
--json that is a line of its own, {"event":"message_changed","kind":"edited" or
"unsent","message":ID,"old":…,"new":…}, and "masked" where a model found private data
in an interview that rules did not. Lines of their own are also replies, once
they were seen in the window or are given up as unknown, {"event":"reply",…}, and
gaps, where messages may have gone by unseen, {"event":"transcript_gap",…}. No
delivered message has an "event".

A first Ctrl-C stops in order: what is under way is finished and stored. A second
one stops at once; nothing is lost either way.`,
		Example: `  kehai run
  kehai run --for 30s --json | jq 'select(.event == null) | .text'
  kehai run --script chat.jsonl --speed 10 --no-web --data trial`,
		Args: cobra.NoArgs,
		RunE: v.run,
	}
	v.addFlags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&v.script, "script", "", "what the drawn window shows: a `FILE` in JSON Lines")
	fl.Float64Var(&v.speed, "speed", 0, "divide the script's waits by `N`")
	return cmd
}

func (v *runVerb) run(cmd *cobra.Command, _ []string) error {
	if cmd.Flags().Changed("speed") && !(v.speed > 0) {
		return badUsage("run: --speed takes a positive value")
	}
	cfg, err := v.configure(cmd, v.apply)
	if err != nil {
		return err
	}
	return v.watch(cmd, cfg)
}

// apply sets what drawn windows play.
func (v *runVerb) apply(cfg *config.Config) error {
	for i := range cfg.Windows {
		if v.script != "" {
			if err := cfg.SetFlag("--script", fmt.Sprintf("windows.%d.script", i), v.script); err != nil {
				return err
			}
		}
		if v.speed > 0 {
			if err := cfg.SetFlag("--speed", fmt.Sprintf("windows.%d.speed", i), fmt.Sprint(v.speed)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) addFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.DurationVar(&s.duration, "for", 0, "stop in order after `DURATION`, and exit with 0")
	fl.BoolVar(&s.asJSON, "json", false, "one JSON object a message and line")
	fl.BoolVar(&s.noWeb, "no-web", false, "no live page")
}

// configure makes the configuration of a run. The page is on and the log is short by
// default.
func (s *session) configure(cmd *cobra.Command, verb func(*config.Config) error) (config.Config, error) {
	if s.duration < 0 || s.duration == 0 && cmd.Flags().Changed("for") {
		return config.Config{}, badUsage("%s: --for takes a positive value", cmd.Name())
	}
	return s.load(func(cfg *config.Config) error {
		if !cfg.IsSet("web.enabled") {
			cfg.Web.Enabled = true
		}
		if !cfg.IsSet("log.level") {
			cfg.Log.Level = "warn" // a person reads the messages here
		}
		if s.noWeb {
			return cfg.SetFlag("--no-web", "web.enabled", "false")
		}
		return nil
	}, verb)
}

// watch runs a configuration until it has to stop, through the restarts that its script wants.
func (s *session) watch(cmd *cobra.Command, cfg config.Config) error {
	if os.Getenv("GOGC") == "" {
		// It mostly waits, so memory matters more than processor time here.
		debug.SetGCPercent(gcPercent)
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	abort, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go s.obey(abort, signals, cancel, kill)
	if s.duration > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, s.duration)
		defer stop()
	}
	for {
		again, err := s.live(ctx, abort, cfg)
		var left *runtime.Unfinished
		switch {
		case errors.As(err, &left) && again && ctx.Err() == nil: // it continues in the next life
		case errors.As(err, &left):
			s.stderr.printf("kehai: %v\n", left)
			return errReported
		case err != nil:
			return err
		case !again || ctx.Err() != nil:
			return s.sumUp()
		}
	}
}

// sumUp says at the end how much was shown.
func (s *session) sumUp() error {
	return s.stderr.printf("stopped; %s delivered\n", count(int(atomic.LoadInt64(&s.delivered)), "message"))
}

// live is one life of a runtime. Again says that the script wants another one.
func (s *session) live(ctx, abort context.Context, cfg config.Config) (again bool, err error) {
	asked := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	abort, kill := context.WithCancel(abort)
	defer kill()
	ends := make(chan bool, 1)
	log := s.logger(cfg)
	opts := append([]runtime.Option{
		runtime.WithVersion(version), runtime.WithLogger(log), runtime.WithEventLog(log), runtime.WithMoreProcessors(),
		runtime.WithLives(func(crash bool) {
			select {
			case ends <- crash:
			default: // it is killed already
			}
		}),
	}, s.extra...)
	if opts, err = seated(cfg, log, opts); err != nil {
		return false, err
	}
	var rt *runtime.Runtime
	if !s.asJSON {
		opts = append(opts, runtime.WithListener(func(ev runtime.Event) { s.typed(rt, ev) }))
	}
	newKeys(cfg, log)
	if rt, err = runtime.New(cfg, opts...); err != nil {
		return false, err
	}
	if err := rt.Subscribe("terminal", s.printer(rt)); err != nil {
		return false, err
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-rt.Ready():
			if !errors.Is(rt.Healthy(), runtime.ErrNotRunning) { // else RunUntil says why
				s.greet(ctx, rt, cfg)
			}
		case <-abort.Done():
		}
	})
	watch.Go(func() { again = s.heed(asked, abort, ends, stop, kill) })
	err = rt.RunUntil(ctx, abort)
	stop()
	kill()
	watch.Wait()
	return again, err
}

// heed stops or kills a runtime when its script says so, until abort ends. Again says that the
// script wants another one. asked ends when a person stops it.
func (s *session) heed(asked, abort context.Context, ends <-chan bool, stop, kill func()) (again bool) {
	for {
		select {
		case crash := <-ends:
			switch {
			case asked.Err() != nil:
			case crash: // also one that is about to restart
				s.stderr.printf("The script kills Kehai; it starts again.\n")
				again = true
				stop()
				kill()
			case !again:
				s.stderr.printf("The script restarts Kehai.\n")
				again = true
				stop()
			}
		case <-abort.Done():
			return again
		}
	}
}

// typed shows that a reply was typed; that is not stored.
func (s *session) typed(rt *runtime.Runtime, ev runtime.Event) {
	if m, ok := ev.Message.(events.ReplyTyped); ok {
		// After a closed pipe, the next run shows what is stored.
		_ = s.stdout.step(control.Stamp{Time: m.At}, rt.Called(m.Conversation), "typed", "")
	}
}

// obey turns the first signal into an ordered stop and the second into an
// immediate one.
func (s *session) obey(done context.Context, signals <-chan os.Signal, cancel, kill context.CancelFunc) {
	for n := 0; ; n++ {
		select {
		case <-done.Done():
			return
		case <-signals:
		}
		if n == 0 {
			s.stderr.printf("stopping; once more to stop at once\n")
			cancel()
		} else {
			kill()
		}
	}
}

// greet says what runs, and where to look.
func (s *session) greet(ctx context.Context, rt *runtime.Runtime, cfg config.Config) {
	status := rt.Inspect()
	s.stderr.printf("Kehai watches %s. Ctrl-C stops.\n", watchedNow(cfg, status))
	if !datadir.Encrypted(cfg) {
		s.stderr.printf("Note: %s. `kehai encrypt` does that while no Kehai runs.\n", notEncrypted)
	}
	if cfg.Debug.Text {
		s.stderr.printf("Note: debug.text is on: the log, which is written here, holds names and texts, and kehai " +
			"forget does not reach it.\n")
	}
	if status.Page == "" {
		return
	}
	keys, _ := rt.Backend().(control.PageBackend)
	if s.stderr.tty && keys != nil { // else a log or a journal, which others may read
		if address, err := keys.PageLink(ctx, ""); err == nil {
			s.stderr.printf("Live page, for ten minutes and once: %s\n", address)
			return
		}
	}
	s.stderr.printf("Live page: %s (`kehai page` prints an address that opens it)\n", withoutKey(status.Page))
}

// watchedNow names the watched windows and the paused ones.
func watchedNow(cfg config.Config, s control.Status) string {
	var names, paused []string
	for _, w := range cfg.Windows {
		id := messages.WindowID(w.Name + "@" + s.Node)
		switch {
		case slices.ContainsFunc(s.Paused, func(p control.Paused) bool { return p.Window == "" || p.Window == id }):
			paused = append(paused, w.Name)
		case w.Driver == "drawn":
			names = append(names, w.Name+" (a chat window that it draws itself)")
		default:
			names = append(names, w.Name)
		}
	}
	switch {
	case len(cfg.Windows) == 0:
		return "no window: none is configured"
	case len(names) == 0:
		return fmt.Sprintf("no window: %s paused, kehai resume goes on", are(paused))
	case len(paused) > 0:
		return fmt.Sprintf("%s; %s paused, kehai resume goes on", strings.Join(names, ", "), are(paused))
	}
	return strings.Join(names, ", ")
}

func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, ", ") + " are"
}

// printer shows the timeline as it grows, and for people also the progress of replies.
// After an error, such as a closed pipe, the next run shows them again.
func (s *session) printer(rt *runtime.Runtime) func(context.Context, runtime.Event) error {
	show := s.showEntry(s.asJSON)
	return func(_ context.Context, ev runtime.Event) error {
		if !s.asJSON {
			if err := s.stdout.reply(ev.Message, rt.Called); err != nil {
				return err
			}
		}
		e, ok := control.EntryOf(ev)
		if !ok {
			return nil
		}
		if e.Message != nil {
			atomic.AddInt64(&s.delivered, 1)
		}
		e.LoggedAs, e.Called = rt.LogName(e.Conversation), rt.Called(e.Conversation)
		return show(e)
	}
}
