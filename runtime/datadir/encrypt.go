package datadir

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/secret"
	"github.com/kehai-run/kehai/runtime/store"
)

// Encryption is what [Encrypt] does. The zero value encrypts a plain store.
type Encryption struct {
	Off    bool   // write the store in plain
	NewKey bool   // change the key
	OldKey string // file with the present key, if no place that is known has it
	// CopyLog copies what a cluster's member keeps of its replicated log into a directory that is
	// not there yet, from one key to another. Nil: such a log is refused.
	CopyLog func(from, to string, old, key []byte) error
	// step is called before each step that a crash can separate from the next. Nil: it is
	// not; tests fail there.
	step func(name string) error
}

// ErrEncrypted says that a store is already as [Encrypt] would leave it.
var ErrEncrypted = errors.New("datadir: nothing to do")

// Names in a data directory. The copy is made in nextStore, and the other two are seen
// only when the stores change places. A key that ends in next belongs to the copy; an
// empty one says that the copy has none of its own.
const (
	storeDir  = "store"
	nextStore = storeDir + next
	oldStore  = storeDir + old
	storeLock = "store.lock"
	logDir    = "cluster/log"

	// What a member notes of its store; see package seat.
	storeFile      = "cluster/store"
	generationFile = "cluster/generation"
	destroyedFile  = "cluster/destroyed" // of package keys
	next           = ".next"
	old            = ".old"

	keyBytes = 32
)

// StoreKey reads the key of the store, nil if it has none: the one that the configuration
// names, else the one that [Encrypt] has made.
func StoreKey(cfg config.Config) ([]byte, error) {
	key, err := config.ReadKey(cfg.Encryption, os.Getenv)
	if key != nil || err != nil {
		return key, err
	}
	return ownKey(cfg)
}

func ownKey(cfg config.Config) ([]byte, error) {
	path := filepath.Join(Keys(cfg), keyring.StoreKey)
	raw, ok, err := keyring.ReadStoreKey(Keys(cfg))
	if err != nil || !ok {
		return nil, err
	}
	if err := private.CheckFile(path); err != nil {
		return nil, err
	}
	key, ok := ownKeyIn(raw)
	if !ok {
		return nil, fmt.Errorf("datadir: %s does not hold a key: put it back from a backup: kehai key restore FILE: %w",
			path, engine.ErrKey)
	}
	return key, nil
}

// ownKeyIn reads a key as [Encrypt] wrote it.
func ownKeyIn(raw []byte) (key []byte, ok bool) {
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	return key, err == nil && len(key) == keyBytes
}

// opensWith reports whether what keyring.StoreKey holds opens the store.
func opensWith(cfg config.Config, log zerolog.Logger, raw []byte) (fits bool, err error) {
	key, ok := ownKeyIn(raw)
	if !ok {
		return false, nil
	}
	settled, err := settle(cfg)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, settled.Close()) }()
	st, err := openStore(cfg, filepath.Join(cfg.Data, storeDir), key, log, nil)
	if errors.Is(err, engine.ErrKey) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, st.Close()
}

// Encrypted reports whether a configuration has a key for its store.
func Encrypted(cfg config.Config) bool {
	key, err := StoreKey(cfg)
	return key != nil || err != nil
}

// Encrypt copies the store of a configuration, with another key, into a directory beside
// it, which then takes its place. No Kehai may run on it. Killed at any moment it has
// either not begun or is finished by the next start. own reports whether the key is now
// in the directory of the keys, not named by the configuration.
func Encrypt(cfg config.Config, log zerolog.Logger, o Encryption) (own bool, err error) {
	if !there(cfg, storeDir) && !Unsettled(cfg.Data) {
		return false, fmt.Errorf("datadir: no store in %s: run `kehai run` first, or give --data DIR", cfg.Data)
	}
	if err := private.Check(cfg.Data, private.Unwritable); err != nil {
		return false, err
	}
	lock, err := lockStores(cfg.Data, private.Lock)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := settleLocked(cfg); err != nil {
		return false, err
	}
	from, present, err := openAny(cfg, log, o.OldKey)
	if err != nil {
		return false, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, from.Close())
		}
	}()
	key, own, err := o.choose(cfg, present)
	if err != nil {
		return false, err
	}
	err = o.copy(cfg, log, from, key, own)
	if err == nil && there(cfg, logDir) {
		err = o.copyLog(cfg, present, key)
	}
	if err != nil {
		return false, errors.Join(err, discard(cfg))
	}
	closed = true
	if err := from.Close(); err != nil {
		return false, err
	}
	return own, o.swap(cfg)
}

func (o Encryption) before(name string) error {
	if o.step == nil {
		return nil
	}
	return o.step(name)
}

