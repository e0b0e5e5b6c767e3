package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

type forgetVerb struct {
	*app
	yes bool
	in  io.Reader
}

func (v *forgetVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget CONVERSATION",
		Short: "Delete everything stored of a conversation",
		Long: `Deletes the messages of a conversation, all that its actors know, decisions, dead
letters, and what is under way. It cannot be undone.

What stays is its name and a number, so that nothing that is still visible is
delivered again. While the conversation stands in a watched window it is read
again: pause the window, or list what may be read under read.only in the
configuration. What a host, a log, a backup or the chat itself keeps is not
touched, but for the chat of a window that Kehai draws: its texts are deleted in the
window and in its journal, DATA/windows/NAME.jsonl, and its messages stay without them.
A log names nobody, unless it was written with debug.text: then it still holds what was
said, and has to be deleted too. It is the standard error of kehai run, and of a service
DATA/service.log on a Mac, else the journal (journalctl --user -u kehai).

The deleted bytes leave the store's files before the command ends, or after the
next start of Kehai; the command says which. What was stored is sealed, and the
key of the conversation is destroyed first: what a disk, a backup or a copy of the
store keeps cannot be read without a copy of DATA/keys from before. A receipt in
DATA/receipts says which key that was; kehai verify-forgotten checks it.`,
		Example: `  kehai forget line:Hana
  kehai forget line:Hana --yes`,
		Args: cobra.ExactArgs(1),
		RunE: v.run,
	}
	cmd.Flags().BoolVar(&v.yes, "yes", false, "do not ask")
	return cmd
}

func (v *forgetVerb) run(cmd *cobra.Command, args []string) error {
	if args[0] == "" {
		return badUsage("forget: want a conversation such as line:Hana; kehai conversations lists them")
	}
	v.in = cmd.InOrStdin()
	return v.withBackend(v.forget)(cmd, args)
}

func (v *forgetVerb) forget(ctx context.Context, b control.Backend, args []string) error {
	c, err := b.Which(ctx, args[0]) // before anybody says yes to it
	if err != nil {
		return err
	}
	if !v.yes {
		ok, err := v.confirm(v.in, fmt.Sprintf("Delete everything stored of %s for good?", args[0]))
		if err != nil {
			return err
		}
		if !ok {
			v.stderr.printf("nothing was deleted\n")
			return errReported
		}
	}
	sum, err := b.Forget(ctx, c)
	if err != nil {
		return err
	}
	v.tellLeft(sum)
	if sum.None() {
		return fmt.Errorf("nothing is stored of %s: kehai conversations lists them", args[0])
	}
	files := "the bytes are gone from the store's files"
	if !sum.Purged {
		files = "the bytes are still in the store's files: they go after the next start of Kehai, or within a day"
	}
	if sum.Drawn > 0 {
		files += fmt.Sprintf("; %s gone from windows that Kehai draws", count(sum.Drawn, "message"))
	}
	err = v.stdout.printf("deleted: %s, %s, %s, %s, %s\n%s\n",
		count(sum.Events, "event"), count(sum.Rows, "row"), count(sum.Mail, "message", "under way"),
		count(sum.Verdicts, "decision"), count(sum.DeadLetters, "dead letter"), files)
	if err == nil && sum.Receipt != "" {
		err = v.stdout.printf("receipt: %s\n", sum.Receipt)
	}
	if err == nil && sum.Unnamed > 0 {
		what := "no receipt"
		if sum.Receipt != "" {
			what = "the receipt is not whole"
		}
		err = v.stderr.printf("%s: %s damaged or missing, and what cannot be read cannot be named in one; it is "+
			"destroyed. A copy of the keys from before still opens what a backup holds\n", what, areKeys(sum.Unnamed))
	}
	if err == nil && sum.Logged {
		err = v.tellLogged()
	}
	if err == nil && sum.Partial {
		err = errReported
	}
	return err
}

// tellLeft says what is not deleted, and why.
func (v *forgetVerb) tellLeft(sum engine.Forgotten) {
	if types := sum.Unknown - sum.Closed; types > 0 {
		v.stderr.printf("%s left that may be about it: this program does not know their types; "+
			"forget it from the program that stored them too\n", count(types, "record"))
	}
	if sum.Closed > 0 {
		v.stderr.printf("%s left that may be about it: no key opens them (kehai doctor says which is damaged or "+
			"missing); put it back, kehai key restore FILE, and forget it again\n", count(sum.Closed, "record"))
	}
	if sum.Partial {
		v.stderr.printf("not all of it is deleted, and its key is still there: another version of Kehai began to " +
			"forget it and knows more of it than this one. Start that version once, then forget it again\n")
	}
}

// tellLogged says that a log still has the texts, and where it may be.
func (v *forgetVerb) tellLogged() error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	where := "where the standard error of kehai run goes"
	if of := filepath.Join(cfg.Data, serviceLog); exists(of) {
		where += ", or " + of
	} else if goruntime.GOOS == "linux" {
		where += ", or the journal of a service (journalctl --user -u kehai)"
	}
	return v.stderr.printf("debug.text is on: a log written with it still holds what was said. Delete it too: it is "+
		"%s\n", where)
}

// areKeys is "1 key was" or "2 keys were".
func areKeys(n int) string {
	if n == 1 {
		return "1 key was"
	}
	return fmt.Sprintf("%d keys were", n)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// count is "1 row" or "2 rows".
func count(n int, what string, tail ...string) string {
	if n != 1 {
		what += "s"
	}
	return strings.Join(append([]string{fmt.Sprint(n), what}, tail...), " ")
}

// confirm asks a person. Without one to ask the answer is an error.
func (a *app) confirm(in io.Reader, question string) (bool, error) {
	a.stderr.printf("%s Type yes: ", question)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && line == "" {
		a.stderr.printf("\n")
		return false, badUsage("nobody answers here: give --yes to go on without asking")
	}
	return strings.TrimSpace(line) == "yes", nil
}
