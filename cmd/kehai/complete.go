package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

// candidates are what a shell offers for an argument or a flag.
type candidates func(ctx context.Context) []string

// addCompletion has shells complete names: of windows, conversations and layouts. An argument is
// known by what its command calls it, a flag by its own name.
func (a *app) addCompletion(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.addCompletion(sub)
	}
	switch words := strings.Fields(strings.Trim(cmd.Use, "[]")); {
	case len(words) < 2:
	case strings.Contains(words[1], "CONVERSATION"):
		cmd.ValidArgsFunction = completing(a.conversationNames)
	case strings.Contains(words[1], "[WINDOW"):
		cmd.ValidArgsFunction = completing(func(context.Context) []string {
			return append(a.windowNames(), control.Attention, control.Sending)
		})
	}
	flags := map[string]candidates{
		"in":     a.conversationNames,
		"layout": func(context.Context) []string { return []string{"auto", "generic", "line"} },
		"window": a.openWindows,
	}
	for name, list := range flags {
		if cmd.LocalFlags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, completing(list)) // it is there, and has none yet
		}
	}
}

// completing offers what begins as the word does. Where a layout or a query is wanted, files and
// other words are as good.
func completing(list candidates) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && cmd.ValidArgsFunction != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all := slices.DeleteFunc(list(cmd.Context()), func(s string) bool { return !strings.HasPrefix(s, word) })
		return all, cobra.ShellCompDirectiveDefault
	}
}

// conversationNames are the known conversations, if they can be asked for now.
func (a *app) conversationNames(ctx context.Context) (names []string) {
	cfg, err := a.load()
	if err != nil || stored(cfg.Data) != nil {
		return nil
	}
	b, closeBackend, err := a.open(ctx, cfg)
	if err != nil {
		return nil
	}
	list, _ := b.Conversations(ctx)
	for _, c := range list {
		names = append(names, c.Label())
	}
	_ = closeBackend() // nothing was changed
	return names
}

func (a *app) windowNames() (names []string) {
	cfg, err := a.load()
	if err != nil {
		return nil
	}
	for _, w := range cfg.Windows {
		names = append(names, w.Name)
	}
	return names
}

// openWindows are the applications whose windows are open here, and the configured windows.
func (a *app) openWindows(ctx context.Context) []string {
	names := a.windowNames()
	f, err := openFinder()
	if err != nil {
		return names
	}
	list, _ := f.Windows(ctx)
	for _, w := range list {
		if w.App != "" {
			names = append(names, "app:"+w.App)
		}
	}
	_ = f.Close() // nothing was changed
	slices.Sort(names)
	return slices.Compact(names)
}
