package keyring

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

var errKilled = errors.New("killed")

// watched has a ring report what it does to files, and die before the step after
// those that are left; a negative number never ends.
func watched(t *testing.T, dir string, left int) (*Ring, *[]string) {
	t.Helper()
	d := &directory{path: dir}
	done := &[]string{}
	d.step = func(what action, path string, do func() error) error {
		if what == doRead {
			return do()
		}
		if left == 0 {
			return errKilled
		}
		left--
		*done = append(*done, fmt.Sprintf("%s %s", what, strings.TrimPrefix(path, dir)))
		return unsynced(what, do)
	}
	if err := d.tidy(); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return newRing(d, rand.Reader), done
}

// unsynced leaves out what takes long, and makes no difference to a process.
func unsynced(what action, do func() error) error {
	if what == doSync || what == doSyncDir {
		return nil
	}
	return do()
}

// loose is what a power cut may take back after these steps: files that were written
// and not synced, names that changed in a directory that was not synced.
func loose(steps []string) map[string]bool {
	left := map[string]bool{}
	for _, s := range steps {
		what, path, _ := strings.Cut(s, " /")
		switch action(what) {
		case doWrite:
			left["/"+path] = true
		case doSync:
			delete(left, "/"+path)
		case doRename, doRemove:
			left["names"] = true
		}
		if strings.HasPrefix(s, string(doSyncDir)) {
			delete(left, "names")
		}
	}
	return left
}

// What is sealed can be opened after a power cut, and what was destroyed is over.
func TestNothingOfAKeyIsLooseOnceItIsUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r, done := watched(t, dir, -1)
	for what, do := range []func() error{
		func() error { _, err := r.Seal(nil, "a", nil, nil); return err },
		func() error { return r.Ready("b") },
		func() error { return r.Destroy("a") },
	} {
		*done = nil
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if left := loose(*done); len(left) > 0 {
			t.Errorf("step %d: a power cut may take back %v after\n%s", what, left, strings.Join(*done, "\n"))
		}
	}
}

func TestTheStepsOfAKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r, done := watched(t, dir, -1)
	name := nameOf(seal(t, r, "a", "p", "plain"))
	steps := func(list ...string) string {
		return strings.NewReplacer("KEY", name, "LIST", listFile).Replace(strings.Join(list, "\n"))
	}
	makes := []string{"write /KEY.tmp", "sync /KEY.tmp", "rename /KEY", "sync directory "}
	all := strings.Join(*done, "\n")
	lists := []string{"write /LIST.tmp", "sync /LIST.tmp", "rename /LIST", "sync directory "}
	if want := steps(append(makes, lists...)...); !strings.HasSuffix(all, want) {
		t.Errorf("the first key took the steps\n%s\nwant at the end\n%s", all, want)
	}
	if want := "rename /node\nsync directory \nsync directory " + filepath.Dir(dir); !strings.Contains(all, want) {
		t.Errorf("the node's key took the steps\n%s\nwant among them\n%s", all, want)
	}
	*done = nil
	name = nameOf(seal(t, r, "b", "p", "plain"))
	if got, want := strings.Join(*done, "\n"), steps(append(makes, "write /LIST", "sync /LIST")...); got != want {
		t.Errorf("another key took the steps\n%s\nwant\n%s", got, want)
	}
	*done = nil
	path := filepath.Join(dir, name)
	kept := filepath.Join(t.TempDir(), "kept") // another name of the same bytes
	if err := errors.Join(os.Link(path, kept), r.Destroy("b")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(*done, "\n"), steps("write /LIST", "sync /LIST", "write /KEY", "sync /KEY",
		"remove /KEY", "sync directory "); got != want {
		t.Errorf("the end of a key took the steps\n%s\nwant\n%s", got, want)
	}
	if raw, err := os.ReadFile(kept); err != nil || len(raw) == 0 || !blank(raw) {
		t.Errorf("the bytes of the destroyed key are %x, %v, want zeros", raw, err)
	}
}

