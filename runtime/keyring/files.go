package keyring

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// keyFiles stores keys. Only one goroutine at a time calls it.
type keyFiles interface {
	read(name string) (raw []byte, ok bool, err error)
	// write stores a whole file. Once it returns nil, the file survives a power cut.
	write(name string, raw []byte) error
	// destroy overwrites and deletes a file, if it is there.
	destroy(name string) error
	// missing returns the error for a missing key: an [absent] if one may be made.
	missing(name string) error
	mend(name string) string // for errors about a damaged key: the commands, in parentheses
	without() string         // for errors about a lost key: what helps whoever has no copy of it
	count() int              // of the keys of subjects
	where() string           // for errors: "in DIRECTORY"
}

// memory keeps keys in memory.
type memory map[string][]byte

func (m memory) read(name string) ([]byte, bool, error) { raw, ok := m[name]; return raw, ok, nil }
func (m memory) write(name string, raw []byte) error    { m[name] = raw; return nil }
func (m memory) destroy(name string) error              { delete(m, name); return nil }
func (m memory) where() string                          { return "in memory" }
func (m memory) mend(string) string                     { return "" }
func (m memory) without() string                        { return "" }
func (m memory) missing(name string) error              { return missing(name, m, "") }
func (m memory) count() int                             { return max(0, len(m)-1) } // one is the node's

// directory keeps each key in a file, and a list of the keys there should be.
type directory struct {
	path  string
	alone bool // errors name no commands of Kehai, see [OpenAlone]
	list  list
	// step performs each action on a file. Nil: the action just runs. Tests use it to see
	// the order and to crash in between.
	step func(what action, path string, do func() error) error
	// loose are files that could not be written to the end: a power cut may take them back.
	loose map[string]bool
	vault vault // nil: the system's
	// leaveOut keeps a directory out of the system's backups. Nil: as the system does.
	leaveOut func(path string)
}

// action is something done to a file.
type action string

// The actions. A write or rename is durable once the file or the directory is synced.
const (
	doRead    action = "read" // of a key
	doWrite   action = "write"
	doSync    action = "sync"
	doRename  action = "rename"
	doRemove  action = "remove"
	doSyncDir action = "sync directory"
)

const unfinished = ".tmp"

func (d *directory) file(name string) string { return filepath.Join(d.path, name) }

