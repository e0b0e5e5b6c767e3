package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	goruntime "runtime"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
)

type backupVerb struct{ *app }

func (v *backupVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write all that is stored into a file, sealed as it is",
		Long: `Writes all that is stored at one moment into a new file, also while Kehai runs and
goes on. Texts stay sealed, and no key is in the file: kehai key backup writes the
keys, and belongs to another place. What is forgotten later cannot be read in the
backup any more either, but by whoever holds a copy of the keys from before.

"-" writes to standard output. The configuration, and the chats of drawn windows,
are not in it.`,
		Example: "  kehai backup kehai-2026-11-23.backup",
		Args:    cobra.ExactArgs(1),
		RunE:    v.withBackend(v.run),
	}
}

func (v *backupVerb) run(ctx context.Context, b control.Backend, args []string) error {
	backup, ok := b.(control.BackupBackend)
	if !ok {
		return errors.New("this Kehai writes no backups")
	}
	size := int64(0)
	err := v.writeWhole(args[0], func(w io.Writer) error {
		counted := &sized{Writer: w}
		err := backup.Backup(ctx, counted)
		size = counted.n
		return err
	})
	if err != nil {
		return err
	}
	return v.stderr.printf("%.1f MB are in %s, without keys: kehai key backup writes those\n", float64(size)/1e6,
		placeOf(args[0]))
}

type sized struct {
	io.Writer
	n int64
}

func (s *sized) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.n += int64(n)
	return n, err
}

// placeOf calls the file by its name.
func placeOf(path string) string {
	if path == "-" {
		return "the standard output"
	}
	return path
}

// writeWhole is writeNew for what is of no use in part: who reads the standard output and ends too early, or a
// full volume behind it, is an error that says so.
func (a *app) writeWhole(path string, write func(io.Writer) error) error {
	if path != "-" {
		return a.writeNew(path, write)
	}
	signal.Ignore(syscall.SIGPIPE) // it would end this program without a word
	out := &tracked{to: a.stdout.Writer}
	err := write(out)
	if f, ok := out.to.(*os.File); ok && err == nil {
		if out.bad = f.Sync(); errors.Is(out.bad, syscall.EINVAL) || errors.Is(out.bad, syscall.ENOTSUP) {
			out.bad = nil // no file, but a pipe, say
		}
	}
	if out.bad == nil {
		return err
	}
	mend := "free some space on its volume"
	if errors.Is(out.bad, syscall.EPIPE) {
		mend = "the program that reads it has ended"
	}
	return fmt.Errorf("what was written to the standard output is not whole, and nothing can be restored from it: "+
		"delete it; %s: %w", mend, out.bad)
}

// writeNew makes a file that nobody else can read, or writes to standard output for "-".
// It does not leave an incomplete file behind.
func (a *app) writeNew(path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.stdout)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return badUsage("%w: want the name of a new file", err)
	}
	out := &tracked{to: f}
	if err = write(out); err == nil {
		out.bad = f.Sync()
	}
	if out.bad = cmp.Or(out.bad, f.Close()); err == nil || out.bad != nil {
		err = out.bad // it is what went wrong first, and names the file
	}
	if err == nil {
		return nil
	}
	gone := os.Remove(path)
	if out.bad != nil && gone == nil {
		err = fmt.Errorf("nothing was written, and no part of %s is left: free some space on its volume, or name a "+
			"file on another one: %w", path, err)
	}
	return errors.Join(err, gone)
}

// tracked remembers why something could not be written.
type tracked struct {
	to  io.Writer
	bad error
}

func (c *tracked) Write(p []byte) (n int, err error) {
	n, err = c.to.Write(p)
	c.bad = cmp.Or(c.bad, err)
	return n, err
}

type restoreVerb struct{ *app }

