package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/recording"
)

// recordBeside has a Kehai that runs record one of its windows.
type recordBeside struct {
	*app
	window, out string
	limit       int
	duration    time.Duration
}

func recordFlags(fl *pflag.FlagSet, limit *int, out *string) {
	fl.IntVar(limit, "limit", recording.DefaultLimit/1e6, "stop at `N` megabytes")
	fl.StringVar(out, "out", "", "write a new `FILE` (default: one below recordings in the data directory)")
}

// recording says what is being recorded.
func (t terminal) recording(r control.Recording) error {
	return t.printf("recording window %s since %s: %d of %d MB\n", strings.Join(r.Windows, ", "), r.Since, r.Bytes/1e6,
		r.Limit/1e6)
}

func (v *recordBeside) start() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "start --window NAME",
		Short: "Have the Kehai that runs record one of its windows",
		Long: `Has the Kehai that runs on the data directory record one of the windows that it
watches, until kehai record stop, --for, --limit, or its end. The live page and kehai
status say that it records. Such a recording begins in the middle: a replay, which
knows nothing of what was before, can decide otherwise about what its first pictures
show.`,
		Example: `  kehai record start --window line --for 10m
  kehai record status
  kehai record stop`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v.duration == 0 && cmd.Flags().Changed("for") {
				return badUsage("record: --limit and --for take positive values")
			}
			return v.asking(cmd, func(ctx context.Context, b *control.Client) error {
				r, err := v.begin(ctx, b)
				if err != nil {
					return err
				}
				return v.stdout.printf("%s gets what %s shows; kehai record stop ends it\n", r.Path,
					strings.Join(r.Windows, ", "))
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&v.window, "window", "", "which one: the `NAME` of a configured window")
	fl.DurationVar(&v.duration, "for", 0, "stop after `DURATION`")
	recordFlags(fl, &v.limit, &v.out)
	return cmd
}

func (v *recordBeside) stop() *cobra.Command {
	return &cobra.Command{
		Use:     "stop",
		Short:   "End what kehai record start began, and print its file",
		Example: "  kehai record stop",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return v.asking(cmd, v.end)
		},
	}
}

func (v *recordBeside) status() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Say what is being recorded",
		Example: "  kehai record status",
		Args:    cobra.NoArgs,
		RunE: v.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
			s, err := b.Status(ctx)
			if err != nil {
				return err
			}
			if s.Recording == nil {
				return v.stdout.printf("nothing is being recorded\n")
			}
			return v.stdout.recording(*s.Recording)
		}),
	}
}

// asking asks the Kehai that runs.
func (v *recordBeside) asking(cmd *cobra.Command, ask func(context.Context, *control.Client) error) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	client, err := control.Dial(ctx, cfg.Data)
	if errors.Is(err, control.ErrNotRunning) {
		return control.ErrIdle
	}
	if err != nil {
		return err
	}
	defer client.Close()
	return ask(ctx, client)
}

func (v *recordBeside) begin(ctx context.Context, b *control.Client) (r control.Recording, err error) {
	if v.limit <= 0 || v.duration < 0 {
		return r, badUsage("record: --limit and --for take positive values")
	}
	q := control.RecordQuery{Window: v.window, Limit: int64(v.limit) * 1e6, For: v.duration}
	if v.out != "" {
		if q.Path, err = filepath.Abs(v.out); err != nil {
			return r, err
		}
	}
	return b.StartRecording(ctx, q)
}

func (v *recordBeside) end(ctx context.Context, b *control.Client) error {
	r, err := b.StopRecording(ctx)
	if err != nil {
		return err
	}
	return v.stdout.printf("%s\n", r.Path)
}

// attend records until it has to stop, or nothing is recorded any more.
func (v *recordBeside) attend(ctx context.Context, b *control.Client) error {
	r, err := v.begin(ctx, b)
	if err != nil {
		return err
	}
	v.stderr.printf("The Kehai that runs records %s. Ctrl-C stops that.\n", strings.Join(r.Windows, ", "))
	wait, end := ctx, context.CancelFunc(func() {})
	if v.duration > 0 {
		wait, end = context.WithTimeout(ctx, v.duration)
	}
	defer end()
	for v.records(wait, b, r.Path) {
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
	defer stop()
	if s, err := b.Status(ctx); err == nil && s.Recording != nil && s.Recording.Path != r.Path {
		return v.stdout.printf("%s\n", r.Path) // that one is somebody else's
	}
	err = v.end(ctx, b)
	if errors.Is(err, control.ErrNotRecording) || gone(err) { // it has ended already
		return v.stdout.printf("%s\n", r.Path)
	}
	return err
}

// records waits a second, and reports whether that file still gets something.
func (v *recordBeside) records(ctx context.Context, b *control.Client, path string) bool {
	tick := time.NewTimer(time.Second)
	defer tick.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-tick.C:
	}
	s, err := b.Status(ctx)
	if err != nil {
		return !gone(err)
	}
	return s.Recording != nil && s.Recording.Path == path
}

// gone reports whether an error says that the Kehai that was asked has ended.
func gone(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED)
}

// besideRunning records by the Kehai that runs on the data directory, if one does.
func (v *recordVerb) besideRunning(cmd *cobra.Command, cfg config.Config) (done bool, err error) {
	client, err := control.Dial(cmd.Context(), cfg.Data)
	if errors.Is(err, control.ErrNotRunning) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	client.Close()
	var other []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "window", "for", "limit", "out":
		default:
			if cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil {
				other = append(other, "--"+f.Name)
			}
		}
	})
	if len(other) > 0 {
		return true, badUsage("record: a Kehai runs on this data directory, and its windows are set up already: "+
			"leave out %s, or record with another --data", strings.Join(other, ", "))
	}
	b := &recordBeside{app: v.app, window: v.window, out: v.out, limit: v.limit, duration: v.duration}
	return true, b.asking(cmd, b.attend)
}
