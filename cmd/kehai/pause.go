package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

type pauseVerb struct{ *app }

func (v *pauseVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "pause [WINDOW|attention|sending]",
		Short: "Stop watching, all windows, one, or the desk, or sending, until resume",
		Long: `Stops capturing a window, or all; "kehai pause attention" stops collecting and
judging what the camera and the use of the computer say of the person; "kehai
pause sending" keeps every reply from being sent, which then waits. It lasts
until kehai resume, also over restarts; kehai status and the live page show it.
What was captured before is still delivered.`,
		Example: `  kehai pause
  kehai pause line
  kehai pause attention
  kehai pause sending`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.withStore(func(ctx context.Context, b control.Backend, args []string) error {
			if err := b.Pause(ctx, first(args)); err != nil {
				return err
			}
			if first(args) == control.Sending {
				return v.stdout.printf("no reply is sent; kehai resume sending goes on\n")
			}
			resume := strings.Join(append([]string{"kehai resume"}, args...), " ")
			return v.stdout.printf("%s paused; %s goes on\n", windowName(args), resume)
		}),
	}
}

type resumeVerb struct{ *app }

func (v *resumeVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "resume [WINDOW|attention|sending]",
		Short: "Watch again what was paused",
		Long: `Ends kehai pause, for one window, for all windows, for attention or for sending.
What was said meanwhile and is still visible is read then.`,
		Example: `  kehai resume
  kehai resume line
  kehai resume attention
  kehai resume sending`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			was, err := b.Status(ctx)
			if err != nil {
				return err
			}
			if err := b.Resume(ctx, first(args)); err != nil {
				return err
			}
			now, err := b.Status(ctx)
			if err != nil {
				return err
			}
			v.stdout.lines("", "", resumed(first(args), was, now))
			return nil
		}),
	}
}

// resumed says what goes on again, and what does not.
func resumed(name string, was, now control.Status) string {
	var lines []string
	if len(was.Paused) > len(now.Paused) {
		lines = append(lines, windowName([]string{name})+" watched again")
	}
	if was.AttentionPaused != nil && now.AttentionPaused == nil {
		lines = append(lines, windowName([]string{control.Attention})+" watched again")
	}
	if was.SendingPaused != nil && now.SendingPaused == nil {
		lines = append(lines, "replies are sent again")
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing of that was paused")
	}
	if len(now.Paused) > 0 {
		lines = append(lines, "other windows are still paused; kehai resume goes on with all")
	}
	if now.AttentionPaused != nil {
		lines = append(lines, "attention is still paused; kehai resume attention goes on")
	}
	if now.SendingPaused != nil {
		lines = append(lines, "no reply is sent still; kehai resume sending goes on")
	}
	return strings.Join(lines, "\n")
}

func windowName(args []string) string {
	switch first(args) {
	case "":
		return "all windows are"
	case control.Attention:
		return "attention is"
	}
	return "window " + args[0] + " is"
}
