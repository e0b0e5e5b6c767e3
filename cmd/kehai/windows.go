package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
)

func (a *app) windowsCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "windows",
		Short: "List the windows that can be watched",
		Long: `Lists the windows on this desktop, topmost first, with what kehai watch calls
them by: a ref, the application, the title. A ref lasts as long as the window.`,
		Example: `  kehai windows
  kehai windows --json | jq -r .title
  kehai watch --window "title:Hana"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.windows(cmd, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a window and line")
	return cmd
}

func (a *app) windows(cmd *cobra.Command, asJSON bool) (err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
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
	defer a.showLimits(ctx)
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "no windows are open")
		return nil
	}
	if asJSON {
		return a.windowsJSON(list)
	}
	return a.windowsTable(list)
}

// showLimits says why windows may be missing from the list, as doctor does.
func (a *app) showLimits(ctx context.Context) {
	for _, f := range systemFindings(ctx, wants{screen: true}) {
		if !f.ok && (f.need || f.what == "display") {
			fmt.Fprintf(a.stderr, "note: %s (%s)\n", f.text, f.mend)
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

func (a *app) windowsJSON(list []hardware.Window) error {
	out := json.NewEncoder(a.stdout)
	for _, w := range list {
		one := listedWindow{w.Ref, w.App, w.Title, w.PID, w.Box.Min.X, w.Box.Min.Y, w.Box.Dx(), w.Box.Dy()}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) windowsTable(list []hardware.Window) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "REF\tAPP\tSIZE\tTITLE")
	for _, w := range list {
		fmt.Fprintf(t, "%s\t%s\t%d×%d\t%s\n", clean(w.Ref), cmp.Or(clean(w.App), "-"), w.Box.Dx(), w.Box.Dy(), clean(w.Title))
	}
	return t.Flush()
}