// Killed at any step, the next start opens the directory, what was sealed opens, what
// was destroyed does not, and a key that is taken away is missed.
func TestKilledAtAnyStep(t *testing.T) {
	for left := 0; ; left++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("keys", left))
		whole, _ := watched(t, dir, -1)
		before := seal(t, whole, "before", "p", "before")
		r, done := watched(t, dir, left)
		row, err := r.Seal(nil, "a", []byte("p"), []byte("secret"))
		if err == nil {
			err = r.Destroy("before")
		}
		if err == nil {
			err = errors.Join(r.Ready("short"), r.Destroy("short"))
		}
		steps := len(*done)
		again, _ := watched(t, dir, -1)
		if row != nil {
			want(t, again, "p", row, "secret")
		}
		plain, bad := again.Open([]byte("p"), before)
		if bad == nil && string(plain) != "before" || bad != nil && !errors.Is(bad, engine.ErrNoKey) {
			t.Errorf("killed after %d steps, the key that goes opens %q, %v", left, plain, bad)
		}
		if err == nil && bad == nil {
			t.Errorf("after all %d steps the destroyed key is there", steps)
		}
		l := again.files.(*directory).list
		if files, _ := filepath.Glob(filepath.Join(dir, strings.Repeat("?", 2*idBytes))); len(files) != len(l.should) {
			t.Errorf("killed after %d steps, the list has %d keys of %d", left, len(l.should), len(files))
		}
		last := seal(t, again, "last", "p", "last")
		if err := os.Remove(filepath.Join(dir, nameOf(last))); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, engine.ErrNoKey) {
			t.Errorf("killed after %d steps, Open() with a key that is gone = %v, want it missed", left, err)
		}
		if err == nil {
			if _, gone := l.ended[id(before)]; !gone {
				t.Error("the list no longer tells that a key was destroyed: an older copy of it would bring it back")
			}
			return
		}
	}
}

