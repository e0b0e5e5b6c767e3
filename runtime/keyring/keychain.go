package keyring

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrKeychain says that the system's keychain does not serve: there is none, it is locked, or it
// lacks what a file of the directory refers to.
var ErrKeychain = errors.New("keyring: the keychain does not serve")

// errLocked is the [ErrKeychain] of a keychain that has not said whether it has the key.
var errLocked = fmt.Errorf("%w: it is locked", ErrKeychain)

// vault keeps secrets outside of the directory.
type vault interface {
	read(name string) ([]byte, error)
	write(name string, secret []byte) error
}

// headOfVault begins a file whose content is in the keychain, under the name in its second line.
const headOfVault = "kehai keychain 1\n"

// vaulted names the files that may be in the keychain. The others are wrapped with the first.
var vaulted = []string{nodeFile, StoreKey}

// IntoKeychain moves the key of the node, which it makes if there is none, and that of the store,
// if there is one, from files into the keychain of this Mac. The files then only say where the
// keys are; [Backup] still copies them. If it fails they are as before, or some have moved. It
// may be called while a process uses the directory.
func IntoKeychain(dir string) error { return (&directory{path: dir}).intoVault() }

func (d *directory) intoVault() error {
	safe, err := d.safe()
	if err != nil {
		return err
	}
	files, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keyring: %w", err)
	}
	if len(files) == 0 { // else a missing key is a lost one
		if err := d.tidy(); err != nil {
			return err
		}
		if _, err := newRing(d, rand.Reader).nodeKey(true); err != nil {
			return err
		}
	}
	for _, name := range vaulted {
		raw, err := os.ReadFile(d.file(name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.HasPrefix(raw, []byte(headOfVault)) {
			continue
		}
		of := "kehai " + name + " " + rand.Text()
		if err == nil {
			err = safe.write(of, raw)
		}
		if err == nil {
			err = d.replace(name, []byte(headOfVault+of+"\n"))
		}
		if err != nil {
			return fmt.Errorf("keyring: move a key into the keychain: %w", err)
		}
	}
	return nil
}

// replace puts another content into the place of a file, and zeros over the former one.
func (d *directory) replace(name string, raw []byte) error {
	before, err := os.OpenFile(d.file(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer before.Close()
	info, err := before.Stat()
	if err == nil {
		err = d.put(name, raw)
	}
	if err == nil {
		_, err = before.WriteAt(make([]byte, info.Size()), 0)
	}
	if err == nil {
		err = before.Sync()
	}
	return err
}

// InKeychain reports whether the key of the node is in the keychain.
func InKeychain(dir string) bool {
	raw, err := os.ReadFile((&directory{path: dir}).file(nodeFile))
	return err == nil && bytes.HasPrefix(raw, []byte(headOfVault))
}

// ReadStoreKey reads the file [StoreKey] of a directory, or what it refers to; ok is false if
// there is none.
func ReadStoreKey(dir string) (raw []byte, ok bool, err error) {
	return (&directory{path: dir}).read(StoreKey)
}

// resolve returns the content of a file that may only say where it is.
func (d *directory) resolve(name string, raw []byte) ([]byte, error) {
	of, refers := strings.CutPrefix(string(raw), headOfVault)
	if !refers || name != nodeFile && name != StoreKey {
		return raw, nil
	}
	safe, err := d.safe()
	if err == nil {
		raw, err = safe.read(strings.TrimSuffix(of, "\n"))
	}
	if err == nil {
		return raw, nil
	}
	if errors.Is(err, errLocked) {
		return nil, &away{fmt.Errorf("%s is in the keychain: %w", d.file(name), err)}
	}
	return nil, fmt.Errorf("%s is in the keychain: %w: kehai key restore FILE puts it back from a backup",
		d.file(name), err)
}

func (d *directory) safe() (vault, error) {
	switch {
	case d.vault != nil:
		return d.vault, nil
	case runtime.GOOS == "darwin":
		return keychain{"/usr/bin/security"}, nil
	}
	return nil, fmt.Errorf("%w: this system has none", ErrKeychain)
}

// keychain is the login keychain of a Mac, used through security(1). Its elements are that
// command. Stored keys are encrypted with the login password, and are in no copy of the
// data directory; other programs of the same user may ask for it as this one does.
type keychain []string

const (
	keychainService = "kehai"
	// keychainTimeout also bounds how long a person may take to unlock the keychain.
	keychainTimeout = 2 * time.Minute
	// Exit codes of security(1): the lowest byte of the OSStatus.
	exitNotFound    = 44  // errSecItemNotFound
	exitNoQuestions = 36  // errSecInteractionNotAllowed: locked, and nobody to unlock it
	exitDenied      = 51  // errSecAuthFailed
	exitCancelled   = 128 // errSecUserCanceled
)

func (k keychain) read(name string) ([]byte, error) {
	out, err := k.run("", "find-generic-password", "-a", name, "-s", keychainService, "-w")
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(out)))
	if err != nil || len(secret) == 0 {
		return nil, fmt.Errorf("%w: the item %s is no key of Kehai", ErrKeychain, name)
	}
	return secret, nil
}

// write hands the secret over by the standard input, where no list of processes shows it. In that
// mode the exit code tells little, so what was stored is read back.
func (k keychain) write(name string, secret []byte) error {
	line := fmt.Sprintf("add-generic-password -U -a %q -s %s -w %x\n", name, keychainService, secret)
	_, failed := k.run(line, "-i")
	stored, err := k.read(name)
	if err == nil && !bytes.Equal(stored, secret) {
		err = fmt.Errorf("%w: it holds something else than was stored", ErrKeychain)
	}
	if err != nil {
		return errors.Join(err, failed)
	}
	return nil
}

func (k keychain) run(in string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), keychainTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, k[0], append(k[1:len(k):len(k)], args...)...)
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = []string{"HOME=" + os.Getenv("HOME"), "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w, or did not answer within %v: unlock it", errLocked, keychainTimeout)
	case !errors.As(err, &exit):
		return nil, fmt.Errorf("%w: %w", ErrKeychain, err)
	}
	switch code := exit.ExitCode(); code {
	case exitNotFound:
		return nil, fmt.Errorf("%w: it has no such item", ErrKeychain)
	case exitNoQuestions:
		return nil, fmt.Errorf("%w: security unlock-keychain in a terminal, or log in on the screen", errLocked)
	case exitDenied:
		return nil, fmt.Errorf("%w: the password was wrong", errLocked)
	case exitCancelled:
		return nil, fmt.Errorf("%w: somebody has refused to unlock it", errLocked)
	default:
		return nil, fmt.Errorf("%w: security(1) failed with exit code %d", ErrKeychain, code)
	}
}