// tidy reads the list, deletes what a crash left behind, and checks whether a key is missing.
// It does not read the listed files: there may be very many.
func (d *directory) tidy() error {
	names, err := d.names()
	if errors.Is(err, fs.ErrNotExist) {
		d.list = newList(0)
		return nil
	}
	if err == nil {
		err = private.Check(d.path, private.Closed)
	}
	if slices.Contains(names, nodeFile) && err == nil { // with it the others open
		err = private.CheckFile(d.file(nodeFile))
	}
	if err == nil { // an older version may have made it
		d.exclude()
	}
	for _, name := range names {
		if err == nil && strings.HasSuffix(name, unfinished) {
			err = d.remove(name)
		}
	}
	if err == nil {
		d.list, err = d.readList()
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	unlisted, lost := d.list.compare(names)
	if len(lost) > 0 {
		return d.errLost(lost)
	}
	d.fill()
	missing, blanks := d.entries(unlisted)
	for _, name := range blanks { // all of them were destroyed
		if err := d.remove(name); err != nil {
			return fmt.Errorf("keyring: %w", err)
		}
	}
	// A crash came before their entries, or an older version made them.
	if len(missing) > 0 {
		err = d.syncDir(d.path)
	}
	if err == nil {
		err = d.note(missing...)
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	if d.list.stale {
		_ = d.rewrite(d.list) // on a full volume, say, it stays as it is, and the next entry replaces it
	}
	return nil
}

// entries are those of files that the list lacks, and the files that hold no key.
func (d *directory) entries(names []string) (missing []entry, blanks []string) {
	tell := d.stamps()
	for _, name := range names {
		of, _ := idOf(name)
		raw, err := d.readFile(name)
		switch {
		case err != nil: // it may be a key
			missing = append(missing, madeOf(name, stamp{})...)
		case blank(raw):
			blanks = append(blanks, name)
		default:
			missing = append(missing, madeOf(name, tell(of, raw))...)
		}
	}
	return missing, blanks
}

// names lists the files of the directory, in any order.
func (d *directory) names() (names []string, err error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	names, err = f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}

// keys leaves out the files of keys that hold none, and returns those apart. It reads each.
func (d *directory) keys(names []string) (whole, blanks []string) {
	for _, name := range names {
		if _, ok := idOf(name); ok {
			if raw, err := d.readFile(name); err == nil && blank(raw) {
				blanks = append(blanks, name)
				continue
			}
		}
		whole = append(whole, name)
	}
	return whole, blanks
}

func (d *directory) readFile(name string) (raw []byte, err error) {
	err = d.do(doRead, d.file(name), func() (err error) { raw, err = os.ReadFile(d.file(name)); return err })
	return raw, err
}

func (d *directory) count() int { return len(d.list.should) }

func (d *directory) missing(name string) error {
	if err := d.gone(); err != nil {
		return fmt.Errorf("keyring: look for a key: %w", &away{err})
	}
	if d.list.has(name) {
		return d.errLost([]string{name})
	}
	with := " (kehai key restore FILE)"
	if d.alone {
		with = ""
	}
	return missing(name, d, with)
}

func (d *directory) mend(name string) string {
	if d.alone {
		return ""
	}
	if name != nodeFile {
		return " (kehai key restore FILE)"
	}
	// A restore replaces no key, so it has to be out of the way.
	return fmt.Sprintf(" (mv %s %s, then kehai key restore FILE)", d.file(nodeFile),
		filepath.Join(filepath.Dir(d.path), nodeFile+".damaged"))
}

func (d *directory) without() string {
	if d.alone {
		return "; or remove what it sealed: forget its conversation"
	}
	return "; or, where there is no copy of it, kehai forget its conversation, or have its window begin anew: " +
		"kehai key anew says what is lost"
}

func (d *directory) read(name string) ([]byte, bool, error) {
	raw, err := d.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && d.loose[name] { // nothing was sealed with it so far
		if err = d.syncDir(d.path); err == nil {
			err = d.enter(name, raw)
		}
	}
	if err != nil { // whatever it is, it says nothing about what the file holds
		err = &away{err}
	} else {
		raw, err = d.resolve(name, raw)
	}
	if err != nil {
		return nil, false, fmt.Errorf("keyring: read a key: %w", err)
	}
	return raw, true, nil
}

// away is the error for a key that may be read or kept later. It wraps [engine.ErrKeyAway].
type away struct{ error }

func (a *away) Unwrap() []error { return []error{a.error, engine.ErrKeyAway} }

// Error names the file, and what brings it within reach.
func (a *away) Error() string { return a.error.Error() + help(a.error) }

// help is what helps where the system refuses, behind a colon; "" if that is not known.
func help(err error) string {
	for _, h := range helps {
		if errors.Is(err, h.with) {
			return ": " + h.help
		}
	}
	return ""
}

// helps lists what helps where the system refuses a key or a receipt.
var helps = []struct {
	with syscall.Errno
	help string
}{
	{syscall.EACCES, giveBack},
	{syscall.EPERM, giveBack},
	{syscall.EISDIR, "move the directory away and put the file back"},
	{syscall.EIO, diskThere},
	{syscall.ESTALE, diskThere},
	{syscall.ENOSPC, "free some space on its volume"},
	{syscall.EDQUOT, "free some space or raise the quota of this user"},
	{syscall.EROFS, "make its volume writable"},
	{syscall.EMFILE, "raise the limit of open files (ulimit -n) and start again"},
	{syscall.ENFILE, "end what holds many files open on this machine"},
	{syscall.ENOMEM, "free some memory"},
}

const (
	giveBack  = "give this user the right to it back"
	diskThere = "check the disk and its connection"
)

// gone fails if the directory is not where it was, as after its volume was unmounted. What it lacks then
// is neither lost nor to be made anew.
func (d *directory) gone() error {
	if !d.list.exists {
		return nil
	}
	_, err := os.Stat(d.file(listFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has gone: mount its volume, or put the directory back: %w", d.file(listFile), err)
	}
	return err
}

func (d *directory) write(name string, raw []byte) error {
	err := d.gone()
	if err == nil {
		err = private.Make(d.path, private.Closed)
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", &away{err})
	}
	if name == nodeFile { // the first one
		d.exclude()
	}
	if d.loose == nil {
		d.loose = map[string]bool{}
	}
	d.loose[name] = true
	err = d.put(name, raw)
	if err == nil {
		err = d.enter(name, raw)
	}
	if err != nil {
		return fmt.Errorf("keyring: keep a key: %w", &away{err})
	}
	return nil
}

// enter enters a file into the list. Then a power cut does not take it back.
func (d *directory) enter(name string, raw []byte) error {
	err := d.note(madeOf(name, stampOf(raw))...)
	if err == nil && name == nodeFile {
		err = d.syncDir(filepath.Dir(d.path)) // the directory itself may be new
	}
	if err == nil {
		delete(d.loose, name)
	}
	return err
}

// put makes or replaces a file atomically.
func (d *directory) put(name string, raw []byte) error {
	half := name + unfinished
	err := os.Remove(d.file(half))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.writeAt(half, os.O_CREATE|os.O_EXCL, raw, 0); err != nil {
		return err
	}
	err = d.do(doRename, d.file(name), func() error { return os.Rename(d.file(half), d.file(name)) })
	if err != nil {
		return err
	}
	return d.syncDir(d.path)
}

func (d *directory) destroy(name string) error {
	_, err := os.Stat(d.file(name))
	gone := errors.Is(err, fs.ErrNotExist)
	switch of, ok := idOf(name); {
	case gone && (!ok || d.list.over(of)):
		return nil
	case gone: // also one that the list lacks: it may have been lost, and a copy of it be restored later
		err = nil
	}
	if err == nil {
		err = d.note(d.ends(name)...) // first: after a crash it must not look like a lost key
	}
	if err == nil && !gone {
		err = d.wipe(name)
	}
	if err != nil {
		return fmt.Errorf("keyring: destroy a key: %w", &away{err})
	}
	return nil
}

// ends are the entries of a key that is destroyed.
func (d *directory) ends(name string) []entry {
	of, ok := idOf(name)
	if !ok {
		return nil
	}
	should := d.list.should[of]
	raw, err := d.readFile(name)
	switch file := stampOf(raw); {
	case err != nil || len(raw) != wrappedKey || blank(raw) || file == should:
		return []entry{{ended, of, cmp.Or(should, unnamed())}}
	case should != stamp{}: // somebody has put another one there
		return []entry{{ended, of, should}, {ended, of, file}}
	default:
		return []entry{{ended, of, file}}
	}
}

// wipe overwrites and deletes a file.
func (d *directory) wipe(name string) error {
	info, err := os.Stat(d.file(name))
	if err == nil {
		err = d.writeAt(name, 0, make([]byte, info.Size()), 0)
	}
	if err == nil {
		err = d.remove(name)
	}
	if err == nil {
		err = d.syncDir(d.path)
	}
	return err
}

func (d *directory) where() string { return "in " + d.path }

func (d *directory) do(what action, path string, do func() error) error {
	if d.step == nil {
		return do()
	}
	return d.step(what, path, do)
}

// writeAt writes a part of a file and makes it survive a power cut.
func (d *directory) writeAt(name string, flag int, raw []byte, at int64) error {
	f, err := os.OpenFile(d.file(name), flag|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = d.do(doWrite, f.Name(), func() error { _, err := f.WriteAt(raw, at); return err })
	if err == nil {
		err = d.do(doSync, f.Name(), f.Sync)
	}
	return errors.Join(err, f.Close())
}

func (d *directory) remove(name string) error {
	return d.do(doRemove, d.file(name), func() error { return os.Remove(d.file(name)) })
}

// syncDir makes the names of files survive a power cut.
func (d *directory) syncDir(path string) error {
	return d.do(doSyncDir, path, func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