// Killed at any step, a restore can be done again, leaves no copy of a key beside the directory
// once that is used, and never brings the key of the store where that is not wanted.
func TestARestoreIsKilledAtAnyStep(t *testing.T) {
	from := filepath.Join(t.TempDir(), "keys")
	r := open(t, from)
	row := seal(t, r, "a", "p", "secret")
	seal(t, r, "b", "p", "other")
	var backup bytes.Buffer
	err := os.WriteFile(filepath.Join(from, StoreKey), []byte("key of the store"), 0o600)
	if _, err := Backup(from, &backup); err != nil {
		t.Fatal(err)
	}
	but := Taking{Without: []string{StoreKey}}
	for name, lost := range map[string]bool{"none": false, "some": true} {
		for left, whole := 0, false; !whole && err == nil; left++ {
			dir := filepath.Join(t.TempDir(), "keys")
			if lost { // all but one
				err = errors.Join(os.CopyFS(dir, os.DirFS(from)), os.Chmod(dir, 0o700),
					os.Remove(filepath.Join(dir, StoreKey)), os.Remove(filepath.Join(dir, nameOf(row))))
				files, _ := filepath.Glob(filepath.Join(dir, "*"))
				for _, f := range files {
					err = errors.Join(err, os.Chmod(f, 0o600))
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			n := left
			to := &directory{path: dir, step: func(what action, _ string, do func() error) error {
				if what == doRead {
					return do()
				}
				if n--; n < 0 {
					panic(errKilled)
				}
				return unsynced(what, do)
			}}
			whole = !killed(func() { _, err = to.takeIn(bytes.NewReader(backup.Bytes()), but) })
			if !whole {
				_, err = but.Restore(dir, bytes.NewReader(backup.Bytes()))
			}
			if err != nil {
				t.Fatalf("%s there, killed after %d steps, Restore() = %v", name, left, err)
			}
			want(t, open(t, dir), "p", row, "secret")
			for _, path := range []string{filepath.Join(dir, StoreKey), dir + unfinished} {
				if _, err := os.Lstat(path); err == nil {
					t.Errorf("%s there, killed after %d steps: %s is there", name, left, path)
				}
			}
		}
	}
}

// Copies of keys that a killed restore has left go with the next start.
func TestCopiesOfKeysGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	if err := os.MkdirAll(dir+unfinished, 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Lstat(dir + unfinished); err == nil {
		t.Error("the copies are still there")
	}
}

func killed(do func()) (dead bool) {
	defer func() { dead = recover() != nil }()
	do()
	return false
}

// A key whose last steps failed is not used before they are done: a power cut could take it back.
func TestAKeyIsWholeBeforeItIsUsed(t *testing.T) {
	for name, fails := range map[string]func(what action, path string) bool{
		"its name is not synced": func(what action, _ string) bool { return what == doSyncDir },
		"it is not listed":       func(what action, path string) bool { return what == doWrite && path == listFile },
		"the list is not synced": func(what action, path string) bool { return what == doSync && path == listFile },
	} {
		for _, first := range []bool{true, false} { // then the node's key and the list are new, too
			dir := filepath.Join(t.TempDir(), "keys")
			d := &directory{path: dir}
			if err := d.tidy(); err != nil {
				t.Fatal(err)
			}
			r := newRing(d, rand.Reader)
			if !first {
				seal(t, r, "a", "p", "secret")
			}
			failing, did := true, []string(nil)
			d.step = func(what action, path string, do func() error) error {
				path = filepath.Base(path)
				if failing && fails(what, strings.TrimSuffix(path, unfinished)) {
					return syscall.EIO
				}
				did = append(did, fmt.Sprint(what, " /", path))
				return do()
			}
			if err := r.Ready("b"); !errors.Is(err, engine.ErrKeyAway) {
				t.Errorf("%s: Ready() = %v, want a key out of reach", name, err)
			}
			failing = false
			row := seal(t, r, "b", "p", "secret")
			if left := loose(did); len(left) > 0 {
				t.Errorf("%s: a power cut may take back %v after\n%s", name, left, strings.Join(did, "\n"))
			}
			if l := d.list; !l.has(nameOf(row)) {
				t.Errorf("%s: the key is not listed", name)
			}
			want(t, open(t, dir), "p", row, "secret")
		}
	}
}

// While the volume of the keys is not there, none is lost, made or destroyed; once it is back, all goes on.
func TestTheKeysAreUnmounted(t *testing.T) {
	for name, emptied := range map[string]bool{"gone": false, "an empty mount point": true} {
		dir := filepath.Join(t.TempDir(), "keys")
		rows := map[string][]byte{}
		r := open(t, dir)
		for _, s := range []string{"a", "b"} {
			rows[s] = seal(t, r, s, "p", "secret of "+s)
		}
		r = open(t, dir)
		want(t, r, "p", rows["a"], "secret of a") // so that the node's key is known, and that of a
		err := os.Rename(dir, dir+" elsewhere")
		if emptied {
			err = errors.Join(err, os.Mkdir(dir, 0o700))
		}
		if err != nil {
			t.Fatal(err)
		}
		want(t, r, "p", rows["a"], "secret of a")
		_, read := r.Open([]byte("p"), rows["b"])
		_, _, named := r.KeyOf("b")
		for what, err := range map[string]error{
			"Open": read, "KeyOf": named, "Ready": r.Ready("b"), "Ready of a new one": r.Ready("new"),
		} {
			if text := engine.KeyAway(err); !strings.Contains(text, "mount its volume") ||
				!strings.Contains(text, dir) || errors.Is(err, engine.ErrNoKey) {
				t.Errorf("%s: %s = %v, want a key out of reach", name, what, err)
			}
		}
		if err := r.Destroy("b"); err == nil {
			t.Errorf("%s: a key that is not there was destroyed", name)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s: there is %v, where keys should not be", name, left)
		}
		if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+" elsewhere", dir)); err != nil {
			t.Fatal(err)
		}
		want(t, r, "p", rows["b"], "secret of b")
		want(t, open(t, dir), "p", seal(t, r, "new", "p", "new"), "new")
		if err := r.Destroy("b"); err != nil {
			t.Errorf("%s: Destroy() = %v", name, err)
		}
	}
}

