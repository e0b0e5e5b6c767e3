package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit/replay"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
)

// playCorpus prints a row for each profile and reader. Without --profile and
// --ocr that is both profiles, each with perfect, noisy and real OCR.
func (v *replayVerb) playCorpus(cmd *cobra.Command, args []string) error {
	if len(args) > 0 || v.messages < 1 || v.messages > 1e6 || v.asJSON {
		return badUsage("replay --corpus: want --messages from 1 to 1000000, no file and no --json")
	}
	cases := corpus.Cases(v.messages, v.seed)
	if v.write != "" {
		return writeCases(cases, v.write)
	}
	profiles, engines := []string{"default", "seed"}, []string{"perfect", "noisy=0.03", "real"}
	if v.profile != "" {
		profiles = []string{v.profile}
	}
	if cmd.Flags().Changed("ocr") {
		engines = []string{v.ocr}
	}
	t := table{right: true}
	head := []any{"profile", "ocr"}
	for _, c := range (replay.Result{}).Columns() {
		head = append(head, c.Name)
	}
	t.row(append(head, "wall_ms")...)
	var refused []error
	for _, v.profile = range profiles {
		cfg, err := v.configure()
		if err != nil {
			refused = append(refused, fmt.Errorf("profile %s: %w", v.profile, err))
			continue
		}
		for _, v.ocr = range engines {
			row, err := v.playCases(cmd, cases, cfg)
			if err != nil {
				return err
			}
			t.row(row...)
		}
	}
	return errors.Join(t.write(v.stdout), errors.Join(refused...))
}

// playCases plays all cases with one profile and reader, and returns their row.
func (v *replayVerb) playCases(cmd *cobra.Command, cases []corpus.Case, cfg config.Config) ([]any, error) {
	ocr, err := parseOCR(v.ocr)
	if err != nil {
		return nil, err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	name := v.profile + " " + v.ocr
	began := time.Now()
	r, err := replay.RunAll(ctx, cases, replay.Options{
		Config: cfg, OCR: ocr, Seed: v.seed, Options: v.extra,
	}, v.progress(name, len(cases)))
	if err != nil {
		return nil, err
	}
	if err := v.printProblems(name+": ", r); err != nil {
		return nil, err
	}
	row := []any{v.profile, v.ocr}
	for _, c := range r.Columns() {
		row = append(row, c.Value)
	}
	return append(row, time.Since(began).Milliseconds()), nil
}

// progress counts cases on a terminal.
func (v *replayVerb) progress(what string, of int) func(int, replay.Result) {
	if !v.stderr.tty {
		return nil
	}
	n := 0
	return func(int, replay.Result) {
		n++
		v.stderr.printf("\r%s: %d of %d scenarios", what, n, of)
		if n == of {
			v.stderr.printf("\r\x1b[K")
		}
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
