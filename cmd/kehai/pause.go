package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

func (a *app) pauseCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "pause [WINDOW|attention]",
		Short: "Stop watching, all windows, one, or the desk, until resume",
		Long: `Stops capturing a window, or all; "kehai pause attention" stops collecting and
judging what the camera and the use of the computer say of the person. It lasts
until kehai resume, also over restarts; kehai status and the live page show it.
What was captured before is still delivered.`,
		Example: `  kehai pause
  kehai pause line
  kehai pause attention`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			if err := b.Pause(ctx, first(args)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.stdout, "%s paused; kehai %s goes on\n", windowName(args), strings.Join(append([]string{"resume"}, args...), " "))
			return err
		}),
	}
}

func (a *app) resumeCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "resume [WINDOW|attention]",
		Short: "Watch again what was paused",
		Long: `Ends kehai pause, for one window, for all windows, or for attention. What was said
meanwhile and is still visible is read then.`,
		Example: `  kehai resume
  kehai resume line
  kehai resume attention`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			if err := b.Resume(ctx, first(args)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.stdout, "%s watched again\n", windowName(args))
			return err
		}),
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func windowName(args []string) string {
	if len(args) == 0 {
		return "all windows are"
	}
	if args[0] == control.Attention {
		return "attention is"
	}
	return "window " + args[0] + " is"
}