// choose returns the key of the copy, nil for none; own keys are kept by [Encrypt].
func (o Encryption) choose(cfg config.Config, old []byte) (key []byte, own bool, err error) {
	named, err := config.ReadKey(cfg.Encryption, os.Getenv)
	if err != nil {
		return nil, false, err
	}
	switch {
	case o.Off && old == nil:
		return nil, false, fmt.Errorf("%w: the store is not encrypted", ErrEncrypted)
	case o.Off:
		return nil, named == nil, nil
	case named != nil && string(named) == string(old):
		return nil, false, fmt.Errorf("%w: the store is encrypted with the key that encryption.key_file or key_env "+
			"names: for another key name that one there, and give this one as --old-key-file", ErrEncrypted)
	case named != nil:
		return named, false, nil
	case old != nil && !o.NewKey:
		return nil, false, fmt.Errorf("%w: the store is encrypted: --new-key changes the key", ErrEncrypted)
	}
	key = make([]byte, keyBytes)
	rand.Read(key) // never fails
	return key, true, nil
}

// openAny opens a store with whichever key fits.
func openAny(cfg config.Config, log zerolog.Logger, file string) (st *store.Store, key []byte, err error) {
	keys := [][]byte{nil}
	for _, read := range []func() ([]byte, error){
		func() ([]byte, error) { return config.ReadKey(cfg.Encryption, os.Getenv) },
		func() ([]byte, error) { return ownKey(cfg) },
		func() ([]byte, error) { return secret.Place{Flag: "--old-key-file", File: file}.Key() },
	} {
		key, err := read()
		if err != nil {
			return nil, nil, err
		}
		if key != nil {
			keys = append(keys, key)
		}
	}
	for _, key = range keys {
		st, err = openStore(cfg, filepath.Join(cfg.Data, storeDir), key, log, nil)
		if !errors.Is(err, engine.ErrKey) {
			return st, key, err
		}
	}
	if file != "" {
		return nil, nil, fmt.Errorf("datadir: --old-key-file %s does not hold the key of the store: give the file "+
			"with the key that it was last encrypted with: %w", file, err)
	}
	return nil, nil, lostKey(cfg, err)
}

func (o Encryption) copy(cfg config.Config, log zerolog.Logger, from *store.Store, key []byte, own bool) error {
	var text []byte // an own key that is not the copy's would be taken for it one day
	if own && key != nil {
		text = []byte(hex.EncodeToString(key) + "\n")
	}
	if err := writeKey(cfg, text); err != nil {
		return err
	}
	if err := o.before("copy"); err != nil {
		return err
	}
	to, err := openStore(cfg, filepath.Join(cfg.Data, nextStore), key, log, nil)
	if err != nil {
		return err
	}
	in, out := io.Pipe()
	go func() { out.CloseWithError(from.Snapshot(out)) }()
	err = to.Restore(in)
	in.CloseWithError(io.ErrClosedPipe)
	return errors.Join(err, to.Close(), syncDirs(filepath.Join(cfg.Data, nextStore), cfg.Data))
}

func (o Encryption) copyLog(cfg config.Config, present, key []byte) error {
	if o.CopyLog == nil {
		return errors.New("datadir: this program cannot encrypt the log of a cluster: `kehai encrypt` can")
	}
	if err := o.before("copy the log"); err != nil {
		return err
	}
	log := filepath.Join(cfg.Data, logDir)
	if err := o.CopyLog(log, log+next, present, key); err != nil {
		return err
	}
	return syncDirs(log+next, filepath.Dir(log))
}

// RewriteLog replaces what a cluster's member keeps of its replicated log by a copy, as [Encrypt]
// does, while the caller has the store open and not yet the log.
func RewriteLog(data string, copy func(from, to string) error) (err error) {
	lock, err := lockStores(data, private.Share)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	log := filepath.Join(data, logDir)
	err = os.RemoveAll(log + next)
	if err == nil {
		err = copy(log, log+next)
	}
	if err == nil {
		err = syncDirs(log+next, filepath.Dir(log))
	}
	if err != nil {
		return fmt.Errorf("datadir: copy the log: %w", err)
	}
	return turnLog(data)
}

// turnLog puts a whole copy of the log into its place, if there is one. From when the log is aside
// that is done again after a crash.
func turnLog(data string) error {
	log := filepath.Join(data, logDir)
	exists := func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil
	}
	var err error
	if exists(log+next) && exists(log) {
		err = os.Rename(log, log+old)
	}
	if err == nil && exists(log+next) {
		err = errors.Join(os.Rename(log+next, log), syncDirs(filepath.Dir(log)))
	}
	if err == nil {
		err = os.RemoveAll(log + old)
	}
	if err != nil {
		return fmt.Errorf("datadir: put the copy of the log in its place: %w", err)
	}
	return nil
}

