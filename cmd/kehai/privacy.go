package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/privacy"
)

// privacyVerb is a family of one verb, mask, with its flags.
type privacyVerb struct {
	*app
	labels string
	asJSON bool
}

func (v *privacyVerb) command() *cobra.Command {
	mask := &cobra.Command{
		Use:   "mask",
		Short: "Mask private data in standard input, one text a line",
		Long: `Reads standard input and writes each line with its private data replaced by
labels such as [氏名]: names, telephone numbers, addresses, companies, schools,
numbers of cards, accounts and the state, passwords and keys. It needs no model,
and nothing leaves this machine. The same text is always masked in the same way.

With --json each line is an object with the masked text and its spans: the kind,
the rule that found it, and the first and the last rune (counted from 0, half open)
in the original line. The original is not shown.

A line that is not UTF-8, or longer than four mebibytes, is masked as a whole.
Standard error names it, the other lines go on, and the exit code is 1.`,
		Example: `  kehai privacy mask < chat.txt
  echo "田中さん 090-1234-5678" | kehai privacy mask --json
  kehai privacy mask --labels en < letter.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.mask(cmd.InOrStdin()) },
	}
	fl := mask.Flags()
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object a line, with the spans")
	fl.StringVar(&v.labels, "labels", "ja", "`LANGUAGE` of the labels: ja or en")
	return family(&cobra.Command{
		Use:     "privacy",
		Short:   "See what is private in a text",
		Example: "  kehai privacy mask < chat.txt",
	}, mask)
}

func (v *privacyVerb) mask(in io.Reader) error {
	labels, ok := privacy.Languages[v.labels]
	if !ok {
		return badUsage("privacy mask: --labels %q: want %s", v.labels,
			strings.Join(slices.Sorted(maps.Keys(privacy.Languages)), " or "))
	}
	withheld := false
	err := privacy.Lines(in, labels, func(l privacy.Line) error {
		if l.Error != "" {
			withheld = true
			if err := v.stderr.printf("line %d: %s\n", l.Number, l.Error); err != nil {
				return err
			}
		}
		return v.show(l)
	})
	switch {
	case err != nil:
		return fmt.Errorf("privacy mask: %w", err)
	case withheld:
		return errReported
	}
	return nil
}

// show writes one line, unchanged but for its spans. For a person, it also keeps the line
// from controlling the terminal.
func (v *privacyVerb) show(l privacy.Line) error {
	switch {
	case v.asJSON:
		out := v.stdout.json()
		out.SetEscapeHTML(false)
		return out.Encode(l)
	case v.stdout.tty:
		return v.stdout.lines("", "", l.Text)
	}
	_, err := io.WriteString(v.stdout, l.Text+l.End)
	return err
}
