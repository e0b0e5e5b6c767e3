package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/cluster/seat"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

type encryptVerb struct {
	*app
	do datadir.Encryption
}

func (v *encryptVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "encrypt",
		Short: "Encrypt the whole store, change its key, or write it in plain again",
		Long: `Texts are sealed in any case, each under the key of its conversation. This encrypts
all else too: times, numbers, who has ids of an older version. Every change then costs
about a quarter more processor time, which is why a new store is not encrypted.

The key is the one that encryption.key_file or encryption.key_env names, else a new one
in DATA/keys/store. Without it the store is lost: kehai key backup copies it with the
others; a key of your own you have to copy yourself.

The store, and in a cluster this machine's log of it, are copied into directories beside
them, which take their places once they are complete, and the old files are removed; it
needs the space twice meanwhile. Killed in between, nothing is changed, or the next start
finishes it. No Kehai may run on it. Each machine of a cluster is encrypted by itself.`,
		Example: `  kehai encrypt
  kehai encrypt --new-key
  kehai encrypt --off`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return v.run() },
	}
	fl := cmd.Flags()
	fl.BoolVar(&v.do.NewKey, "new-key", false, "change the key of DATA/keys/store")
	fl.BoolVar(&v.do.Off, "off", false, "write the store in plain")
	fl.StringVar(&v.do.OldKey, "old-key-file", "",
		"`FILE` with the present key, where the configuration names the next")
	cmd.MarkFlagsMutuallyExclusive("new-key", "off")
	return cmd
}

func (v *encryptVerb) run() error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	log := v.logger(cfg)
	v.do.CopyLog = seat.CopyLog(log)
	own, err := datadir.Encrypt(cfg, log, v.do)
	switch {
	case errors.Is(err, datadir.ErrEncrypted):
		return badUsage("%w", err)
	case errors.Is(err, engine.ErrInUse):
		return fmt.Errorf("a Kehai runs on %s: stop it first: %w", cfg.Data, err)
	case err != nil:
		return err
	}
	text := "the store is encrypted, and its old files are removed. Without its key it is lost, and kehai key backup " +
		"does not copy the one that the configuration names: copy it yourself, to another place"
	switch {
	case v.do.Off && own:
		text = "the store is written in plain, and its old files are removed"
	case v.do.Off:
		text = "the store is written in plain, and its old files are removed; " +
			"now take encryption.key_file and key_env out of the configuration"
	case own:
		text = fmt.Sprintf("the store is encrypted, and its old files are removed. Without its key, which is in %s, "+
			"it is lost: copy the keys now, to another place: kehai key backup FILE", datadir.Keys(cfg))
	}
	return v.stderr.printf("%s\n", text)
}
