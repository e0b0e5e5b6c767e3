package datadir

import (
	"errors"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/rs/zerolog"
)

// anewSlice is how many rows go in one transaction.
const anewSlice = 1000

// Anew has whoever is about what lost keys sealed begin anew: it deletes the rows that no key opens, and nothing else,
// and ends those keys, if agree says so of them. It returns how many rows it has deleted. Killed at any moment, it can
// be done again. The error wraps engine.ErrInUse while a Kehai runs on the store.
func Anew(cfg config.Config, log zerolog.Logger, agree func([]keyring.Lost) (bool, error)) (rows int, err error) {
	st, err := OpenStore(cfg, log, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	lost, gone, err := keyring.Losses(Keys(cfg), func(yield func(key, value []byte) bool) error {
		return st.Scan(nil, nil, yield)
	})
	if err != nil || len(lost) == 0 {
		return 0, err
	}
	if ok, err := agree(lost); err != nil || !ok {
		return 0, err
	}
	for len(gone) > 0 {
		n := min(len(gone), anewSlice)
		ops := make([]engine.Op, n)
		for i, key := range gone[:n] {
			ops[i] = engine.Op{Key: key, Delete: true}
		}
		if err := st.Apply(ops, true); err != nil {
			return rows, err
		}
		rows, gone = rows+n, gone[n:]
	}
	return rows, keyring.GiveUp(Keys(cfg))
}
