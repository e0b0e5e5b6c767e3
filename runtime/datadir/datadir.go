package datadir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
	key, err := config.ReadKey(cfg.Encryption, os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return nil, err
	}
	return store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store"), Key: key, Logger: log,
		MinFree: uint64(cfg.Store.MinFree), OnStop: stopped})
}

// Keys returns the directory of the keys that seal the store of a configuration.
func Keys(cfg config.Config) string { return filepath.Join(cfg.Data, "keys") }

// Restore puts a backup into the store of a configuration, which must be empty or not
// exist yet.
func Restore(cfg config.Config, log zerolog.Logger, backup io.Reader) error {
	st, err := OpenStore(cfg, log, nil)
	if err != nil {
		return err
	}
	return errors.Join(st.Restore(backup), st.Close())
}

// RestoreKeys puts a backup of the keys into the data directory of a configuration, which
// must have none, and returns how many there are. The error wraps engine.ErrInUse while a
// Kehai runs on the store: it would go on with the keys that it knows.
func RestoreKeys(cfg config.Config, log zerolog.Logger, backup io.Reader) (keys int, err error) {
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return 0, err
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "store")); !errors.Is(err, fs.ErrNotExist) {
		st, err := OpenStore(cfg, log, nil)
		if err != nil {
			return 0, err
		}
		defer st.Close()
	}
	return keyring.Restore(Keys(cfg), backup)
}

// OpenKeys opens the keys that seal the store of a configuration.
func OpenKeys(cfg config.Config) (engine.Sealer, error) {
	ring, err := keyring.Open(Keys(cfg))
	if err != nil {
		return nil, err
	}
	return ring, nil
}
