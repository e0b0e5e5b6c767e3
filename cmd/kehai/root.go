package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware/drawn/script"
)

// verb is one command, or a small family of them. Its struct has the flags; command
// describes it and says what runs.
type verb interface{ command() *cobra.Command }

// groups are all verbs, in the order of `kehai --help`.
func (a *app) groups() []group {
	watching := session{app: a}
	return []group{
		{"Every day:", []verb{
			&runVerb{session: watching}, &watchVerb{session: watching},
			&messagesVerb{app: a}, &drafts{app: a}, &doctorVerb{app: a},
		}},
		{"Look closer:", []verb{
			&windowsVerb{app: a}, &statusVerb{app: a}, &pageVerb{app: a}, &whyVerb{app: a}, &traceVerb{app: a},
			&recallVerb{app: a}, &memoryVerb{app: a}, &judgementsVerb{app: a}, &deadletters{app: a},
			&subscriptions{app: a}, &insightsVerb{app: a}, &debugVerb{a},
			&recordVerb{watchVerb: watchVerb{session: watching}},
		}},
		{"Decide what is read, sent and kept:", []verb{
			&pauseVerb{a}, &resumeVerb{a}, &conversations{app: a}, &reminders{app: a}, &exportVerb{app: a},
			&forgetVerb{app: a}, &verifyForgotten{app: a}, &interviewVerb{app: a},
		}},
		{"Keep copies:", []verb{&backupVerb{a}, &restoreVerb{a}, &keyVerb{a}, &encryptVerb{app: a}}},
		{"Several machines:", []verb{&clusterVerb{app: a}}},
		{"Watch attention:", []verb{&focus{a}}},
		{"Set up and try:", []verb{
			&configVerb{a}, &layout{app: a}, &replayVerb{app: a}, &privacyVerb{app: a},
			&promptsVerb{app: a},
			&serviceVerb{app: a}, &versionVerb{a}, &ocrWorkerVerb{a},
		}},
	}
}

// group is a heading in the help and the verbs below it.
type group struct {
	title string
	verbs []verb
}

func (a *app) root() *cobra.Command {
	cobra.EnableCommandSorting = false // verbs stand in the order of groups
	root := &cobra.Command{
		Use:   "kehai",
		Short: "Read chat windows, deliver each message exactly once, and answer",
		Long: `Kehai (気配) reads the pixels of chat windows with supervised actors, delivers
each message exactly once, across crashes, and drafts or sends replies. Without
any configuration it watches and answers a chat window that it draws itself.`,
		Example: `  kehai run                     watch the drawn window until Ctrl-C
  kehai watch --window LINE     watch a window of this desktop
  kehai messages --since 1h     list what was delivered in the last hour
  kehai doctor                  check what this machine needs`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
		Args:          cobra.NoArgs,
		RunE:          help,
	}
	root.SetVersionTemplate("kehai {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return badUsage("%w; see `%s --help`", err, cmd.CommandPath())
	})
	fl := root.PersistentFlags()
	fl.StringVar(&a.data, "data", "", "what is stored, in `DIR` (default: the platform's application data folder)")
	fl.StringVar(&a.config, "config", "", "configuration `FILE` in YAML (default: $KEHAI_CONFIG)")
	last := ""
	for _, g := range a.groups() {
		last = g.title
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, v := range g.verbs {
			cmd := v.command()
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(scriptTopic())
	root.SetCompletionCommandGroupID(last)
	root.SetHelpCommandGroupID(last)
	addExamples(root)
	a.addCompletion(root)
	fixArgs(root)
	return root
}

// scriptTopic is not a command, but a page of the help.
func scriptTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "script",
		Short: "How the script of a drawn window, or a scenario, is written",
		Long: "What a drawn window plays is a script: kehai run --script FILE, kehai replay FILE, or script in\n" +
			"the configuration of a window.\n\n" + strings.TrimSpace(script.Format),
		Example: "  kehai run --script chat.jsonl",
	}
}

// help is run by a command that only has subcommands.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// family is a command that only has subcommands.
func family(cmd *cobra.Command, sub ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = cobra.NoArgs, help
	cmd.AddCommand(sub...)
	return cmd
}

// listing is a family that lists without a command, as its command list does, with the same flags.
func listing(cmd, list *cobra.Command, sub ...*cobra.Command) *cobra.Command {
	family(cmd, append([]*cobra.Command{list}, sub...)...)
	cmd.RunE = list.RunE
	cmd.Flags().AddFlagSet(list.Flags())
	return cmd
}

// addExamples adds examples to the commands that cobra provides.
func addExamples(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  kehai help run"
		case "completion":
			cmd.Example = "  source <(kehai completion bash)"
			for _, shell := range cmd.Commands() {
				shell.Example = "  kehai completion " + shell.Name()
			}
		}
	}
}

// arguments says how a command is called that was called with the wrong number of arguments.
func arguments(c *cobra.Command, args []string, err error) error {
	if c.HasSubCommands() || !strings.Contains(err.Error(), "arg(s)") { // it says itself what it wants
		return err
	}
	return fmt.Errorf("%s: %s given, want `%s`", strings.TrimPrefix(c.CommandPath(), "kehai "),
		count(len(args), "argument"), c.UseLine())
}

// fixArgs makes wrong arguments a usage error.
func fixArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				c.SuggestionsMinimumDistance = 2
				if c.HasSubCommands() && len(args) > 0 {
					if near := c.SuggestionsFor(args[0]); len(near) > 0 {
						return badUsage("%w: did you mean `%s %s`?", err, c.CommandPath(), near[0])
					}
				}
				return badUsage("%w; see `%s --help`", arguments(c, args, err), c.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		fixArgs(sub)
	}
}
