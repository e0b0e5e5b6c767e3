package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

type anewVerb struct {
	*app
	yes bool
}

func (v *anewVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "anew",
		Short: "Begin anew where a key is lost and there is no copy of it",
		Long: `Says which keys are lost or damaged, whose they are and how many rows they sealed, and asks.
Then it deletes the rows that no key opens, and nothing else, and the next start makes
new keys. A window then reads on from what it shows; a conversation is as if it had
never been seen. What was lost was lost before: nobody can read these rows.

It cannot be undone: where a copy of the keys turns up later, it opens nothing any more.
kehai key restore FILE is for whoever has one. No Kehai may run meanwhile.`,
		Example: "  kehai key anew",
		Args:    cobra.NoArgs,
		RunE:    v.run,
	}
	cmd.Flags().BoolVar(&v.yes, "yes", false, "do not ask")
	return cmd
}

func (v *anewVerb) run(cmd *cobra.Command, _ []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	if err := stored(cfg.Data); err != nil {
		return err
	}
	if identity.Exists(cfg.Data) {
		return fmt.Errorf("%s is of a member of a cluster, which shares its rows with others: have it leave, and join "+
			"anew: kehai cluster --help", cfg.Data)
	}
	found, agreed := false, false
	rows, err := datadir.Anew(cfg, v.quiet(cfg), func(lost []keyring.Lost) (bool, error) {
		found = true
		if err := v.tell(lost); err != nil {
			return false, err
		}
		if agreed = v.yes; v.yes {
			return true, nil
		}
		ok, err := v.confirm(cmd.InOrStdin(), "Delete what no key opens, and go on without these keys for good?")
		agreed = ok
		return ok, err
	})
	switch {
	case errors.Is(err, engine.ErrInUse):
		return fmt.Errorf("a Kehai runs on %s: stop it first: %w", cfg.Data, err)
	case err != nil:
		return err
	case !found:
		return v.stderr.printf("no key is lost: there is nothing to do\n")
	case !agreed:
		v.stderr.printf("nothing was deleted\n")
		return errReported
	}
	return v.stdout.printf("%s deleted; the next start makes new keys\n", count(rows, "row"))
}

// tell lists what is lost.
func (v *anewVerb) tell(lost []keyring.Lost) error {
	var t table
	for _, l := range lost {
		whose, of := l.Whose, ""
		switch {
		case l.Rows == 0:
			whose = "it sealed nothing that is stored"
		case whose == "":
			whose = "no row tells whose it is"
		}
		if len(l.Kinds) > 0 {
			of = "of " + strings.Join(l.Kinds, ", ")
		}
		t.row("lost: key "+l.Key, whose, count(l.Rows, "row"), of)
	}
	return t.write(v.stdout)
}
