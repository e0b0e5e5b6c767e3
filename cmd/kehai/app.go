package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

// app is shared by all verbs. Each verb embeds it beside its own flags.
type app struct {
	stdout, stderr terminal
	extra          []runtime.Option
	data, config   string // flags of every verb
}

// load reads the effective configuration: defaults, then the file, then the
// environment, then flags.
func (a *app) load(flags ...func(*config.Config) error) (config.Config, error) {
	path := a.config
	if path == "" {
		path = os.Getenv("KEHAI_CONFIG")
	}
	cfg := config.Default()
	var err error
	if path != "" {
		cfg, err = config.Load(path)
	}
	if err == nil {
		err = cfg.ApplyEnv(os.Environ())
	}
	if err == nil && a.data != "" {
		err = cfg.SetFlag("--data", "data", a.data)
	}
	for _, set := range flags {
		if err == nil {
			err = set(&cfg)
		}
	}
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return cfg, &usageError{err}
	}
	return cfg, nil
}

// asking is the work of a verb on the running Kehai, or on the store.
type asking func(ctx context.Context, b control.Backend, args []string) error

// withBackend makes a verb that asks the running Kehai, or the store if none runs. It
// fails if there is no store.
func (a *app) withBackend(verb asking) func(*cobra.Command, []string) error {
	ask := a.withStore(verb)
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := a.load()
		if err != nil {
			return err
		}
		if err := stored(cfg.Data); err != nil {
			return err
		}
		return ask(cmd, args)
	}
}

// withStore is withBackend for verbs that people may want before the first run: it makes
// the store.
func (a *app) withStore(verb asking) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		cfg, err := a.load()
		if err != nil {
			return err
		}
		b, closeBackend, err := a.open(ctx, cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeBackend()) }()
		return verb(ctx, b, args)
	}
}

// openTimeout is how long a verb waits for a Kehai that is starting or stopping: it holds
// the store but does not answer.
const openTimeout = 5 * time.Second

func (a *app) open(ctx context.Context, cfg config.Config) (control.Backend, func() error, error) {
	log := a.quiet(cfg)
	for deadline := time.Now().Add(openTimeout); ; {
		client, err := control.Dial(ctx, cfg.Data)
		if err == nil {
			return client, func() error { client.Close(); return nil }, nil
		}
		if !errors.Is(err, control.ErrNotRunning) {
			return nil, nil, err
		}
		offline, err := runtime.OpenOffline(cfg, append(slices.Clip(a.extra), runtime.WithLogger(log))...)
		if err == nil {
			return offline, offline.Close, nil
		}
		if !errors.Is(err, engine.ErrInUse) || time.Now().After(deadline) {
			return nil, nil, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stored is nil if a data directory has a store: questions do not make one.
func stored(data string) error {
	switch _, err := os.Stat(filepath.Join(data, "store")); {
	case errors.Is(err, fs.ErrNotExist) && !datadir.Unsettled(data):
		return fmt.Errorf("no data directory at %s: run `kehai run` first, or give --data DIR", data)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// logger writes to standard error: for people on a terminal, else JSON.
func (a *app) logger(cfg config.Config) zerolog.Logger {
	level, err := zerolog.ParseLevel(cfg.Log.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	zerolog.TimeFieldFormat = "2006-01-02T15:04:05.000Z07:00"
	zerolog.TimestampFunc = func() time.Time { return time.Now().UTC() }
	out := a.stderr.Writer
	if cfg.Log.Format == "console" || cfg.Log.Format == "auto" && a.stderr.tty {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05", NoColor: !a.stderr.tty}
	}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}

// quiet is the logger of a verb that does not report on the store.
func (a *app) quiet(cfg config.Config) zerolog.Logger {
	log := a.logger(cfg)
	return log.Level(max(log.GetLevel(), zerolog.WarnLevel))
}

// interruptible ends with the first signal.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// encodeEach writes one JSON object a line.
func encodeEach[T any](t terminal, list []T) error {
	out := t.json()
	for _, v := range list {
		if err := out.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// printList prints a list as JSON, one object per line, or as the table made by fill. If
// it is empty, it says so on standard error.
func printList[T any](a *app, asJSON bool, list []T, none string, fill func(t *table) error) error {
	switch {
	case asJSON:
		return encodeEach(a.stdout, list)
	case len(list) == 0:
		return a.stderr.printf("%s\n", none)
	}
	var t table
	if err := fill(&t); err != nil {
		return err
	}
	return t.write(a.stdout)
}

// shut ends a list: it says on standard error how many conversations it leaves out because no key opens them, and
// fails if nothing else was listed. err is how the list itself has ended.
func (a *app) shut(ctx context.Context, of any, listed int, err error) error {
	b, ok := of.(control.ShutBackend)
	none := new(nothingStored)
	if !ok || err != nil && !errors.Is(err, control.ErrNoConversation) && !errors.Is(err, control.ErrNoMessage) &&
		!errors.As(err, &none) {
		return err
	}
	shut, bad := b.Shut(ctx)
	if bad != nil {
		return errors.Join(err, bad)
	}
	if shut.Conversations == 0 {
		return err
	}
	said := a.stderr.printf("%s cannot be read: %s; kehai doctor looks at all keys\n",
		count(shut.Conversations, "conversation"), withoutPackage(shut.Why))
	if err == nil && listed == 0 {
		err = errReported
	}
	return cmp.Or(err, said)
}

// openInput opens a file, or standard input for "-".
func openInput(cmd *cobra.Command, what, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return f, nil
}

// maxGiven bounds a text that somebody looks for, in bytes.
const maxGiven = 64 << 10

// given is a text on the command line, or for "-" what comes in: no list of processes shows that.
func given(cmd *cobra.Command, text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	raw, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxGiven))
	if text = strings.TrimSpace(string(raw)); err == nil && text == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fmt.Errorf("read the text from the standard input: %w", err)
	}
	return text, nil
}

// withText gives a verb the text that its first argument stands for.
func (a *app) withText(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return run(cmd, args)
		}
		text, err := given(cmd, args[0])
		if err != nil {
			return err
		}
		return run(cmd, append([]string{text}, args[1:]...))
	}
}

// first is the first argument, "" without any.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
