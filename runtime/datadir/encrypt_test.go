package datadir

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

const canary = "canary 5e1d"

// filled is a data directory whose store has a row with the canary.
func filled(t *testing.T) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	st, err := OpenStore(cfg, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cfg.Data, logDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Data, logDir, "key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err = st.Apply([]engine.Op{{Key: []byte(canary), Value: []byte(canary)}}, true)
	if err = errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// copyLog copies a log that tells only its key.
func copyLog(from, to string, old, key []byte) error {
	is, err := os.ReadFile(filepath.Join(from, "key"))
	if err == nil && !bytes.Equal(is, old) {
		err = errors.New("a log with another key")
	}
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(to, "key"), key, 0o600))
}

// wantRow opens the store, and wants its row there, a log of the same key, and no trace of others.
func wantRow(t *testing.T, cfg config.Config) {
	t.Helper()
	st, err := OpenStore(cfg, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if row, ok, err := st.Get([]byte(canary)); !ok || err != nil || string(row) != canary {
		t.Errorf("the row is %q, %v, %v, want the canary", row, ok, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	key, err := StoreKey(cfg)
	is, lerr := os.ReadFile(filepath.Join(cfg.Data, logDir, "key"))
	if !bytes.Equal(is, key) || err != nil || lerr != nil {
		t.Errorf("the key of the log is %x (%v), want that of the store, %x (%v)", is, lerr, key, err)
	}
	for _, path := range []string{nextStore, oldStore, logDir + next, logDir + old, "keys/" + keyring.StoreKey + next} {
		if there(cfg, path) {
			t.Errorf("%s is still there", path)
		}
	}
}

// plain reports whether the canary stands in a file of the store.
func plain(t *testing.T, cfg config.Config) (found bool) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(cfg.Data, storeDir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		found = found || bytes.Contains(raw, []byte(canary))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func encrypt(t *testing.T, cfg config.Config, o Encryption, wantOwn bool) {
	t.Helper()
	o.CopyLog = copyLog
	if own, err := Encrypt(cfg, zerolog.Nop(), o); err != nil || own != wantOwn {
		t.Fatalf("Encrypt(%+v) = %v, %v, want %v", o, own, err, wantOwn)
	}
	wantRow(t, cfg)
}

func TestEncrypt(t *testing.T) {
	cfg := filled(t)
	if !plain(t, cfg) || Encrypted(cfg) {
		t.Fatal("the canary is not in the files of a plain store: this test shows nothing")
	}
	encrypt(t, cfg, Encryption{}, true)
	first, err := ownKey(cfg)
	if err != nil || plain(t, cfg) || !Encrypted(cfg) {
		t.Errorf("after Encrypt the canary is in the files: %v (%v)", plain(t, cfg), err)
	}
	if _, err := Encrypt(cfg, zerolog.Nop(), Encryption{}); !errors.Is(err, ErrEncrypted) {
		t.Errorf("Encrypt of an encrypted store = %v, want %v", err, ErrEncrypted)
	}
	encrypt(t, cfg, Encryption{NewKey: true}, true)
	if second, err := ownKey(cfg); err != nil || bytes.Equal(first, second) {
		t.Errorf("the key is as before (%v), want another", err)
	}
	named := cfg
	named.Encryption.KeyFile = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(named.Encryption.KeyFile, bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	encrypt(t, named, Encryption{}, false)
	old := named.Encryption.KeyFile
	named.Encryption.KeyFile += "2"
	if err := os.WriteFile(named.Encryption.KeyFile, bytes.Repeat([]byte{8}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	encrypt(t, named, Encryption{OldKey: old}, false)
	if err := os.Rename(named.Encryption.KeyFile, old); err != nil {
		t.Fatal(err)
	}
	off := Encryption{Off: true, OldKey: old, CopyLog: copyLog}
	if own, err := Encrypt(cfg, zerolog.Nop(), off); err != nil || !own {
		t.Fatalf("Encrypt(off) = %v, %v", own, err)
	}
	wantRow(t, cfg)
	if !plain(t, cfg) || Encrypted(cfg) {
		t.Error("after Encrypt(off) the canary is in no file, want the store in plain")
	}
}

// The place of a key that was made is none that somebody has named: whatever it looks like, it is
// no key by mistake.
func TestThePlaceOfAKeyIsNoKey(t *testing.T) {
	for n := range 24 {
		cfg := config.Default()
		cfg.Data = filepath.Join(t.TempDir(), "Ab1"+strings.Repeat("x", n))
		if err := os.MkdirAll(Keys(cfg), 0o700); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(filepath.Join(Keys(cfg), keyring.StoreKey), []byte(strings.Repeat("ab", 32)+"\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := ownKey(cfg); len(key) != 32 || err != nil {
			t.Errorf("ownKey() in %s = %d bytes, %v, want a key", cfg.Data, len(key), err)
		}
	}
}

// A key that was made and is in use no more does not stay: it would be taken for the store's.
func TestNoStaleKeyStays(t *testing.T) {
	cfg := filled(t)
	encrypt(t, cfg, Encryption{}, true)
	named := cfg
	named.Encryption.KeyFile = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(named.Encryption.KeyFile, bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	encrypt(t, named, Encryption{}, false)
	if key, err := ownKey(cfg); key != nil || err != nil {
		t.Errorf("the key that was in use before is still there, %v", err)
	}
	off := Encryption{Off: true, CopyLog: copyLog}
	if own, err := Encrypt(named, zerolog.Nop(), off); err != nil || own {
		t.Fatalf("Encrypt(off) = %v, %v", own, err)
	}
	wantRow(t, cfg)
}

// Between the moment in which a start has read the key and the one in which it has opened the
// store no other process changes either.
func TestOpeningExcludesEncrypt(t *testing.T) {
	cfg := filled(t)
	st, err := openSettled(cfg, zerolog.Nop(), nil, func() {
		if _, err := Encrypt(cfg, zerolog.Nop(), Encryption{}); !errors.Is(err, engine.ErrInUse) {
			t.Errorf("Encrypt while a store is opened = %v, want it in use", err)
		}
	})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	encrypt(t, cfg, Encryption{}, true)
}

// A store whose key is lost is not made anew, and the error names the place of the key,
// which a backup of the keys fills.
func TestLostStoreKey(t *testing.T) {
	cfg := filled(t)
	encrypt(t, cfg, Encryption{}, true)
	keys, err := OpenKeys(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Seal(nil, "", nil, nil); err != nil { // makes the node's key
		t.Fatal(err)
	}
	var backup bytes.Buffer
	if _, err := keyring.Backup(Keys(cfg), &backup); err != nil {
		t.Fatal(err)
	}
	elsewhere := filled(t) // a restored store is plain
	if _, err := RestoreKeys(elsewhere, zerolog.Nop(), bytes.NewReader(backup.Bytes())); err != nil {
		t.Fatal(err)
	}
	if key, err := ownKey(elsewhere); key != nil || err != nil {
		t.Errorf("a plain store has got a key, %v", err)
	}
	wantRow(t, elsewhere)
	path := filepath.Join(Keys(cfg), keyring.StoreKey)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(cfg, zerolog.Nop(), nil); err == nil || errors.Is(err, engine.ErrKey) {
		t.Errorf("OpenStore with a key that others read = %v, want it refused", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() error{
		func() error { _, err := OpenStore(cfg, zerolog.Nop(), nil); return err },
		func() error { _, err := Encrypt(cfg, zerolog.Nop(), Encryption{}); return err },
	} {
		if err := open(); !errors.Is(err, engine.ErrKey) || !bytes.Contains([]byte(err.Error()), []byte(path)) {
			t.Errorf("without its key: %v, want %v and %s", err, engine.ErrKey, path)
		}
	}
	if _, err := RestoreKeys(cfg, zerolog.Nop(), &backup); err != nil {
		t.Fatal(err)
	}
	wantRow(t, cfg)
}

// Killed before any step, the store is as before or as it is to be.
func TestEncryptIsKilled(t *testing.T) {
	killed := errors.New("killed")
	for _, o := range []Encryption{{}, {NewKey: true}, {Off: true}} {
		var steps []string
		for at := 0; at == 0 || at < len(steps); at++ {
			cfg := filled(t)
			if o.NewKey || o.Off {
				encrypt(t, cfg, Encryption{}, true)
			}
			before, _ := ownKey(cfg)
			steps = steps[:0]
			do := o
			do.CopyLog = copyLog
			do.step = func(name string) error {
				if steps = append(steps, name); len(steps) == at+1 {
					return killed
				}
				return nil
			}
			if _, err := Encrypt(cfg, zerolog.Nop(), do); !errors.Is(err, killed) {
				t.Fatalf("Encrypt, killed before step %d = %v, want %v", at, err, killed)
			}
			reached := slices.Clone(steps)
			wantRow(t, cfg)
			if key, _ := ownKey(cfg); bytes.Equal(key, before) != (len(reached) < 4) {
				t.Errorf("killed before %q the key changed: %v", reached[at], !bytes.Equal(key, before))
			}
			if len(reached) < 4 { // not begun
				encrypt(t, cfg, o, true)
			}
			steps = []string{"copy", "copy the log", "aside", "in its place", "log", "key", "remove"}
		}
	}
}

// While one process changes the key no other opens the store, not even between the two.
func TestEncryptExcludes(t *testing.T) {
	cfg := filled(t)
	tried := 0
	_, err := Encrypt(cfg, zerolog.Nop(), Encryption{CopyLog: copyLog, step: func(name string) error {
		tried++
		if st, err := OpenStore(cfg, zerolog.Nop(), nil); !errors.Is(err, engine.ErrInUse) {
			t.Errorf("OpenStore before %q = %v, %v, want it in use", name, st, err)
		}
		return nil
	}})
	if err != nil || tried != 7 {
		t.Errorf("Encrypt() = %v after %d steps, want 7", err, tried)
	}
	wantRow(t, cfg)
}

// A log that is copied by itself is whole whenever that is killed, and a copy that lies about is
// no log.
func TestRewriteLog(t *testing.T) {
	cfg := filled(t)
	encrypt(t, cfg, Encryption{}, true)
	log := filepath.Join(cfg.Data, logDir)
	key, _ := StoreKey(cfg)
	if err := os.WriteFile(filepath.Join(log, "key"), nil, 0o600); err != nil { // of an older version
		t.Fatal(err)
	}
	copied := func(from, to string) error { return copyLog(from, to, nil, key) }
	if err := copied(log, log+next); err != nil {
		t.Fatal(err)
	}
	for _, moved := range [][2]string{{log, log + old}, {log + next, log}} { // killed after each
		if err := os.Rename(moved[0], moved[1]); err != nil {
			t.Fatal(err)
		}
		wantRow(t, cfg)
		if err := os.WriteFile(filepath.Join(log, "key"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := copied(log, log+next); err != nil {
			t.Fatal(err)
		}
		if moved[0] == log {
			if err := os.Rename(log, log+old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := RewriteLog(cfg.Data, copied); err != nil {
		t.Error(err)
	}
	wantRow(t, cfg)
}
