package main

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/datadir"
)

// promptsVerb is a family of verbs on what language models are asked.
type promptsVerb struct {
	*app
	asJSON bool
}

func (v *promptsVerb) command() *cobra.Command {
	list := &cobra.Command{
		Use:     "list",
		Short:   "List the texts that language models are asked with, and their versions",
		Example: "  kehai prompts list\n  kehai prompts list --json | jq -r .version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return v.list() },
	}
	list.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a text as it is used",
		Example: `  kehai prompts show ja/reply
  kehai prompts show ja/reply > ~/.local/share/kehai/prompts/ja/reply.txt   # to edit it`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return v.show(args[0]) },
	}
	difference := &cobra.Command{
		Use:     "diff [NAME]",
		Short:   "Show how the texts that are used differ from the built-in ones",
		Example: "  kehai prompts diff\n  kehai prompts diff ja/reply",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return v.diff(args) },
	}
	return family(&cobra.Command{
		Use:   "prompts",
		Short: "See what language models are asked, and what was edited of it",
		Long: `Language models are asked with texts in Japanese and English, one for each task
and tone. A file in the folder prompts of the data folder replaces the built-in
text of the same name: prompts/ja/reply.txt for ja/reply. It counts from the next
start on. What is asked is recorded with a version of the texts that were used.

In braces stand what the configuration says (persona) and the names of fields of
the data (now). Messages are never part of these texts.`,
		Example: "  kehai prompts list\n  kehai prompts show ja/reply",
	}, list, show, difference)
}

func (v *promptsVerb) list() error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	catalogue, err := datadir.Prompts(cfg)
	if err != nil {
		return err
	}
	var t table
	t.row("PROMPT", "VERSION", "")
	for _, e := range catalogue.List() {
		if v.asJSON {
			err := v.stdout.json().Encode(map[string]any{"name": e.Name, "version": e.Version,
				"edited": e.Edited})
			if err != nil {
				return err
			}
			continue
		}
		edited := ""
		if e.Edited {
			edited = filepath.Join(datadir.PromptFolder(cfg), filepath.FromSlash(e.Name)+".txt")
		}
		t.row(e.Name, e.Version, edited)
	}
	if v.asJSON {
		return nil
	}
	return t.write(v.stdout)
}

func (v *promptsVerb) show(name string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	catalogue, err := datadir.Prompts(cfg)
	if err != nil {
		return err
	}
	text, _, ok := catalogue.Text(name)
	if !ok {
		return badUsage("prompts: there is no prompt %q; kehai prompts list has all", name)
	}
	return v.write(text)
}

// write writes a text of several lines without terminal controls.
func (v *promptsVerb) write(text string) error {
	for line := range strings.Lines(text) {
		if err := v.stdout.printf("%s\n", strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

func (v *promptsVerb) diff(names []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	catalogue, err := datadir.Prompts(cfg)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		for _, e := range catalogue.List() {
			names = append(names, e.Name)
		}
	}
	for _, name := range names {
		text, original, ok := catalogue.Text(name)
		if !ok {
			return badUsage("prompts: there is no prompt %q; kehai prompts list has all", name)
		}
		changes := diff.Diff("built-in/"+name, []byte(original+"\n"), "used/"+name, []byte(text+"\n"))
		if err := v.write(string(changes)); err != nil {
			return err
		}
	}
	return nil
}
