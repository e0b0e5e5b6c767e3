package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

type verifyForgotten struct {
	*app
	in string
}

func (v *verifyForgotten) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify-forgotten RECEIPT",
		Short: "Check that what was forgotten can be read no more",
		Long: `Checks a receipt of kehai forget against the keys of the data directory: whether the
key that it names is gone, and whether anything that was sealed with it can still be
opened, in the store or in a backup. It ends with 1 if so.

What was said since is sealed under another key, and counted apart. Nobody can tell
who has copied the keys before: with such a copy a backup from before is still
readable. So is one from before the conversation was split from another that still has
its key: that is found, and ends with 1 too.

A receipt is sealed with the node's key: one in which somebody has changed a time, a name
or a fingerprint is found, and ends with 1, as is a key that this data directory has never
had. Who has the keys can seal anything. One of an older version has no seal, which is said;
where this version has destroyed the key, a seal that is missing was removed.`,
		Example: `  kehai verify-forgotten ~/.local/share/kehai/receipts/20261123T070000.000Z-8c1f02aa.json
  kehai verify-forgotten receipt.json --in kehai-2026-11-01.backup`,
		Args: cobra.ExactArgs(1),
		RunE: v.run,
	}
	cmd.Flags().StringVar(&v.in, "in", "", "look into `BACKUP` instead of the store")
	return cmd
}

func (v *verifyForgotten) run(cmd *cobra.Command, args []string) error {
	r, err := keyring.ReadReceipt(args[0])
	if errors.Is(err, keyring.ErrReceipt) {
		return badUsage("%w", err)
	}
	if err != nil {
		return badUsage("%w: want a receipt of kehai forget, such as the newest file of DATA/receipts", err)
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	check := func(backup io.Reader) error {
		p, err := r.Verify(datadir.Keys(cfg), backup)
		if err != nil {
			return err
		}
		if identity.Exists(cfg.Data) { // another machine of the cluster may have had the key
			p.Unknown = nil
		}
		return v.tell(r, p)
	}
	if v.in != "" {
		f, err := openInput(cmd, "verify-forgotten", v.in)
		if err != nil {
			return badUsage("%w", err)
		}
		defer f.Close()
		if err = check(f); errors.Is(err, engine.ErrSnapshot) {
			return fmt.Errorf("%s: want a file that kehai backup has written: %w", v.in, err)
		}
		return err
	}
	return v.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
		backup, ok := b.(control.BackupBackend)
		if !ok {
			return errors.New("this Kehai does not show what it stores")
		}
		in, out := io.Pipe()
		go func() { out.CloseWithError(backup.Backup(ctx, out)) }()
		defer in.Close()
		return check(in)
	})(cmd, args)
}

func (v *verifyForgotten) tell(r keyring.Receipt, p keyring.Proof) error {
	var t table
	t.row("conversation", r.Conversation)
	t.row("asked for", r.AskedAt.Local().Format(receiptTime))
	if !r.ForgottenAt.IsZero() {
		t.row("forgotten", r.ForgottenAt.Local().Format(receiptTime))
	}
	for _, k := range r.Keys {
		t.row("key", k.ID, "fingerprint "+k.Fingerprint)
	}
	if len(r.Waiting) > 0 {
		t.row("not answered yet by", strings.Join(r.Waiting, ", "))
	}
	if p.Open > 0 {
		t.row("rows that should be closed and can be read", fmt.Sprint(p.Open))
	}
	if p.Before > 0 {
		t.row("rows from before it was split", fmt.Sprint(p.Before))
	}
	t.row("rows closed for ever", fmt.Sprint(p.Closed))
	t.row("rows of what was said since", fmt.Sprint(p.Since))
	if err := t.write(v.stdout); err != nil {
		return err
	}
	switch {
	case len(p.Alive) > 0:
		return fmt.Errorf("the key %s is still here: what it seals can be read; run kehai forget again",
			p.Alive[0].Fingerprint)
	case len(p.Unknown) > 0:
		return fmt.Errorf("nothing is verified: the key %s is unknown to the keys and the rows that were looked at: "+
			"the receipt is of another data directory (give --data), was edited, or the list of the keys was removed "+
			"since", p.Unknown[0].ID)
	case r.ForgottenAt.IsZero():
		return fmt.Errorf("not finished: run kehai forget %s again", r.Conversation)
	case p.Edited:
		return errors.New("nothing is verified: the receipt, or its seal, is not as it was written, is of another " +
			"data directory (give --data), or of a later version")
	case p.Plain > 0:
		return fmt.Errorf("%s not sealed, and may tell of anybody", count(p.Plain, "row"))
	case p.Before > 0:
		return fmt.Errorf("%s can be read from before this conversation was split from another, whose key is still "+
			"here, and may be about it: delete the backup, or kehai forget the other one too", count(p.Before, "row"))
	}
	err := v.stdout.printf("verified: nothing of what was forgotten can be read with the keys that are here\n%s\n",
		keyring.CopiedKeys)
	if err == nil && p.Unsealed {
		err = v.stdout.printf("The receipt has no seal, as of an older version: nobody can tell whether it was " +
			"changed.\n")
	}
	return err
}

const receiptTime = "2006-01-02 15:04:05 -07:00"
