package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

func (a *app) pauseCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "pause [WINDOW]",
		Short: "Stop watching, all windows or one, until resume",
		Long: `Stops capturing a window, or all. It lasts until kehai resume, also over restarts;
kehai status and the live page show it. What was captured before is still
delivered.`,
		Example: `  kehai pause
  kehai pause line`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			if err := b.Pause(ctx, first(args)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.stdout, "%s paused; kehai resume goes on\n", windowName(args))
			return err
		}),
	}
}

func (a *app) resumeCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "resume [WINDOW]",
		Short: "Watch again what was paused",
		Long: `Ends kehai pause, for one window or for all. What was said meanwhile and is still
visible is read then.`,
		Example: `  kehai resume
  kehai resume line`,
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
	return "window " + args[0] + " is"
}
