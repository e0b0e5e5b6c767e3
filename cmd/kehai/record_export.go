package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/testkit/replay"
)

type recordExport struct {
	*app
	redact bool
}

func (v *recordExport) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export RECORDING FILE --redact",
		Short: "Write a recording that can be shown to others",
		Long: `Writes a recording without what was said: each word is replaced by another one of the
same letters' kind and length, equal words by equal ones; pictures keep the flat parts
of the window and have bars in the places of texts; names, answers of a model, counts
of input, and places of this machine are left out. The new file is not sealed, and
replays anywhere, to its own decisions; it is said whether they are those of the old
one. What is thin or drawn finely in a window, such as outlines, is not in it either.
What was not read as text can stay in the pictures if it has large flat parts: stickers,
thick letters in photos. Look at what kehai replay prints of it before you send it.`,
		Example: "  kehai record export chat.flight shown.flight --redact\n  kehai replay shown.flight",
		Args:    cobra.ExactArgs(2),
		RunE:    v.run,
	}
	cmd.Flags().BoolVar(&v.redact, "redact", false, "replace texts and pictures by others (required)")
	return cmd
}

func (v *recordExport) run(cmd *cobra.Command, args []string) (err error) {
	if !v.redact {
		return badUsage("record export: want --redact: a recording as it is belongs to its keys, copy both")
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	rec, file, err := recording.OpenFile(args[0], keyring.Reader(datadir.Keys(cfg)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	made, err := replay.Redact(ctx, rec, args[1], version)
	if err != nil {
		return err
	}
	if made.Differences > 0 {
		v.stderr.printf("kehai: without its texts it is decided otherwise in %s\n", count(made.Differences, "place"))
	}
	return v.stdout.printf("%s: %s\n", args[1], count(made.Decisions, "decision"))
}
