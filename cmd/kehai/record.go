package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/recording"
)

type recordVerb struct {
	watchVerb
	limit int
	out   string
}

func (v *recordVerb) command() *cobra.Command {
	cmd := v.watchVerb.command()
	cmd.Use, cmd.Short = "record --window WINDOW", "Watch one window, and keep what was seen and read for a replay"
	cmd.Long = `Watches one window like kehai watch and keeps what drivers and models gave: pictures
as differences, what was read in them, accessibility trees, counts of input,
answers of a model, and what was decided. kehai replay plays it again in virtual
time and says what is decided otherwise, with other settings or another version.
The live page and kehai status say that it records.

WINDOW is the name of a configured window, or a QUERY as kehai watch --help explains
it. No other window is watched meanwhile. Where a Kehai runs on the data directory
already, that one records, and WINDOW is the name of one of its windows; record start,
stop and status do the same without waiting. Of conversations that read.only leaves
out nothing is kept.

The file is sealed with the keys of the data directory, each moment with that of the
conversation then shown: kehai forget makes what showed that conversation useless,
also in copies. A list beside it can show the beginning of others' messages: so the
pictures, and what was read in them, are lost whenever any conversation is forgotten.
What was decided about others is kept. At --limit it stops. A recording begins with
what Kehai knows, a replay with nothing: take a new data directory (--data) for one
that replays without a difference.

record export --redact writes a recording that can be shown to others.`
	cmd.Example = `  kehai record --window LINE --for 1h
  kehai record --window line --for 10m --data trial --out chat.flight
  kehai replay chat.flight --data trial
  kehai replay chat.flight --data trial --set burst.quiet=5s`
	cmd.RunE = v.run
	beside := &recordBeside{app: v.app}
	cmd.AddCommand((&recordExport{app: v.app}).command(), beside.start(), beside.stop(), beside.status())
	recordFlags(cmd.Flags(), &v.limit, &v.out)
	return cmd
}

func (v *recordVerb) run(cmd *cobra.Command, _ []string) error {
	cfg, configured, err := v.choose(cmd)
	if err != nil {
		return err
	}
	if done, err := v.besideRunning(cmd, cfg); done {
		return err
	}
	if !configured && v.driver == native.name {
		if err := v.expectWindow(cmd.Context()); err != nil {
			return err
		}
	}
	path, err := v.file(cfg)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	rec, err := recording.New(recording.Options{Path: path, Windows: []string{cfg.Windows[0].Name},
		Limit: int64(v.limit) * 1e6, Version: version, Full: stop})
	if err != nil {
		return err
	}
	v.extra = append(slices.Clip(v.extra), runtime.WithRecorder(rec))
	cmd.SetContext(ctx)
	err = v.watch(cmd, cfg)
	state := rec.State()
	if bad := rec.Close(); bad != nil && err == nil {
		err = bad
	}
	if state.Bytes == 0 { // nothing began
		return err
	}
	if state.Full {
		v.stderr.printf("kehai: the recording has reached %d MB and ends\n", v.limit)
	}
	v.stdout.printf("%s\n", path)
	return err
}

// file is where the recording goes.
func (v *recordVerb) file(cfg config.Config) (string, error) {
	if v.out != "" {
		return v.out, nil
	}
	return admin.RecordingPath(cfg, time.Now())
}

// choose makes the configuration of the one window.
func (v *recordVerb) choose(cmd *cobra.Command) (cfg config.Config, configured bool, err error) {
	if v.limit <= 0 {
		return cfg, false, badUsage("record: --limit takes a positive number of megabytes")
	}
	if strings.TrimSpace(v.window) == "" {
		return cfg, false, badUsage("record: --window says which window; `kehai windows` lists those of this desktop")
	}
	cfg, err = v.configure(cmd, func(cfg *config.Config) error {
		i := slices.IndexFunc(cfg.Windows, func(w config.Window) bool { return w.Name == v.window })
		if configured = i >= 0; !configured {
			return v.apply(cfg)
		}
		cfg.Windows = cfg.Windows[i : i+1 : i+1]
		return nil
	})
	return cfg, configured, err
}
