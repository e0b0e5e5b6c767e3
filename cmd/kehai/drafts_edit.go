package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// maxDraft is how much of an edited draft is read, in bytes.
const maxDraft = 64 << 10

// editCommand replaces the text of a draft.
func (v *drafts) editCommand() *cobra.Command {
	return &cobra.Command{
		Use: "edit ID [TEXT…]", Short: "Put another text in the place of a draft",
		Long: `Puts another text in the place of a draft, which goes on waiting with the ID that
is printed: approve sends it. Without TEXT the draft is opened in $VISUAL or $EDITOR; what
is saved there counts, unless it is empty or what it was. The text - is read from the
standard input. Neither way shows it to other users of this machine.`,
		Example: `  kehai drafts edit c-3uwbezwinvqa/3.2
  kehai drafts edit c-3uwbezwinvqa/3.2 "At ten, then."
  kehai drafts edit c-3uwbezwinvqa/3.2 - < answer.txt`, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, text := control.DraftID(args[0]), strings.Join(args[1:], " ")
			switch {
			case len(args) == 1:
				edited, err := v.editByHand(cmd, id)
				if err != nil || edited == "" {
					return err
				}
				text = edited
			case text == "-":
				raw, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxDraft))
				if err != nil {
					return fmt.Errorf("edit %s: read the text: %w", id, err)
				}
				text = string(raw)
			}
			return v.withReplies(func(ctx context.Context, b control.ReplyBackend, _ []string) error {
				return v.do(ctx, b, string(id), messages.DraftEdit, text,
					"reads otherwise now: it is "+string(id.Edited()))
			})(cmd, args)
		},
	}
}

// errNoEditor asks for a text, or for an editor to write it with.
var errNoEditor = errors.New("give the text, or set $VISUAL or $EDITOR to open the draft in")

// editByHand lets a person change a draft in their editor; "" means no change. The store
// is not held open meanwhile.
func (v *drafts) editByHand(cmd *cobra.Command, id control.DraftID) (text string, err error) {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return "", fmt.Errorf("edit %s: %w", id, errNoEditor)
	}
	var before string
	err = v.withReplies(func(ctx context.Context, b control.ReplyBackend, _ []string) error {
		d, err := findDraft(ctx, b, string(id))
		before = d.Text
		return err
	})(cmd, nil)
	if err != nil {
		return "", fmt.Errorf("edit %w", err)
	}
	text, err = edit(cmd, editor, before)
	switch {
	case err != nil:
		return "", fmt.Errorf("edit %s: %w", id, err)
	case strings.TrimSpace(text) == "", strings.TrimSpace(text) == strings.TrimSpace(before):
		return "", v.stdout.printf("%s stays as it is\n", id)
	}
	return text, nil
}

// edit opens an editor on a file that only its owner can read, in memory if the system
// has a place for that, and removes it afterwards.
func edit(cmd *cobra.Command, editor, before string) (text string, err error) {
	f, err := os.CreateTemp(os.Getenv("XDG_RUNTIME_DIR"), "kehai-draft-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(before)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	// As in git, the editor may have its own arguments.
	run := exec.CommandContext(cmd.Context(), "/bin/sh", "-c", editor+` "$1"`, "sh", f.Name())
	run.Env = hardware.ChildEnv(os.Environ(), hardware.ChildDesktop)
	run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if err := run.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w", editor, err)
	}
	changed, err := os.Open(f.Name())
	if err != nil {
		return "", err
	}
	defer func() { _ = changed.Close() }()
	raw, err := io.ReadAll(io.LimitReader(changed, maxDraft))
	return string(raw), err
}
