package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/attention"
	"github.com/kehai-run/kehai/runtime/control"
)

// withFocus makes a verb that asks about attention.
func (a *app) withFocus(
	verb func(ctx context.Context, b control.FocusBackend, args []string) error,
) func(*cobra.Command, []string) error {
	return a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
		f, ok := b.(control.FocusBackend)
		if !ok {
			return errors.New("focus: the running Kehai does not know about attention: restart it in this version")
		}
		return verb(ctx, f, args)
	})
}

// focusChanges reads the stored changes. If no Kehai runs, the last change does not hold
// until now.
func focusChanges(ctx context.Context, b control.FocusBackend, now time.Time) (list []control.FocusChange, err error) {
	desks, err := b.FocusDesks(ctx)
	if err != nil {
		return nil, err
	}
	err = b.FocusChanges(ctx, func(c control.FocusChange) error {
		list = append(list, c)
		return nil
	})
	return attention.EndUnseen(list, desks, now), err
}

type focusStatus struct {
	*app
	asJSON bool
}

func (v *focusStatus) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show the present state of each desk",
		Example: "  kehai focus status",
		Args:    cobra.NoArgs,
		RunE:    v.withFocus(v.run),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a desk and line")
	return cmd
}

func (v *focusStatus) run(ctx context.Context, b control.FocusBackend, _ []string) error {
	desks, err := b.FocusDesks(ctx)
	switch {
	case err != nil:
		return err
	case v.asJSON:
		return encodeEach(v.stdout, desks)
	case len(desks) == 0:
		return control.ErrNoDesk
	}
	var t table
	t.row("DESK", "STATE", "CONFIDENCE", "BY", "SINCE", "SEEN", "NOTICES", "WHY")
	for _, d := range desks {
		notices := "on"
		if d.Paused && d.PausedUntil != nil {
			notices = "paused until " + d.PausedUntil.String()
		} else if d.Paused {
			notices = "paused"
		}
		t.row(d.Desk, d.State, fmt.Sprintf("%.2f", d.Confidence), d.Source, d.Since, d.SeenAt, notices, d.Reasoning)
	}
	return t.write(v.stdout)
}

type focusDay struct {
	*app
	asJSON bool
}

func (v *focusDay) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "day [DATE]",
		Short: "Sum up a day: how long each state held, and in which hours",
		Example: `  kehai focus day
  kehai focus day 2026-01-31 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.withFocus(v.run),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a desk and line")
	return cmd
}

func (v *focusDay) run(ctx context.Context, b control.FocusBackend, args []string) error {
	now := time.Now()
	day := now
	if len(args) == 1 {
		var err error
		if day, err = time.ParseInLocation(time.DateOnly, args[0], time.Local); err != nil {
			return badUsage("day %q: want a date such as 2026-01-31", args[0])
		}
	}
	changes, err := focusChanges(ctx, b, now)
	if err != nil {
		return err
	}
	days := attention.Days(changes, day, now)
	if v.asJSON {
		return encodeEach(v.stdout, days)
	}
	if len(days) == 0 {
		v.stderr.printf("nothing is known of that day\n")
	}
	for _, d := range days {
		if err := v.stdout.day(d); err != nil {
			return err
		}
	}
	return nil
}

// focusMarks draw the cells of an hour.
var focusMarks = map[messages.Attention]rune{
	messages.Focused: '█', messages.Distracted: '▒', messages.Drowsy: 'z',
	messages.Idle: '·', messages.Away: '-', messages.Unknown: ' ',
}

func (t terminal) day(d attention.Day) error {
	t.printf("%s on %s\n", d.Desk, d.From.Format(time.DateOnly))
	var sums table
	sums.row("STATE", "TIME", "TIMES", "LONGEST")
	for _, s := range d.Sums {
		sums.row(s.State, hoursMinutes(s.Seconds), s.Spans, hoursMinutes(s.LongestSeconds))
	}
	if err := sums.write(t); err != nil {
		return err
	}
	for _, h := range d.Hours {
		if len(h.Seconds) == 0 {
			continue
		}
		var bar strings.Builder
		for _, state := range h.Cells {
			mark, known := focusMarks[state]
			if !known {
				mark = ' '
			}
			bar.WriteRune(mark)
		}
		t.printf("%s %s\n", h.Start.Local().Format("15:04"), strings.TrimRight(bar.String(), " "))
	}
	return t.printf("█ focused  ▒ distracted  z drowsy  · idle  - away\n")
}

func hoursMinutes(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Minute)
	return fmt.Sprintf("%d:%02d", int(d.Hours()), int(d.Minutes())%60)
}

type focusExport struct {
	*app
	asCSV, asWatch bool
	since          string
}

func (v *focusExport) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export --csv|--activitywatch",
		Short: "Write the history of attention for other programs",
		Long: `Writes how long each state held, as CSV or as a bucket that ActivityWatch imports.
A state ends when the desk was last watched, so that time in which no Kehai ran is
no time of focus.

ActivityWatch may refuse a bucket that it already has, and does not merge two:
before a second import delete its bucket kehai-focus_DESK (under Raw Data), and
import the whole history again.`,
		Example: `  kehai focus export --csv --since 168h > focus.csv
  kehai focus export --activitywatch > bucket.json`,
		Args: cobra.NoArgs,
		RunE: v.withFocus(v.run),
	}
	fl := cmd.Flags()
	fl.BoolVar(&v.asCSV, "csv", false, "one line a span of time, with a heading")
	fl.BoolVar(&v.asWatch, "activitywatch", false, "a file that ActivityWatch imports")
	fl.StringVar(&v.since, "since", "",
		"only what came after `TIME`: RFC 3339, or a duration back from now such as 168h")
	return cmd
}

func (v *focusExport) run(ctx context.Context, b control.FocusBackend, _ []string) error {
	if v.asCSV == v.asWatch {
		return badUsage("export: want --csv or --activitywatch")
	}
	now := time.Now()
	from, err := parseSince(v.since, now)
	if err != nil {
		return err
	}
	changes, err := focusChanges(ctx, b, now)
	if err != nil {
		return err
	}
	spans := attention.Spans(changes, from, now)
	if v.asCSV {
		return attention.WriteCSV(v.stdout, spans)
	}
	return attention.WriteActivityWatch(v.stdout, spans)
}

type focusPause struct{ *app }

func (v *focusPause) command() *cobra.Command {
	return &cobra.Command{
		Use:   "pause [DURATION]",
		Short: "Give no notices, for a time or until resume",
		Long: `Gives no notices, for a time or until kehai focus resume. Attention is judged and
stored as before. To have nothing collected and judged, use kehai pause attention.`,
		Example: `  kehai focus pause 45m
  kehai focus pause`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.withFocus(func(ctx context.Context, b control.FocusBackend, args []string) error {
			var until time.Time
			if len(args) == 1 {
				d, err := time.ParseDuration(args[0])
				if err != nil || d <= 0 {
					return badUsage("pause %q: want a duration such as 45m", args[0])
				}
				until = time.Now().Add(d)
			}
			return b.PauseNotices(ctx, until)
		}),
	}
}

type focusResume struct{ *app }

func (v *focusResume) command() *cobra.Command {
	return &cobra.Command{
		Use:     "resume",
		Short:   "Give notices again",
		Example: "  kehai focus resume",
		Args:    cobra.NoArgs,
		RunE: v.withFocus(func(ctx context.Context, b control.FocusBackend, _ []string) error {
			return b.ResumeNotices(ctx)
		}),
	}
}
