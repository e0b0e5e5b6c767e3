package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// app is what the verbs share.
type app struct {
	stdout, stderr io.Writer
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

// withBackend makes a verb that asks the running Kehai, or the store if none
// runs.
func (a *app) withBackend(verb func(ctx context.Context, b control.Backend, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
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

// openPatience is how long a verb waits for a Kehai that is about to start or
// stop: it holds the store but does not answer.
const openPatience = 5 * time.Second

func (a *app) open(ctx context.Context, cfg config.Config) (control.Backend, func() error, error) {
	log := a.logger(cfg)
	log = log.Level(max(log.GetLevel(), zerolog.WarnLevel)) // what the store does is no news to who only asks
	for deadline := time.Now().Add(openPatience); ; {
		client, err := control.Dial(ctx, cfg.Data)
		if err == nil {
			return client, func() error { client.Close(); return nil }, nil
		}
		if !errors.Is(err, control.ErrNotRunning) {
			return nil, nil, err
		}
		offline, err := runtime.OpenOffline(cfg, append(a.extra[:len(a.extra):len(a.extra)], runtime.WithLogger(log))...)
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

// logger writes to standard error: for people on a terminal, else JSON.
func (a *app) logger(cfg config.Config) zerolog.Logger {
	level, err := zerolog.ParseLevel(cfg.Log.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	zerolog.TimeFieldFormat = "2006-01-02T15:04:05.000Z07:00"
	zerolog.TimestampFunc = func() time.Time { return time.Now().UTC() }
	out := a.stderr
	f, isFile := out.(*os.File)
	people := isFile && term.IsTerminal(int(f.Fd()))
	if cfg.Log.Format == "console" || cfg.Log.Format == "auto" && people {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05", NoColor: !people}
	}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}
