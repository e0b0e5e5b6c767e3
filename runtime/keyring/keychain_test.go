package keyring

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// security is a stand-in for security(1): it keeps items in files, reads commands from its input
// with -i, and ends with the exit codes that the real one has.
const security = `
at=$0.items
put() {
	while [ $# -gt 0 ]; do
		case $1 in -a) name=$2; shift;; -s) service=$2; shift;; -w) secret=$2; shift;; -U) ;; *) exit 2;; esac
		shift
	done
	mkdir -p "$at/$service" && printf '%s\n' "$secret" > "$at/$service/$name"
}
[ -e "$0.locked" ] && exit 36
case $1 in
-i) while read -r line; do eval "set -- $line"; [ "$1" = add-generic-password ] || exit 2; shift; put "$@"; done;;
find-generic-password)
	[ "$2 $4 $6" = "-a -s -w" ] || exit 2
	[ -e "$at/$5/$3" ] || exit 44
	cat "$at/$5/$3";;
*) exit 2;;
esac
`

func newSecurity(t *testing.T) (k keychain, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "security")
	if err := os.WriteFile(path, []byte(security), 0o600); err != nil {
		t.Fatal(err)
	}
	return keychain{"/bin/sh", path}, path
}

func withVault(t *testing.T, dir string, v vault) *Ring {
	t.Helper()
	d := &directory{path: dir, vault: v}
	if err := d.tidy(); err != nil {
		t.Fatal(err)
	}
	return newRing(d, rand.Reader)
}

// With its key in the keychain no copy of the directory opens anything, and a keychain that is
// locked says what to do.
func TestKeysInTheKeychain(t *testing.T) {
	k, tool := newSecurity(t)
	for name, used := range map[string]bool{"new": false, "used": true} {
		dir := filepath.Join(t.TempDir(), "keys")
		var row []byte
		if used {
			row = seal(t, open(t, dir), "a", "p", "secret")
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		d := &directory{path: dir, vault: k}
		if used {
			if err := os.WriteFile(d.file(StoreKey), []byte("key of the store"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second time nothing is left to move
			if err := d.intoVault(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !used {
			row = seal(t, withVault(t, dir, k), "a", "p", "secret")
		}
		want(t, withVault(t, dir, k), "p", row, "secret")
		raw, err := os.ReadFile(d.file(nodeFile))
		if err != nil || !InKeychain(dir) || len(raw) > 60 || bytes.Contains(raw, []byte(headOfNode)) {
			t.Errorf("%s: the file holds %q, %v, want only where the key is", name, raw, err)
		}
		if got, ok, err := d.read(StoreKey); ok != used || err != nil || used && string(got) != "key of the store" {
			t.Errorf("%s: the key of the store is %q, %v, %v", name, got, ok, err)
		}
		if _, err := newRing(&directory{path: dir}, nil).Open([]byte("p"), row); !errors.Is(err, ErrKeychain) {
			t.Errorf("%s: without the keychain Open() = %v, want %v", name, err, ErrKeychain)
		}
		lock := tool + ".locked"
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = newRing(&directory{path: dir, vault: k}, nil).Open([]byte("p"), row)
		if !errors.Is(err, ErrKeychain) || !errors.Is(err, engine.ErrKeyAway) ||
			!strings.Contains(err.Error(), "unlock-keychain") || strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: with a locked keychain Open() = %v, want a key out of reach, and what to do", name, err)
		}
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}

// Where the keychain does not serve, the keys stay files and open all.
func TestTheKeychainFails(t *testing.T) {
	for name, v := range map[string]vault{
		"no tool": keychain{filepath.Join(t.TempDir(), "security")},
		"forgets": keychain{"/bin/sh", "-c", "exit 44"},
		"lies":    keychain{"/bin/sh", "-c", "echo 00ff"},
		"babbles": keychain{"/bin/sh", "-c", "echo what?"},
	} {
		dir := filepath.Join(t.TempDir(), "keys")
		row := seal(t, open(t, dir), "a", "p", "secret")
		if err := (&directory{path: dir, vault: v}).intoVault(); !errors.Is(err, ErrKeychain) {
			t.Errorf("%s: intoVault() = %v, want %v", name, err, ErrKeychain)
		}
		want(t, open(t, dir), "p", row, "secret")
	}
	k, _ := newSecurity(t)
	_, err := k.read("nothing")
	if !errors.Is(err, ErrKeychain) || errors.Is(err, errLocked) || !strings.Contains(err.Error(), "no such item") {
		t.Errorf("read(nothing) = %v, want %v", err, ErrKeychain)
	}
}

// Killed between two steps of the move, the directory opens as before or as after it.
func TestTheMoveIsKilled(t *testing.T) {
	k, _ := newSecurity(t)
	for left, whole := 0, false; !whole; left++ {
		dir := filepath.Join(t.TempDir(), "keys")
		row := seal(t, open(t, dir), "a", "p", "secret")
		n := left
		d := &directory{path: dir, vault: k, step: func(what action, _ string, do func() error) error {
			if n--; n < 0 {
				panic(errKilled)
			}
			return unsynced(what, do)
		}}
		whole = !killed(func() {
			if err := d.intoVault(); err != nil {
				t.Error(err)
			}
		})
		want(t, withVault(t, dir, k), "p", row, "secret")
		if whole && !InKeychain(dir) {
			t.Error("the key is still in its file")
		}
	}
}

// TestTheKeychainsToolHasNoSecret of the environment.
func TestTheKeychainsToolHasNoSecret(t *testing.T) {
	t.Setenv("TEST_API_KEY", "marked-secret")
	if out, err := (keychain{"/bin/sh", "-c", "env"}).run(""); err != nil || strings.Contains(string(out), "marked") {
		t.Errorf("security(1) has %s, %v; want no secret", out, err)
	}
}
