// Command kehai reads chat windows, and delivers each message exactly once.
//
// One file per verb; main.go parses and reports, app.go holds what verbs share.
// What it does is package runtime; this is the person's side of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/private"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it did not work
	exitUsage  = 2 // the command line or the configuration is wrong
)

func main() {
	private.Umask()
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs a command line and returns its exit code. Extra options go to the
// runtimes it makes: a build of its own may add drivers and actors.
func Main(args []string, stdout, stderr io.Writer, extra ...runtime.Option) int {
	extra = append(append([]runtime.Option{runtime.WithOCRCommand(runtime.OCRCommand)}, drivers()...), extra...)
	a := &app{stdout: stdout, stderr: stderr, extra: extra}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "kehai: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "kehai: %v\n", err)
	return exitFailed
}

// errReported ends a verb that has told the person already what is wrong.
var errReported = errors.New("reported")

// usageError is the person's mistake.
type usageError struct{ err error }

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "kehai",
		Short: "Read chat windows and deliver each message exactly once",
		Long: `Kehai (気配) reads the pixels of chat windows with supervised actors and
delivers each message exactly once, across crashes. Without any configuration
it watches a chat window that it draws itself.`,
		Example: `  kehai run                     watch the drawn window until Ctrl-C
  kehai watch --window LINE     watch a window of this desktop
  kehai messages --since 1h     list what was delivered in the last hour
  kehai doctor                  check what this machine needs`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("kehai {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return badUsage("%w; see `%s --help`", err, cmd.CommandPath())
	})
	root.PersistentFlags().StringVar(&a.data, "data", "", "data `DIR`ectory (default: the platform's application data folder)")
	root.PersistentFlags().StringVar(&a.config, "config", "", "configuration `FILE` in YAML (default: $KEHAI_CONFIG)")
	root.AddCommand(a.runCmd(), a.watchCmd(), a.windowsCmd(), a.messagesCmd(), a.deadlettersCmd(), a.statusCmd(), a.replayCmd(), a.doctorCmd(), a.configCmd(), a.focusCmd(), a.traceCmd(), a.whyCmd(), a.pauseCmd(), a.resumeCmd(), a.forgetCmd(), a.exportCmd(), a.versionCmd(), a.layoutCmd(), a.ocrWorkerCmd())
	exampleOfCompletion(root)
	fixArgs(root)
	return root
}

// exampleOfCompletion gives the commands that cobra adds an example too.
func exampleOfCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Example = "  source <(kehai completion bash)"
		for _, shell := range cmd.Commands() {
			shell.Example = "  kehai completion " + shell.Name()
		}
	}
}

// fixArgs makes wrong arguments a usage error.
func fixArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return badUsage("%w; see `%s --help`", err, c.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		fixArgs(sub)
	}
}
