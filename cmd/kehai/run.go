package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// gcPercent is how much the heap may grow before it is collected.
const gcPercent = 40

// runFlags are the flags of every verb that watches windows.
type runFlags struct {
	duration time.Duration
	asJSON   bool
	noWeb    bool
}

// scriptFlags are the flags of run.
type scriptFlags struct {
	runFlags
	script string
	speed  float64
}

func (a *app) runCmd() *cobra.Command {
	var f scriptFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Watch the windows and show each message once as it arrives",
		Long: `Watches the configured windows until Ctrl-C and prints each message once. Without
a configuration it watches a chat window that it draws itself, in which a
scripted friend writes. Started again, it goes on where it was. A script may also
have Kehai send something, forget its last look, restart, or crash: then what was
not stored is gone, and all of it starts again in this process.

A message that its sender edits or takes back after that is shown as changed; with
--json that is a line of its own, {"event":"message_changed","kind":"edited" or
"unsent","message":ID,"old":…,"new":…}, which no delivered message has.

A first Ctrl-C stops in order: what is under way is finished and stored. A second
one stops at once; nothing is lost either way.`,
		Example: `  kehai run
  kehai run --for 30s --json | jq .text
  kehai run --script chat.jsonl --speed 10 --no-web --data trial`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd, f) },
	}
	f.runFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.script, "script", "", "what the drawn window shows: a `FILE` in JSON Lines")
	fl.Float64Var(&f.speed, "speed", 0, "divide the script's waits by `N`")
	return cmd
}

// add gives a verb these flags.
func (f *runFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.DurationVar(&f.duration, "for", 0, "stop in order after `DURATION`, and exit with 0")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object a message and line")
	fl.BoolVar(&f.noWeb, "no-web", false, "no live page")
}

// check refuses what no run can do.
func (f runFlags) check(cmd *cobra.Command) error {
	if f.duration < 0 {
		return badUsage("%s: --for takes a positive value", cmd.Name())
	}
	return nil
}

func (a *app) run(cmd *cobra.Command, f scriptFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("speed") && !(f.speed > 0) {
		return badUsage("run: --speed takes a positive value")
	}
	cfg, err := a.load(f.runFlags.apply, f.apply)
	if err != nil {
		return err
	}
	return a.runWith(cmd, f.runFlags, cfg)
}

// runWith runs a configuration until it is told to stop, through the lives that
// its script wants.
func (a *app) runWith(cmd *cobra.Command, f runFlags, cfg config.Config) error {
	if os.Getenv("GOGC") == "" {
		// It mostly waits: memory is dearer than processor time here.
		debug.SetGCPercent(gcPercent)
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	abort, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go a.obey(abort, signals, cancel, kill)
	if f.duration > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.duration)
		defer stop()
	}
	for {
		again, err := a.live(ctx, abort, f, cfg)
		var left *runtime.Unfinished
		switch {
		case errors.As(err, &left) && again && ctx.Err() == nil: // it goes on in the next life
		case errors.As(err, &left):
			fmt.Fprintf(a.stderr, "kehai: %v\n", left)
			return errReported
		case err != nil || !again || ctx.Err() != nil:
			return err
		}
	}
}

// live is one life of a runtime. Again says that the script wants another one.
func (a *app) live(ctx, abort context.Context, f runFlags, cfg config.Config) (again bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	abort, kill := context.WithCancel(abort)
	defer kill()
	ends := make(chan bool, 1)
	log := a.logger(cfg)
	opts := append([]runtime.Option{
		runtime.WithVersion(version), runtime.WithLogger(log), runtime.WithEventLog(log),
		runtime.WithLives(func(crash bool) {
			select {
			case ends <- crash:
			default: // it ends already
			}
		}),
	}, a.extra...)
	rt, err := runtime.New(cfg, opts...)
	if err != nil {
		return false, err
	}
	if err := rt.Subscribe("terminal", a.printer(rt, f.asJSON)); err != nil {
		return false, err
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-rt.Ready():
			if !errors.Is(rt.Healthy(), runtime.ErrNotRunning) { // else RunUntil says why
				a.greet(rt, cfg)
			}
		case <-abort.Done():
		}
	})
	watch.Go(func() {
		select {
		case crash := <-ends:
			again = true
			if crash {
				fmt.Fprintln(a.stderr, "The script kills Kehai; it starts again.")
				kill()
			} else {
				fmt.Fprintln(a.stderr, "The script restarts Kehai.")
			}
			stop()
		case <-ctx.Done():
		}
	})
	err = rt.RunUntil(ctx, abort)
	stop()
	kill()
	watch.Wait()
	return again, err
}

// apply sets what the flags say. The page is on and the log is short unless
// something says otherwise.
func (f runFlags) apply(cfg *config.Config) error {
	if !cfg.IsSet("web.enabled") {
		cfg.Web.Enabled = true
	}
	if !cfg.IsSet("log.level") {
		cfg.Log.Level = "warn" // a person reads the messages here
	}
	if f.noWeb {
		return cfg.SetFlag("--no-web", "web.enabled", "false")
	}
	return nil
}

// apply sets what drawn windows play.
func (f scriptFlags) apply(cfg *config.Config) error {
	for i := range cfg.Windows {
		if f.script != "" {
			if err := cfg.SetFlag("--script", fmt.Sprintf("windows.%d.script", i), f.script); err != nil {
				return err
			}
		}
		if f.speed > 0 {
			if err := cfg.SetFlag("--speed", fmt.Sprintf("windows.%d.speed", i), fmt.Sprint(f.speed)); err != nil {
				return err
			}
		}
	}
	return nil
}

// obey turns the first signal into an ordered stop and the second into an
// immediate one.
func (a *app) obey(done context.Context, signals <-chan os.Signal, cancel, kill context.CancelFunc) {
	for n := 0; ; n++ {
		select {
		case <-done.Done():
			return
		case <-signals:
		}
		if n == 0 {
			fmt.Fprintln(a.stderr, "stopping; once more to stop at once")
			cancel()
		} else {
			kill()
		}
	}
}

// greet says what runs, and where to look.
func (a *app) greet(rt *runtime.Runtime, cfg config.Config) {
	s := rt.Inspect()
	fmt.Fprintf(a.stderr, "Kehai watches %s. Ctrl-C stops.\n", watchedNow(cfg, s))
	if s.Page != "" {
		fmt.Fprintf(a.stderr, "Live page: %s\n", s.Page)
	}
}

// watchedNow names the windows that are watched, and those that are paused.
func watchedNow(cfg config.Config, s control.Status) string {
	var names, paused []string
	for _, w := range cfg.Windows {
		id := messages.WindowID(w.Name + "@" + s.Node)
		if slices.ContainsFunc(s.Paused, func(p control.Paused) bool { return p.Window == "" || p.Window == id }) {
			paused = append(paused, w.Name)
		} else {
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

// printer shows delivered messages and what becomes of them; an error, such as a closed pipe, keeps them
// for the next run.
func (a *app) printer(rt *runtime.Runtime, asJSON bool) func(context.Context, runtime.Event) error {
	term := newTerminal(a.stdout)
	show, change := term.message, term.change
	if asJSON {
		show = json.NewEncoder(a.stdout).Encode
		change = show
	}
	return func(_ context.Context, ev runtime.Event) error {
		if c, ok := ev.Message.(messages.MessageChanged); ok {
			return change(control.NewChange(c))
		}
		d, ok := ev.Message.(messages.MessageDelivered)
		if !ok {
			return nil
		}
		m := control.NewMessage(ev.Seq, d)
		m.LoggedAs = rt.LogName(d.Conversation)
		return show(m)
	}
}
