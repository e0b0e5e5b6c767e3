package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
)

type watchVerb struct {
	session
	window, layout, driver, structure, ocr, name, chat string
}

func (v *watchVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch --window QUERY",
		Short: "Watch one window of this desktop",
		Long: `Watches one window and prints each message once, like run with that one window in
its configuration. Other windows may cover it, on a Mac not wholly: some applications,
LINE among them, draw nothing while they are covered. Nothing is read while it is
minimised, hidden, on another desktop, or behind an application that fills the screen;
what came meanwhile and still shows is read afterwards.

QUERY finds the window: text that stands in its title or in the name of its
application, title:TEXT or app:TEXT to look in one of them alone, or a ref from
kehai windows. It is looked for again all the time: a window that was closed and
opened again is found again.

In a conversation that was never seen before, what came after your last own message
counts as new and is printed; the rest is taken in as history. dedup.first_sight in the
configuration changes that to all or none.`,
		Example: `  kehai windows
  kehai watch --window LINE
  kehai watch --window "title:Hana" --json
  kehai watch --window app:Slack --layout slack.yaml --for 1h`,
		Args: cobra.NoArgs,
		RunE: v.run,
	}
	v.addFlags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&v.window, "window", "", "what the window is called: `QUERY`")
	fl.StringVar(&v.layout, "layout", "auto",
		"how it looks: auto (found by itself), line, generic, or a `LAYOUT` file from kehai layout")
	fl.StringVar(&v.driver, "driver", native.name, "who captures it: `DRIVER`")
	fl.StringVar(&v.structure, "structure", "",
		"also count rows in the window's accessibility tree: `DRIVER` "+native.structure)
	fl.StringVar(&v.ocr, "ocr", "", "who reads: `ENGINE` (default: the configuration's)")
	fl.StringVar(&v.name, "name", "",
		"what is stored about the window is kept under `NAME` (default: made from QUERY)")
	fl.StringVar(&v.chat, "app", "",
		"conversations are called `APP`:person (default: the name of the layout or of its file; "+
			"with auto the application that QUERY names)")
	return cmd
}

func (v *watchVerb) run(cmd *cobra.Command, _ []string) error {
	if strings.TrimSpace(v.window) == "" {
		return badUsage("watch: --window says which window; `kehai windows` lists them")
	}
	if v.driver == "drawn" {
		return badUsage("watch: a drawn window is no window of this desktop: see `kehai run --help`")
	}
	cfg, err := v.configure(cmd, v.apply)
	if err != nil {
		return err
	}
	if v.driver == native.name {
		if err := v.expectWindow(cmd.Context()); err != nil {
			return err
		}
	}
	return v.watch(cmd, cfg)
}

// expectWindow finds the window before anything begins, because a mistyped query would
// wait for ever.
func (v *watchVerb) expectWindow(ctx context.Context) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	_, err := findWindow(ctx, v.window)
	var several *ambiguousError
	if errors.As(err, &several) {
		v.stderr.printf("kehai: %d windows match; say more, or give a ref:\n", len(several.found))
		return errors.Join(errReported, windowsTable(v.stderr, several.found))
	}
	if errors.Is(err, hardware.ErrWindowGone) {
		showLimits(ctx, v.stderr)
	}
	return err
}

// apply makes this window the only one.
func (v *watchVerb) apply(cfg *config.Config) error {
	cfg.Windows = []config.Window{config.DefaultWindow(cmp.Or(v.name, slug(v.window), "window"))}
	for _, set := range []struct{ flag, key, value string }{
		{"--window", "windows.0.ref", v.window},
		{"--layout", "windows.0.layout", v.layout},
		{"--driver", "windows.0.driver", v.driver},
		{"--structure", "windows.0.structure", v.structure},
		{"--app", "windows.0.app", cmp.Or(v.chat, v.appName(), "chat")},
		{"--ocr", "ocr.engine", v.ocr},
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

// appName is what conversations are called after if nobody says it: the layout, or with
// one that fits any application what the query calls it.
func (v *watchVerb) appName() string {
	if v.layout != "auto" {
		return slug(strings.TrimSuffix(filepath.Base(v.layout), filepath.Ext(v.layout)))
	}
	if strings.HasPrefix(fold(v.window), "title:") || isRef(v.window) {
		return ""
	}
	return slug(v.window)
}

// slug makes a name from a person's text, "" if no character is usable.
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
