package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	runFlags
	window, layout, driver, structure, ocr, name, chat string
}

func (a *app) watchCmd() *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch --window QUERY",
		Short: "Watch one window of this desktop",
		Long: `Watches one window and prints each message once, like run with that one window in
its configuration. The window may be covered by others, not minimised.

QUERY finds the window: text that stands in its title or in the name of its
application, title:TEXT or app:TEXT to look in one of them alone, or a ref from
kehai windows. It is looked for again all the time: a window that was closed and
opened again is found again.`,
		Example: `  kehai windows
  kehai watch --window LINE
  kehai watch --window "title:Hana" --layout generic --json
  kehai watch --window app:Slack --layout slack.yaml --for 1h`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.watch(cmd, f) },
	}
	f.runFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.window, "window", "", "what the window is called: `QUERY`")
	fl.StringVar(&f.layout, "layout", "line", "how it looks: line, generic, or a `LAYOUT` file from kehai layout calibrate")
	fl.StringVar(&f.driver, "driver", native.name, "who captures it: `DRIVER`")
	fl.StringVar(&f.structure, "structure", "", "also count rows in the window's accessibility tree: `DRIVER` "+native.structure)
	fl.StringVar(&f.ocr, "ocr", "", "who reads: `ENGINE` (default: the configuration's)")
	fl.StringVar(&f.name, "name", "", "what is stored about the window is kept under `NAME` (default: made from QUERY)")
	fl.StringVar(&f.chat, "app", "", "conversations are called `APP`:person (default: the layout's name)")
	return cmd
}

func (a *app) watch(cmd *cobra.Command, f watchFlags) error {
	if strings.TrimSpace(f.window) == "" {
		return badUsage("watch: --window says which window; `kehai windows` lists them")
	}
	if f.driver == "drawn" {
		return badUsage("watch: a drawn window is no window of this desktop: see `kehai run --help`")
	}
	if err := f.runFlags.check(cmd); err != nil {
		return err
	}
	cfg, err := a.load(f.runFlags.apply, f.apply)
	if err != nil {
		return err
	}
	if f.driver == native.name {
		if err := a.expectWindow(cmd.Context(), f.window); err != nil {
			return err
		}
	}
	return a.runWith(cmd, f.runFlags, cfg)
}

// expectWindow finds the window before anything begins: a mistyped query would
// wait for ever.
func (a *app) expectWindow(ctx context.Context, query string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	_, err := findWindow(ctx, query)
	var several *ambiguousError
	if errors.As(err, &several) {
		fmt.Fprintf(a.stderr, "kehai: %d windows match; say more, or give a ref:\n", len(several.found))
		fresh := &app{stdout: a.stderr}
		if err := fresh.windowsTable(several.found); err != nil {
			return err
		}
		return errReported
	}
	if errors.Is(err, hardware.ErrWindowGone) {
		a.showLimits(ctx)
	}
	return err
}

// apply makes the window the only one.
func (f watchFlags) apply(cfg *config.Config) error {
	cfg.Windows = []config.Window{config.DefaultWindow(cmp.Or(f.name, slug(f.window), "window"))}
	chat := f.chat
	if chat == "" {
		chat = cmp.Or(slug(strings.TrimSuffix(filepath.Base(f.layout), filepath.Ext(f.layout))), "chat")
	}
	for _, set := range []struct{ flag, key, value string }{
		{"--window", "windows.0.ref", f.window},
		{"--layout", "windows.0.layout", f.layout},
		{"--driver", "windows.0.driver", f.driver},
		{"--structure", "windows.0.structure", f.structure},
		{"--app", "windows.0.app", chat},
		{"--ocr", "ocr.engine", f.ocr},
	} {
		if set.value == "" {
			continue
		}
		if err := cfg.SetFlag(set.flag, set.key, set.value); err != nil {
			return err
		}
	}
	return nil
}

// slug makes a name of what a person typed, "" where nothing of it can be in one.
func slug(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(fold(s), "title:"), "app:")
	var b strings.Builder
	for _, r := range s {
		switch {
		case b.Len() == 32:
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