func (v *restoreVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup into a data directory that has no store yet",
		Long: `Puts what kehai backup has written into a data directory in which nothing is stored,
and on which no Kehai runs: give --data DIR, or move the old one away first. A
backup that is cut or damaged restores nothing. The keys that belong to it have to
be there, or come with kehai key restore, before Kehai runs on it.

The store comes back encrypted if its key is there already, so after kehai encrypt put
the keys back first. Else times and numbers are in plain, texts stay sealed, and
kehai encrypt encrypts the rest.`,
		Example: "  kehai restore kehai-2026-11-23.backup --data ~/kehai-restored",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := v.load()
			if err != nil {
				return err
			}
			if identity.Exists(cfg.Data) {
				return fmt.Errorf("%s is of a member of a cluster: kehai run fetches what the others have; to begin "+
					"the cluster anew with the backup: kehai cluster restore FILE", cfg.Data)
			}
			f, err := openInput(cmd, "restore", args[0])
			if err != nil {
				return badUsage("%w", err)
			}
			defer f.Close()
			switch err := datadir.Restore(cfg, v.quiet(cfg), f); {
			case errors.Is(err, engine.ErrInUse):
				return fmt.Errorf("a Kehai runs on %s: stop it and move the directory away, or give another --data: %w",
					cfg.Data, err)
			case errors.Is(err, engine.ErrNotEmpty):
				return fmt.Errorf("there is a store in %s already: kehai restore %s --data DIR, where DIR has none, "+
					"or move it away first: %w", cfg.Data, args[0], err)
			case errors.Is(err, engine.ErrSnapshot):
				return fmt.Errorf("%s: want a file that kehai backup has written: %w", args[0], err)
			case err != nil:
				return err
			}
			n, err := keyring.Inspect(datadir.Keys(cfg))
			if !datadir.Encrypted(cfg) {
				err = errors.Join(err, v.stderr.printf("the restored store is not encrypted (texts are sealed); "+
					"if it was before: kehai encrypt --data %s, once its keys are back\n", cfg.Data))
			}
			if err == nil && n == 0 {
				return v.stderr.printf("restored into %s; now put its keys back: kehai key restore FILE --data %s\n",
					cfg.Data, cfg.Data)
			}
			if err != nil {
				return err
			}
			if err := v.stderr.printf("restored into %s\n", cfg.Data); err != nil {
				return err
			}
			return v.tellLacking(cfg)
		},
	}
}

// keyVerb is the family of verbs about the keys that seal the store.
type keyVerb struct{ *app }

func (v *keyVerb) command() *cobra.Command {
	return family(&cobra.Command{
		Use:   "key",
		Short: "Copy the keys that seal what is stored, and put them back",
		Long: `The keys are files in DATA/keys. Without them nothing that is stored can be read;
with them and a backup, everything that was not forgotten before they were copied.`,
		Example: "  kehai key backup kehai.keys",
	}, &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the keys into a file",
		Long: `Writes all keys into a new file, also while Kehai runs. Keep it apart from the
backups of the store: who holds both can read all that was said. That includes what
is forgotten later, in backups from before: after a kehai forget, write the keys
anew and destroy the old file.`,
		Example: "  kehai key backup kehai-2026-11-23.keys",
		Args:    cobra.ExactArgs(1),
		RunE:    v.backup,
	}, &cobra.Command{
		Use:     "restore FILE",
		Short:   "Put the keys of a backup into a data directory that has none, or lacks some",
		Example: "  kehai key restore kehai-2026-11-23.keys --data ~/kehai-restored",
		Args:    cobra.ExactArgs(1),
		RunE:    v.restore,
	}, &cobra.Command{
		Use:   "keychain",
		Short: "Move the keys that open the others into this Mac's keychain",
		Long: `Moves the key of the node, which opens the keys of all conversations, and the key of an
encrypted store from files into the login keychain; on a Mac the first run does so by
itself. A copy of the data directory alone then opens nothing. kehai key backup copies
them as before, and kehai key restore puts them back into files. If the keychain is
locked, Kehai does not start, and says so.`,
		Example: "  kehai key keychain",
		Args:    cobra.NoArgs,
		RunE:    v.keychain,
	}, (&anewVerb{app: v.app}).command())
}

// newKeys has the first keys of a data directory begin in the keychain of a Mac; where that fails
// they are files that nobody else may read.
func newKeys(cfg config.Config, log zerolog.Logger) {
	if goruntime.GOOS != "darwin" {
		return
	}
	if err := datadir.NewKeys(cfg); err != nil {
		log.Warn().Err(err).Str("mend", "kehai key keychain").Msg("keys_not_in_keychain")
	}
}

func (v *keyVerb) keychain(*cobra.Command, []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	if err := stored(cfg.Data); err != nil {
		return err
	}
	if err := keyring.IntoKeychain(datadir.Keys(cfg)); err != nil {
		return err
	}
	return v.stderr.printf("the keys that open the others are in the keychain; copy them to another place too: " +
		"kehai key backup FILE\n")
}

