package datadir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/private"
)

// A data directory is opened once.
func TestOpen(t *testing.T) {
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	st, err := OpenStore(cfg, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(cfg, zerolog.Nop(), nil); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("OpenStore() of an open one = %v, want ErrInUse", err)
	}
	if maintenance.DiskOf(st) == maintenance.DiskOf(nil) {
		t.Error("DiskOf() of a store in files has nothing to do, want its disk")
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKeys(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "store")); err != nil {
		t.Errorf("the data directory lacks the store: %v", err)
	}
}

// A data directory in which others may change something is refused, before anything is
// made in it.
func TestOpenOfAnExposedOne(t *testing.T) {
	for _, mode := range []os.FileMode{0o770, 0o720, 0o777} {
		cfg := config.Default()
		cfg.Data = t.TempDir()
		err := errors.Join(os.WriteFile(filepath.Join(cfg.Data, "file"), nil, 0o600), os.Chmod(cfg.Data, mode))
		if err != nil {
			t.Fatal(err)
		}
		var exposed *private.Exposed
		st, err := OpenStore(cfg, zerolog.Nop(), nil)
		if !errors.As(err, &exposed) || exposed.Path != cfg.Data {
			t.Errorf("OpenStore() of a directory of mode %v = %v, %v, want it refused", mode, st, err)
		}
		_, err = RestoreKeys(cfg, zerolog.Nop(), strings.NewReader(""))
		if !errors.As(err, &exposed) || exposed.Path != cfg.Data {
			t.Errorf("RestoreKeys() in a directory of mode %v = %v, want it refused", mode, err)
		}
		if made, err := os.ReadDir(cfg.Data); err != nil || len(made) != 1 {
			t.Errorf("what is refused holds %v, %v, want nothing made in it", made, err)
		}
	}
}

// Face trackers connect beside the socket of the command line, also where that is moved
// because its path would be too long.
func TestFeedSocket(t *testing.T) {
	near, err := FeedSocket("/d")
	if err != nil || near != "/d/focus.sock" {
		t.Errorf("FeedSocket(/d) = %s, %v, want /d/focus.sock", near, err)
	}
	far, err := FeedSocket("/" + strings.Repeat("d", 200))
	if err != nil || !strings.HasSuffix(far, ".feed") || len(far) > 100 {
		t.Errorf("FeedSocket(a long path) = %s, %v, want a short one of its own", far, err)
	}
}

// The damaged store of a machine that is in a cluster is not to be replaced by a backup, which is older than what the
// others have.
func TestADamagedStoreOfAMember(t *testing.T) {
	for _, member := range []bool{false, true} {
		cfg := filled(t)
		if !member {
			if err := os.RemoveAll(filepath.Join(cfg.Data, logDir)); err != nil {
				t.Fatal(err)
			}
		}
		tables, err := filepath.Glob(filepath.Join(cfg.Data, storeDir, "*.vlog"))
		if err != nil || len(tables) == 0 {
			t.Fatal(tables, err)
		}
		for _, name := range append(tables, filepath.Join(cfg.Data, storeDir, "MANIFEST")) {
			if err := os.WriteFile(name, []byte("damaged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err = OpenStore(cfg, zerolog.Nop(), nil)
		if !errors.Is(err, engine.ErrCorrupt) || strings.Contains(err.Error(), "kehai restore") == member ||
			strings.Contains(err.Error(), "fetches what the other machines") != member {
			t.Errorf("in a cluster %v: OpenStore() = %v", member, err)
		}
	}
}

// What another member of the cluster had destroyed is not restored, though the receipt is there and not here.
func TestKeysThatTheClusterDestroyed(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	keys, err := keyring.Open(Keys(cfg))
	if err != nil {
		t.Fatal(err)
	}
	place, rows := []byte("p"), map[string][]byte{}
	for _, c := range []string{"gone", "kept"} {
		if rows[c], err = keys.Seal(nil, c, place, []byte(c)); err != nil {
			t.Fatal(err)
		}
	}
	gone, _, err := keys.KeyOf("gone")
	if err != nil {
		t.Fatal(err)
	}
	var backup bytes.Buffer
	if _, err := keyring.Backup(Keys(cfg), &backup); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.Data, destroyedFile)
	if err := errors.Join(os.RemoveAll(Keys(cfg)), os.Mkdir(filepath.Dir(path), 0o700),
		os.WriteFile(path, []byte(gone.Fingerprint+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	got, err := RestoreKeys(cfg, zerolog.Nop(), &backup)
	if err != nil || got.Destroyed != 1 {
		t.Errorf("RestoreKeys() = %+v, %v, want a key left out", got, err)
	}
	ring := keyring.Reader(Keys(cfg))
	if plain, err := ring.Open(place, rows["gone"]); err == nil {
		t.Errorf("what was forgotten says %q", plain)
	}
	if plain, err := ring.Open(place, rows["kept"]); err != nil || string(plain) != "kept" {
		t.Errorf("the other row says %q, %v", plain, err)
	}
}

// A key that a newer copy of the keys tells as destroyed ends once it opens nothing in the store.
func TestAKeyThatOpensSomethingIsUsed(t *testing.T) {
	for _, used := range []bool{false, true} {
		cfg := config.Default()
		cfg.Data = t.TempDir()
		keys, err := keyring.Open(Keys(cfg))
		if err != nil {
			t.Fatal(err)
		}
		row := engine.Op{Key: []byte("s/dedup/line:Hana\x00tail\x001")}
		row.Value, err = keys.Seal([]byte("\x00ks\x01"), "line:Hana", row.Key, []byte(`1 {"text":"secret"}`))
		if err != nil {
			t.Fatal(err)
		}
		var older, newer bytes.Buffer
		_, err = keyring.Backup(Keys(cfg), &older)
		err = errors.Join(err, keys.Destroy("line:Hana"))
		if _, berr := keyring.Backup(Keys(cfg), &newer); berr != nil || err != nil {
			t.Fatal(err, berr)
		}
		st, err := OpenStore(cfg, zerolog.Nop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if used {
			err = st.Apply([]engine.Op{row}, true)
		}
		if err := errors.Join(err, st.Close(), os.RemoveAll(Keys(cfg))); err != nil {
			t.Fatal(err)
		}
		if _, err := RestoreKeys(cfg, zerolog.Nop(), &older); err != nil {
			t.Fatal(err)
		}
		got, err := RestoreKeys(cfg, zerolog.Nop(), &newer)
		if _, there, kerr := keyring.Reader(Keys(cfg)).KeyOf("line:Hana"); err != nil || kerr != nil || there != used ||
			(got.Ended == 0) != used {
			t.Errorf("used %v: RestoreKeys() = %+v, %v, and the key is there: %v, %v", used, got, err, there, kerr)
		}
	}
}
