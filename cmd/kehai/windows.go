package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
)

type windowsVerb struct {
	*app
	asJSON bool
}

func (v *windowsVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "windows",
		Short: "List the windows that can be watched",
		Long: `Lists the windows on this desktop, topmost first, with what kehai watch calls
them by: a ref, the application, the title. A ref lasts as long as the window.`,
		Example: `  kehai windows
  kehai windows --json | jq -r .title
  kehai watch --window "title:Hana"`,
		Args: cobra.NoArgs,
		RunE: v.run,
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a window and line")
	return cmd
}

func (v *windowsVerb) run(cmd *cobra.Command, _ []string) (err error) {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	f, err := openFinder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	list, err := f.Windows(ctx)
	if err != nil {
		return err
	}
	defer showLimits(ctx, v.stderr)
	switch {
	case len(list) == 0:
		return v.stderr.printf("no windows are open\n")
	case v.asJSON:
		return windowsJSON(v.stdout, list)
	}
	return windowsTable(v.stdout, list)
}

// showLimits says why windows may be missing from the list, as doctor does.
func showLimits(ctx context.Context, out terminal) {
	for _, f := range systemFindings(ctx, wants{screen: true}) {
		if !f.ok && (f.need || f.what == "display") {
			out.printf("note: %s (%s)\n", f.text, f.mend)
		}
	}
}

// listedWindow is one line of kehai windows --json.
type listedWindow struct {
	Ref    string `json:"ref"`
	App    string `json:"app"`
	Title  string `json:"title"`
	PID    int    `json:"pid,omitempty"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func windowsJSON(out terminal, list []hardware.Window) error {
	var lines []listedWindow
	for _, w := range list {
		lines = append(lines,
			listedWindow{w.Ref, w.App, w.Title, w.PID, w.Box.Min.X, w.Box.Min.Y, w.Box.Dx(), w.Box.Dy()})
	}
	return encodeEach(out, lines)
}

func windowsTable(out terminal, list []hardware.Window) error {
	var t table
	t.row("REF", "APP", "SIZE", "TITLE")
	for _, w := range list {
		t.row(w.Ref, cmp.Or(w.App, "-"), fmt.Sprintf("%d×%d", w.Box.Dx(), w.Box.Dy()), w.Title)
	}
	return t.write(out)
}