func writeKey(cfg config.Config, text []byte) error {
	dir := Keys(cfg)
	if err := private.Make(dir, private.Closed); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, keyring.StoreKey+next), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("datadir: keep the key of the store: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close(), syncDirs(dir))
}

// swap puts the copy into the place of the store.
func (o Encryption) swap(cfg config.Config) error {
	at := func(name string) string { return filepath.Join(cfg.Data, name) }
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"put the store aside", func() error { return os.Rename(at(storeDir), at(oldStore)) }},
		{"put the copy in its place", func() error { return os.Rename(at(nextStore), at(storeDir)) }},
		{"put the log's copy in its place", func() error { return turnLog(cfg.Data) }},
		{"change the key", func() error { return errors.Join(syncDirs(cfg.Data), turnKey(cfg)) }},
		{"remove what was the store", func() error { return os.RemoveAll(at(oldStore)) }},
	} {
		err := o.before(s.name)
		if err == nil {
			err = s.do()
		}
		if err != nil {
			return fmt.Errorf("datadir: %s: %w", s.name, err)
		}
	}
	return nil
}

// turnKey makes the key of the copy the one of the store.
func turnKey(cfg config.Config) error {
	key := filepath.Join(Keys(cfg), keyring.StoreKey)
	info, err := os.Stat(key + next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() > 0:
		err = os.Rename(key+next, key)
	default:
		if err = os.Remove(key); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(key + next)
		}
	}
	return errors.Join(err, syncDirs(Keys(cfg)))
}

// settle finishes or undoes an [Encrypt] that was killed, and lets none begin until what it
// returns is closed.
func settle(cfg config.Config) (io.Closer, error) {
	for {
		settled, err := lockStores(cfg.Data, private.Share)
		if err != nil || !unsettled(cfg) {
			return settled, err
		}
		if err := settled.Close(); err != nil {
			return nil, fmt.Errorf("datadir: %w", err)
		}
		lock, err := lockStores(cfg.Data, private.Lock)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(settleLocked(cfg), lock.Close()); err != nil {
			return nil, err
		}
	}
}

func unsettled(cfg config.Config) bool {
	return there(cfg, nextStore) || Unsettled(cfg.Data) || there(cfg, logDir+next) || there(cfg, logDir+old)
}

func settleLocked(cfg config.Config) error {
	if there(cfg, logDir+old) {
		if err := turnLog(cfg.Data); err != nil {
			return err
		}
	}
	if !Unsettled(cfg.Data) {
		return discard(cfg)
	}
	if !there(cfg, storeDir) && there(cfg, nextStore) {
		if err := os.Rename(filepath.Join(cfg.Data, nextStore), filepath.Join(cfg.Data, storeDir)); err != nil {
			return fmt.Errorf("datadir: %w", err)
		}
	}
	if !there(cfg, storeDir) {
		return nil
	}
	err := errors.Join(syncDirs(cfg.Data), turnLog(cfg.Data))
	if err == nil {
		err = turnKey(cfg)
	}
	if err == nil {
		err = os.RemoveAll(filepath.Join(cfg.Data, oldStore))
	}
	if err != nil {
		return fmt.Errorf("datadir: finish the change of the key: %w", err)
	}
	return nil
}

// discard removes a copy that was not finished, and then its key.
func discard(cfg config.Config) error {
	err := errors.Join(os.RemoveAll(filepath.Join(cfg.Data, nextStore)),
		os.RemoveAll(filepath.Join(cfg.Data, logDir+next)))
	if err == nil {
		err = os.Remove(filepath.Join(Keys(cfg), keyring.StoreKey+next))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("datadir: %w", err)
	}
	return nil
}

// Unsettled reports whether stores were changing places when an [Encrypt] was killed.
func Unsettled(data string) bool {
	_, err := os.Lstat(filepath.Join(data, oldStore))
	return err == nil
}

func there(cfg config.Config, name string) bool {
	_, err := os.Lstat(filepath.Join(cfg.Data, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// lockStores keeps two processes from changing places of the same stores, or one from opening
// what the other moves.
func lockStores(data string, how func(path string) (io.Closer, error)) (io.Closer, error) {
	lock, err := how(filepath.Join(data, storeLock))
	if errors.Is(err, private.ErrHeld) {
		return nil, fmt.Errorf("%w: kehai encrypt is at work on %s, or Kehai just starts: wait for it",
			engine.ErrInUse, data)
	}
	return lock, err
}

// lostKey adds to an error about a wrong or missing key where the key belongs.
func lostKey(cfg config.Config, err error) error {
	if !errors.Is(err, engine.ErrKey) {
		return err
	}
	return fmt.Errorf("%w It belongs into %s, or to where `encryption.key_file` or `encryption.key_env` says", err,
		filepath.Join(Keys(cfg), keyring.StoreKey))
}

func syncDirs(paths ...string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			return fmt.Errorf("datadir: %w", err)
		}
	}
	return nil
}
