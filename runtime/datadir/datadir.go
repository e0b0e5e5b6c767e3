package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/rs/zerolog"
)

// OpenStore opens the Badger store of a configuration. stopped, if not nil, is called
// when the store stops for good.
func OpenStore(cfg config.Config, log zerolog.Logger, stopped func(error)) (engine.Store, error) {
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return nil, err
	}
	return openSettled(cfg, log, stopped, func() {})
}

// openSettled keeps [Encrypt] from changing the places of stores between the reading of the key
// and the opening of the store, where tests call between.
func openSettled(cfg config.Config, log zerolog.Logger, stopped func(error), between func()) (engine.Store, error) {
	settled, err := settle(cfg)
	if err != nil {
		return nil, err
	}
	defer settled.Close()
	key, err := StoreKey(cfg)
	if err != nil {
		return nil, err
	}
	if key == nil {
		log.Info().Str("mend", "kehai encrypt").Msg("store_not_encrypted")
	}
	between()
	st, err := openStore(cfg, filepath.Join(cfg.Data, storeDir), key, log, stopped)
	if err != nil {
		return nil, lostKey(cfg, others(cfg, err))
	}
	return st, nil
}

// OwnStore refuses the store of another cluster, or of another machine, in the place of a member's own: its keys are
// not there, and it must not be changed.
func OwnStore(cfg config.Config, st engine.Store) error {
	if !there(cfg, generationFile) {
		return nil // no member, or not yet
	}
	mine, err := os.ReadFile(filepath.Join(cfg.Data, storeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("datadir: which store this machine has: %w", err)
	}
	id, shares, err := engine.StoreID(st)
	if err == nil && shares && id != string(mine) {
		err = fmt.Errorf("datadir: %w", cluster.ErrOtherStore)
	}
	return err
}

// others has an error about a damaged store of a member of a cluster advise what loses nothing: a backup is older than
// what the others have.
func others(cfg config.Config, err error) error {
	fault := new(store.Fault)
	if !errors.As(err, &fault) || !errors.Is(err, engine.ErrCorrupt) || !there(cfg, logDir) {
		return err
	}
	told := *fault
	told.Next = "Move the directory away: at the next start Kehai fetches what the other machines of its cluster " +
		"have. What only this machine kept, such as the last look at its windows, begins anew."
	return &told
}

func openStore(
	cfg config.Config, dir string, key []byte, log zerolog.Logger, stopped func(error),
) (*store.Store, error) {
	return store.Open(store.Options{Dir: dir, Key: key, Logger: log, MinFree: uint64(cfg.Store.MinFree),
		OnStop: stopped})
}

// Keys returns the directory of the keys that seal the store of a configuration.
func Keys(cfg config.Config) string { return keysOf(cfg.Data) }

func keysOf(data string) string { return filepath.Join(data, "keys") }

// Receipts returns the directory of the receipts of forgetting.
func Receipts(cfg config.Config) string { return filepath.Join(cfg.Data, "receipts") }

// PromptFolder is where files replace the built-in texts that language models are
// asked with, one for each: ja/reply.txt for ja/reply. It need not exist.
func PromptFolder(cfg config.Config) string { return filepath.Join(cfg.Data, "prompts") }

// Prompts reads the texts that language models are asked with. A file that cannot
// be used is an error that wraps [config.ErrConfig] and says where.
func Prompts(cfg config.Config) (*prompt.Catalogue, error) {
	catalogue, err := prompt.Load(os.DirFS(PromptFolder(cfg)))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", config.ErrConfig, PromptFolder(cfg), err)
	}
	return catalogue, nil
}

// Restore puts a backup into the store of a configuration, which must be empty or not
// exist yet.
func Restore(cfg config.Config, log zerolog.Logger, backup io.Reader) error {
	st, err := OpenStore(cfg, log, nil)
	if err != nil {
		return err
	}
	return errors.Join(st.Restore(backup), st.Close())
}

// destroyed are the keys that receipts of forgetting name, and those that other members of the cluster had destroyed.
func destroyed(cfg config.Config) ([]engine.Key, error) {
	keys, err := keyring.Destroyed(Receipts(cfg))
	if err != nil {
		return nil, err
	}
	lines, err := os.ReadFile(filepath.Join(cfg.Data, destroyedFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("datadir: %w", err)
	}
	for _, print := range strings.Fields(string(lines)) {
		keys = append(keys, engine.Key{Fingerprint: print})
	}
	return keys, nil
}

// usedIn reports which keys open rows of a store. It reads them at the first question.
func usedIn(cfg config.Config, st engine.Store) func(name string) (bool, error) {
	names := sync.OnceValues(func() (map[string]bool, error) {
		return keyring.Used(Keys(cfg), func(yield func(key, value []byte) bool) error {
			return st.Scan(nil, nil, yield)
		})
	})
	return func(name string) (bool, error) {
		all, err := names()
		return all[name], err
	}
}

// RestoreKeys puts a backup of the keys into the data directory of a configuration, except for those that were
// destroyed or that have a successor. The error wraps engine.ErrInUse while a
// Kehai runs on the store: it would go on with the keys that it knows.
func RestoreKeys(cfg config.Config, log zerolog.Logger, backup io.Reader) (got keyring.Restored, err error) {
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return got, err
	}
	destroyed, err := destroyed(cfg)
	if err != nil {
		return got, err
	}
	opens := false
	t := keyring.Taking{Destroyed: destroyed, KeepOthers: true}
	if _, err := os.Stat(filepath.Join(cfg.Data, storeDir)); !errors.Is(err, fs.ErrNotExist) {
		st, err := OpenStore(cfg, log, nil)
		if opens = err == nil; opens {
			defer st.Close()
			t.Used = usedIn(cfg, st)
		} else if !errors.Is(err, engine.ErrKey) { // the key of the store may be among them
			return got, err
		}
	}
	switch {
	case opens: // the store does without, or has a newer one
		t.Without = []string{keyring.StoreKey}
	case there(cfg, storeDir):
		t.StoreFits = func(raw []byte) (bool, error) { return opensWith(cfg, log, raw) }
		t.Used = func(string) (bool, error) { return true, nil } // nobody can tell yet
	}
	return t.Restore(Keys(cfg), backup)
}

// Lacking is [keyring.Lacking] for the store of a configuration; the error wraps
// engine.ErrInUse while a Kehai runs on it.
func Lacking(cfg config.Config, log zerolog.Logger, conversation func(row []byte) string) (
	c keyring.Closed, err error,
) {
	if _, err := os.Stat(filepath.Join(cfg.Data, "store")); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	st, err := OpenStore(cfg, log, nil)
	if err != nil {
		return c, err
	}
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.CloseWithError(st.Snapshot(out))
	}()
	c, err = keyring.Lacking(Keys(cfg), in, conversation)
	in.Close()
	<-done
	return c, errors.Join(err, st.Close())
}

// OpenKeys opens the keys that seal the store of a configuration.
func OpenKeys(cfg config.Config) (engine.Sealer, error) {
	ring, err := keyring.Open(Keys(cfg))
	if err != nil {
		return nil, err
	}
	return ring, nil
}

// NewKeys has the keys of a data directory that has none yet begin in the keychain of this Mac.
func NewKeys(cfg config.Config) error {
	if files, err := os.ReadDir(Keys(cfg)); len(files) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // who opens them says what is wrong
	}
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return err
	}
	return keyring.IntoKeychain(Keys(cfg))
}