// A list that is cut short is no crash's: it is written as a whole.
func TestAShortListIsDamaged(t *testing.T) {
	for _, size := range []int64{0, 5, 11, 12} {
		dir := filepath.Join(t.TempDir(), "keys")
		r := open(t, dir)
		row := seal(t, r, "a", "p", "secret")
		path := filepath.Join(dir, listFile)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		for name, open := range map[string]func(string) error{
			"Open":    func(dir string) error { _, err := Open(dir); return err },
			"Inspect": func(dir string) error { _, err := Inspect(dir); return err },
		} {
			if err := open(dir); err == nil || !strings.Contains(err.Error(), path+" is damaged") ||
				!strings.Contains(err.Error(), "rm "+path) {
				t.Errorf("%s() with a list of %d bytes = %v, want what to do", name, size, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		want(t, open(t, dir), "p", row, "secret")
	}
}

// A damaged key is found without being used, whichever it is.
func TestInspectOpensEachKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	var names []string
	for _, s := range []string{"a", "b", "c"} {
		names = append(names, nameOf(seal(t, r, s, "p", "secret")))
	}
	if n, err := Inspect(dir); n != 4 || err != nil {
		t.Fatalf("Inspect() = %d, %v, want four keys", n, err)
	}
	for _, name := range append(names, nodeFile) {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, good[:len(good)/2], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Inspect(dir); !errors.Is(err, engine.ErrNoKey) || !strings.Contains(err.Error(), "backup") ||
			name != nodeFile && !strings.Contains(err.Error(), name) {
			t.Errorf("Inspect() with a damaged %s = %v, want it named", name, err)
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Who waits until a key is written keeps nobody waiting whose key is known.
func TestAKeyBeingMadeHoldsNobodyUp(t *testing.T) {
	r, _ := watched(t, filepath.Join(t.TempDir(), "keys"), -1)
	row := seal(t, r, "known", "p", "plain")
	writing, goOn := make(chan struct{}), make(chan struct{})
	r.files.(*directory).step = func(what action, _ string, do func() error) error {
		if what == doSync {
			writing <- struct{}{}
			<-goOn
		}
		return do()
	}
	made := make(chan error)
	go func() { made <- r.Ready("new") }()
	<-writing
	done := make(chan struct{})
	go func() {
		defer close(done)
		want(t, r, "p", row, "plain")
		if seal(t, r, "known", "p", "plain"); !r.Under("known", row) || r.Under("new", row) {
			t.Error("Under() tells something else while a key is written")
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("a known key waits for one that is written")
	}
	goOn <- struct{}{}
	<-writing
	goOn <- struct{}{}
	if err := <-made; err != nil {
		t.Error(err)
	}
}

// A new key costs the same however many there are.
func BenchmarkNewKey(b *testing.B) {
	for _, there := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprint(there), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "keys")
			r, err := Open(dir)
			if err == nil {
				err = r.Ready("first")
			}
			if err != nil {
				b.Fatal(err)
			}
			d := r.files.(*directory)
			lines, key := []byte{}, bytes.Repeat([]byte{1}, 72)
			for n := range there { // as that many would have left it
				of := r.node.id(fmt.Sprint("old", n))
				lines = entry{mark: made, of: of}.append(lines, n+2)
				if err := os.WriteFile(d.file(of.String()), key, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			if err := d.writeAt(listFile, 0, lines, place(2)); err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			if r, err = Open(dir); err != nil {
				b.Fatal(err)
			}
			opened := time.Since(began)
			n := 0
			for b.Loop() {
				n++
				if err := r.Ready(fmt.Sprint("new", n)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(opened.Microseconds())/1000, "ms/open")
		})
	}
}

// A start reads no key that the list names, however many there are, and yet misses one that is
// gone; what a crash left it reads.
func TestOpenReadsNoListedKey(t *testing.T) {
	const there = 2000
	dir := filepath.Join(t.TempDir(), "keys")
	var read []string
	opened := func() *directory {
		d := &directory{path: dir, step: func(what action, path string, do func() error) error {
			if what == doRead {
				read = append(read, filepath.Base(path))
			}
			return unsynced(what, do)
		}}
		if err := d.tidy(); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := opened()
	r := newRing(d, rand.Reader)
	for n := range there {
		if err := r.Ready(fmt.Sprint("c-", n)); err != nil {
			t.Fatal(err)
		}
	}
	row := seal(t, r, "c-7", "p", "secret")
	unlisted := strings.Repeat("ab", idBytes)
	if err := os.WriteFile(d.file(unlisted), []byte("a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	read = nil
	d = opened()
	if !slices.Equal(read, []string{unlisted}) {
		t.Errorf("a start with %d keys read %d files, want only that of the key which is not listed", there, len(read))
	}
	if len(d.list.should) != there+1 {
		t.Errorf("the list has %d keys, want %d", len(d.list.should), there+1)
	}
	want(t, newRing(d, rand.Reader), "p", row, "secret")
	if err := os.Remove(d.file(nameOf(row))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, engine.ErrNoKey) || !strings.Contains(err.Error(), nameOf(row)) {
		t.Errorf("Open() with a key that is gone = %v, want it named", err)
	}
}

// What the system refuses says nothing about a key: it is kept, and read, later. The error says what helps.
func TestAKeyOutOfReach(t *testing.T) {
	for name, fault := range map[string]struct {
		at   action
		err  error
		help string
	}{
		"full":          {doWrite, syscall.ENOSPC, "free some space"},
		"read-only":     {doRename, syscall.EROFS, "writable"},
		"files":         {doRead, syscall.EMFILE, "ulimit -n"},
		"files of all":  {doRead, syscall.ENFILE, "on this machine"},
		"memory":        {doRead, syscall.ENOMEM, "free some memory"},
		"right":         {doRead, syscall.EACCES, "give this user the right to it back"},
		"disk":          {doRead, syscall.EIO, "check the disk"},
		"network":       {doRead, syscall.ESTALE, "connection"},
		"a new refusal": {doRead, syscall.ENOLCK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "keys")
			first, _ := watched(t, dir, -1)
			row := seal(t, first, "a", "p", "plain")
			d := &directory{path: dir, step: func(what action, path string, do func() error) error {
				if what == fault.at {
					return &fs.PathError{Op: string(what), Path: path, Err: fault.err}
				}
				return unsynced(what, do)
			}}
			if err := d.tidy(); err != nil {
				t.Fatal(err)
			}
			r := newRing(d, rand.Reader)
			try := func() error {
				if fault.at == doRead {
					_, err := r.Open([]byte("p"), row)
					return err
				}
				return r.Ready("b")
			}
			err := try()
			if !errors.Is(err, engine.ErrKeyAway) || errors.Is(err, engine.ErrNoKey) || !errors.Is(err, fault.err) {
				t.Errorf("with the fault: %v, want ErrKeyAway", err)
			}
			if told := engine.KeyAway(err); !strings.Contains(told, dir) || !strings.Contains(told, fault.help) {
				t.Errorf("people are told %q, want the file and %q", told, fault.help)
			}
			d.step = func(what action, _ string, do func() error) error { return unsynced(what, do) }
			if err := try(); err != nil {
				t.Errorf("after it: %v, want nil", err)
			}
		})
	}
}

// A directory where the file of a key belongs is not the key: it is named, and replaces none. Once the file is
// back the same ring opens what it sealed.
func TestADirectoryInPlaceOfAKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	row := seal(t, open(t, dir), "a", "p", "secret")
	path, kept := filepath.Join(dir, nameOf(row)), filepath.Join(t.TempDir(), "kept")
	if err := errors.Join(os.Rename(path, kept), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	_, opened := r.Open([]byte("p"), row)
	for what, err := range map[string]error{"Open": opened, "Ready": r.Ready("a")} {
		if !errors.Is(err, engine.ErrKeyAway) || errors.Is(err, engine.ErrNoKey) ||
			!strings.Contains(engine.KeyAway(err), path+": is a directory: move the directory away") {
			t.Errorf("%s() = %v, want ErrKeyAway, the place and what helps", what, err)
		}
	}
	if err := errors.Join(os.Remove(path), os.Rename(kept, path)); err != nil {
		t.Fatal(err)
	}
	want(t, r, "p", row, "secret")
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Open([]byte("p"), row); !errors.Is(err, engine.ErrNoKey) ||
		errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("Open() with a damaged key = %v, want ErrNoKey alone", err)
	}
}

// Where the directory of the keys cannot be made as it must be, a key is made later.
func TestTheDirectoryOfTheKeysCannotBeMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	stranger := filepath.Join(dir, "stranger")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o755), os.WriteFile(stranger, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := r.Ready("a"); !errors.Is(err, engine.ErrKeyAway) || !strings.Contains(engine.KeyAway(err), "chmod 700") {
		t.Errorf("Ready() in a directory that others may read = %v, want ErrKeyAway and what helps", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.Ready("a"); err != nil {
		t.Errorf("Ready() after that = %v, want nil", err)
	}
}
