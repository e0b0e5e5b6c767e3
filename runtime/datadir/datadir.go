package datadir

import (
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/rs/zerolog"
)

// OpenStore opens the Badger store of a configuration. stopped, if not nil, is
// told when the store stops for good.
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

// OpenKeys opens the keys that seal the store of a configuration.
func OpenKeys(cfg config.Config) (engine.Sealer, error) {
	ring, err := keyring.Open(filepath.Join(cfg.Data, "keys"))
	if err != nil {
		return nil, err
	}
	return ring, nil
}