func (v *keyVerb) backup(_ *cobra.Command, args []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	if err := stored(cfg.Data); err != nil {
		return err
	}
	n := 0
	err = v.writeWhole(args[0], func(w io.Writer) error {
		n, err = keyring.Backup(datadir.Keys(cfg), w)
		return err
	})
	if err != nil {
		return err
	}
	return v.stderr.printf("%s in %s: keep it apart from the backups. %s\n", count(n, "key"),
		placeOf(args[0]), keyring.CopiedKeys)
}

func (v *keyVerb) restore(cmd *cobra.Command, args []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	f, err := openInput(cmd, "key restore", args[0])
	if err != nil {
		return badUsage("%w", err)
	}
	defer f.Close()
	got, err := datadir.RestoreKeys(cfg, v.quiet(cfg), f)
	if errors.Is(err, engine.ErrInUse) {
		return fmt.Errorf("a Kehai runs on %s: stop it first: %w", cfg.Data, err)
	}
	if errors.Is(err, keyring.ErrBackup) {
		return fmt.Errorf("%s: want a file that kehai key backup has written: %w", args[0], err)
	}
	if err != nil {
		return err
	}
	said := v.stderr.printf("%s restored into %s\n", count(got.Keys, "key"), datadir.Keys(cfg))
	if n := got.Destroyed; n > 0 {
		said = errors.Join(said, v.stderr.printf("%s of the file left out: destroyed here, or the damaged list of "+
			"keys does not tell; what was forgotten stays so\n", count(n, "key")))
	}
	if n := got.Ended; n > 0 {
		said = errors.Join(said, v.stderr.printf("%s of %s destroyed: %s tells that it was forgotten, and nothing "+
			"stored was opened with it\n", count(n, "key"), datadir.Keys(cfg), args[0]))
	}
	if n := got.Others; n > 0 {
		said = errors.Join(said, v.stderr.printf("%s of the file left out: there is another one for the same "+
			"conversation or window, which stays\n", count(n, "key")))
	}
	if got.Unfit {
		said = errors.Join(said, v.stderr.printf("the key of the store in %s is left out: it does not open the store "+
			"in %s. Take a copy of the keys from after the last kehai encrypt\n", args[0], cfg.Data))
	}
	var open *private.Exposed
	if errors.As(private.CheckFile(args[0]), &open) { // not refused: on some media all files are open
		said = errors.Join(said, v.stderr.printf("%s %s. %s Whoever has read it can read what it opens.\n", open.Path,
			open.What, open.Mend))
	}
	if said != nil {
		return said
	}
	return v.tellLacking(cfg)
}

// tellLacking says what is stored that the keys do not open.
func (a *app) tellLacking(cfg config.Config) error {
	closed, err := datadir.Lacking(cfg, a.quiet(cfg), conversationOf)
	if err != nil || closed.Rows == 0 {
		return err
	}
	return a.stderr.printf("%s: %s\n", lackingText(closed), mendLacking(closed))
}

// conversationOf is the conversation whose actor has a row, "" if none has it.
func conversationOf(row []byte) string {
	switch a := engine.OwnerOf(row); a.Kind() {
	case messages.ActorConversation, messages.ActorDedup, messages.ActorRecall:
		return a.Key()
	}
	return ""
}

// lackingMend fetches what lackingText misses.
const lackingMend = "before Kehai runs again, kehai key restore FILE with the newest copy of the keys"

// mendLacking says also what to do where there is no newer copy.
func mendLacking(c keyring.Closed) string {
	mend := lackingMend
	for _, id := range c.Conversations[:min(len(c.Conversations), 3)] {
		mend += "; if it was forgotten, kehai forget " + id + " removes what is left"
	}
	if c.Keys > len(c.Conversations) {
		mend += "; where there is no copy, kehai key anew says what is lost, and goes on without"
	}
	return mend
}

func lackingText(c keyring.Closed) string {
	return fmt.Sprintf("%s cannot be read, as %s: forgotten since the backup, or the keys are older "+
		"than the store", count(c.Rows, "row"), lack(c.Keys))
}

func lack(keys int) string {
	if keys == 1 {
		return "1 key is missing"
	}
	return fmt.Sprintf("%d keys are missing", keys)
}
