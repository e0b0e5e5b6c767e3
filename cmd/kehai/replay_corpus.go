package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/kehai-run/kehai/testkit/replay"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// interruptible ends with the first signal.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// replayCorpus prints a row for each profile and reader. Without --profile and
// --ocr that is both profiles, each with perfect, noisy and real OCR.
func (a *app) replayCorpus(cmd *cobra.Command, f replayFlags, args []string) error {
	if len(args) > 0 || f.messages < 1 || f.messages > 1e6 || f.asJSON {
		return badUsage("replay --corpus: want --messages from 1 to 1000000, no file and no --json")
	}
	cases := corpus.Cases(f.messages, f.seed)
	if f.write != "" {
		return writeCases(cases, f.write)
	}
	profiles, engines := []string{"default", "seed"}, []string{"perfect", "noisy=0.03", "real"}
	if f.profile != "" {
		profiles = []string{f.profile}
	}
	if cmd.Flags().Changed("ocr") {
		engines = []string{f.ocr}
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "profile\tocr\t")
	for _, c := range (replay.Result{}).Columns() {
		fmt.Fprint(w, c.Name, "\t")
	}
	fmt.Fprintln(w, "wall_ms\t")
	var refused []error
	for _, f.profile = range profiles {
		cfg, err := f.config(a)
		if err != nil {
			refused = append(refused, fmt.Errorf("profile %s: %w", f.profile, err))
			continue
		}
		for _, f.ocr = range engines {
			ocr, err := parseOCR(f.ocr)
			if err != nil {
				return err
			}
			began := time.Now()
			r, err := replay.RunAll(ctx, cases, replay.Options{
				Config: cfg, OCR: ocr, Seed: f.seed, Options: a.extra,
			}, a.progress(f.profile+" "+f.ocr, len(cases)))
			if err != nil {
				return err
			}
			if err := a.printProblems(f.profile+" "+f.ocr+": ", r); err != nil {
				return err
			}
			fmt.Fprint(w, f.profile, "\t", f.ocr, "\t")
			for _, c := range r.Columns() {
				fmt.Fprint(w, c.Value, "\t")
			}
			fmt.Fprint(w, time.Since(began).Milliseconds(), "\t\n")
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return errors.Join(refused...)
}

// progress counts cases on a terminal.
func (a *app) progress(what string, of int) func(int, replay.Result) {
	file, ok := a.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	n := 0
	return func(int, replay.Result) {
		n++
		end := ""
		if n == of {
			end = "\r\x1b[K"
		}
		fmt.Fprintf(a.stderr, "\r%s: %d of %d scenarios%s", what, n, of, end)
	}
}

// writeCases writes one file a case; its name says how the window looks.
func writeCases(cases []corpus.Case, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	for i, c := range cases {
		var b strings.Builder
		fmt.Fprintf(&b, "# Played by --corpus with --scale %d --theme %s and its seed plus %d.\n", c.Scale, c.Theme, i)
		if err := c.Script.Write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.Name+".jsonl"), []byte(b.String()), 0o644); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}
