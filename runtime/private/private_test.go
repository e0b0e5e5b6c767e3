package private

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stranger is another user, as whom the test binary runs itself.
const (
	stranger = 3002
	pathEnv  = "KEHAI_PRIVATE_TEST_SOCKET"
	makeEnv  = "KEHAI_PRIVATE_TEST_MAKE"
	moveEnv  = "KEHAI_PRIVATE_TEST_MOVE"
)

func TestMain(m *testing.M) {
	path, dir, moved := os.Getenv(pathEnv), os.Getenv(makeEnv), os.Getenv(moveEnv)
	if path == "" && dir == "" && moved == "" {
		os.Exit(m.Run())
	}
	err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(stranger), syscall.Setuid(stranger))
	if moved != "" {
		fmt.Println(errors.Join(err, os.Rename(moved, moved+" away")))
		os.Exit(0)
	}
	if dir != "" {
		fmt.Println(errors.Join(err, Make(dir, Closed)))
		os.Exit(0)
	}
	var conn net.Conn
	if err == nil {
		conn, err = net.Dial("unix", path)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("heard %q\n", hear(conn))
}

// hear is what is said on a connection until its end.
func hear(conn net.Conn) string {
	defer conn.Close()
	said, _ := io.ReadAll(conn)
	return string(said)
}

// shared is a directory that every user may enter and write to, as /tmp is.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kehai-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// directory makes one of a mode with a file in it.
func directory(t *testing.T, mode fs.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dir")
	err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), os.Chmod(dir, mode))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) }) // or it could not be removed
	return dir
}

func TestMake(t *testing.T) {
	deep := filepath.Join(t.TempDir(), "a", "b")
	if err := Make(deep, Closed); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{deep, filepath.Dir(deep)} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode of %s = %v, %v, want 0700", dir, info.Mode(), err)
		}
	}
	for mode, rule := range map[fs.FileMode]Rule{0o755: Closed, 0o770: Unwritable, 0o777: Unwritable} {
		empty := t.TempDir() // an empty one is closed
		if err := errors.Join(os.Chmod(empty, mode), Make(empty, rule)); err != nil {
			t.Errorf("Make(an empty directory of mode %v) = %v, want no error", mode, err)
		}
		if info, err := os.Stat(empty); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode of what was empty and %v = %v, %v, want 0700", mode, info.Mode(), err)
		}
	}
}

func TestModes(t *testing.T) {
	for _, tt := range []struct {
		mode       fs.FileMode
		closed     string // what Make(Closed) says; "" for no error
		unwritable string
	}{
		{0o700, "", ""},
		{0o500, "", ""},
		{0o755, "may be read by other users", ""},
		{0o701, "may be read by other users", ""},
		{0o750, "may be read by other users", ""},
		{0o777, "may be changed by other users", "may be changed by other users"},
		{0o720, "may be changed by other users", "may be changed by other users"},
		{0o777 | fs.ModeSticky, "may be changed by other users", "may be changed by other users"},
	} {
		dir := directory(t, tt.mode)
		for rule, want := range map[Rule]string{Closed: tt.closed, Unwritable: tt.unwritable} {
			err := Make(dir, rule)
			if want == "" && err != nil {
				t.Errorf("Make(%v, %#o) = %v, want no error", tt.mode, rule, err)
			}
			var exposed *Exposed
			if want != "" && (!errors.As(err, &exposed) || !strings.Contains(exposed.What, want) ||
				!strings.Contains(exposed.Mend, "chmod 700 "+dir)) {
				t.Errorf("Make(%v, %#o) = %v, want that it %s and chmod 700", tt.mode, rule, err, want)
			}
		}
		if info, err := os.Stat(dir); err != nil || info.Mode()&^fs.ModeDir != tt.mode {
			t.Errorf("mode afterwards = %v, %v, want %v", info.Mode(), err, tt.mode)
		}
	}
	if err := Check(filepath.Join(t.TempDir(), "none"), Closed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check(nothing) = %v, want ErrNotExist", err)
	}
}

func TestLinksAndFiles(t *testing.T) {
	dir := directory(t, 0o700)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := Make(link, Closed); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("Make(a link, Closed) = %v, want that it is a link", err)
	}
	if err := Make(link, Unwritable); err != nil {
		t.Errorf("Make(this user's link, Unwritable) = %v, want no error", err)
	}
	if err := Check(filepath.Join(dir, "file"), Closed); err == nil ||
		!strings.Contains(err.Error(), "is no directory") {
		t.Errorf("Check(a file) = %v, want that it is no directory", err)
	}
	if err := Make(filepath.Join(dir, "file"), Closed); err == nil {
		t.Error("Make(a file) = nil, want an error")
	}
	odd := directory(t, 0o755) + "'s $HOME"
	if err := os.Rename(strings.TrimSuffix(odd, "'s $HOME"), odd); err != nil {
		t.Fatal(err)
	}
	_, name := filepath.Split(odd)
	err := Make(odd, Closed)
	if want := strings.ReplaceAll(name, "'", `'\''`) + "'"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Make(%s) = %v, want a command that a shell reads as %s", odd, err, want)
	}
}

// What another user has prepared is refused, whatever its mode.
func TestDirectoriesOfAnotherUser(t *testing.T) {
	for _, mode := range []fs.FileMode{0o700, 0o777} {
		dir := directory(t, mode)
		for _, rule := range []Rule{Closed, Unwritable} {
			err := check(dir, rule, stranger)
			var exposed *Exposed
			if !errors.As(err, &exposed) || !strings.Contains(exposed.What,
				fmt.Sprintf("belongs to user %d, and this is user 3002", os.Geteuid())) {
				t.Errorf("check(a directory of another user, %#o) = %v, want whose it is", rule, err)
			}
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := check(link, Unwritable, stranger); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("check(a link of another user) = %v, want that it is a link", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	dir := filepath.Join(shared(t), "kehai-0") // as root another user can be had
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Chmod(dir, 0o777), os.Chown(dir, stranger, stranger)); err != nil {
		t.Fatal(err)
	}
	if ln, err := Listen(filepath.Join(dir, "a.sock")); err == nil {
		ln.Close()
		t.Error("Listen in a directory of another user = nil, want an error")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("mode of what another user owns = %v, %v, want it as it was", info.Mode(), err)
	}
}

// A directory is not ours if somebody else can put another into its place.
func TestParents(t *testing.T) {
	base := t.TempDir()
	other := map[bool]int{true: stranger, false: os.Geteuid()}[os.Geteuid() == 0]
	uid := os.Geteuid()
	if uid != 0 { // nobody else can be had: let this user be the other one
		uid = stranger
	}
	for name, c := range map[string]struct {
		mode  fs.FileMode
		other bool // it is another user's
		want  string
	}{
		"closed":                        {0o700, false, ""},
		"a group's":                     {0o775, false, "may be changed by its group"},
		"a group's and sticky":          {0o775 | fs.ModeSticky, false, ""},
		"sticky":                        {0o777 | fs.ModeSticky, false, ""},
		"everybody's":                   {0o777, false, "may be changed by other users"},
		"another's":                     {0o755, true, fmt.Sprintf("belongs to user %d", other)},
		"another's that is everybody's": {0o777, true, fmt.Sprintf("belongs to user %d", other)},
		"another's and sticky":          {0o777 | fs.ModeSticky, true, fmt.Sprintf("belongs to user %d", other)},
	} {
		t.Run(name, func(t *testing.T) {
			up := filepath.Join(base, strings.ReplaceAll(name, "'", ""))
			dir := filepath.Join(up, "a", "dir")
			err := errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(up, c.mode))
			if err == nil && c.other && os.Geteuid() == 0 {
				err = os.Chown(up, other, other)
			}
			if err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(base, "to "+filepath.Base(up))
			if err := os.Symlink(up, link); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{dir, filepath.Join(dir, "new", "one"), filepath.Join(link, "a", "dir")} {
				err := parents(path, map[bool]int{true: uid, false: os.Geteuid()}[c.other])
				var exposed *Exposed
				switch {
				case c.want == "" && err != nil:
					t.Errorf("parents(%s) = %v, want no error", path, err)
				case c.want != "" && (!errors.As(err, &exposed) || !strings.Contains(exposed.What, c.want) ||
					!strings.Contains(exposed.What, path) || exposed.Mend == ""):
					t.Errorf("parents(%s) = %v, want that it %s, and what to do", path, err, c.want)
				}
			}
			if c.want == "" || c.other && os.Geteuid() != 0 {
				return
			}
			if err := Make(filepath.Join(up, "fresh"), Closed); err == nil {
				t.Error("Make() there = nil, want an error")
			}
			if _, err := os.Lstat(filepath.Join(up, "fresh")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is refused was made, %v", err)
			}
			if err := Check(dir, Closed); err == nil {
				t.Error("Check() there = nil, want an error")
			}
		})
	}
}

// As a user that is not root: below what root has, and what a third user has.
func TestParentsAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // nobody else can be had; see TestParents
	}
	base := shared(t)
	for up, c := range map[string]struct {
		owner int
		mode  fs.FileMode
		want  string
	}{
		"own":    {stranger, 0o755, ""},
		"root":   {0, 0o777 | fs.ModeSticky, ""},
		"third":  {stranger + 1, 0o777, fmt.Sprintf("belongs to user %d", stranger+1)},
		"open":   {stranger, 0o777, "may be changed by other users"},
		"rooted": {0, 0o777, "may be changed by other users"},
		"group":  {stranger, 0o770, fmt.Sprintf("may be changed by its group %d (drwxrwx---)", stranger)},
		"staff":  {0, 0o775, "Choose another place, or close it: chmod g-w "},
	} {
		dir := filepath.Join(base, up)
		err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, c.owner, c.owner), os.Chmod(dir, c.mode))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), makeEnv+"="+filepath.Join(dir, "data"))
		out, err := cmd.CombinedOutput()
		if err != nil || c.want == "" && string(out) != "<nil>\n" || !strings.Contains(string(out), c.want) {
			t.Errorf("Make() below %s = %s, %v, want %q", up, out, err, c.want)
		}
	}
}

// What leads up again behind a symbolic link leads to above of where the link does.
func TestUpBehindALink(t *testing.T) {
	base := t.TempDir()
	loose := filepath.Join(base, "loose")
	err := errors.Join(os.MkdirAll(filepath.Join(loose, "in"), 0o700), os.Mkdir(filepath.Join(loose, "data"), 0o700),
		os.Chmod(loose, 0o770), os.Symlink(filepath.Join(loose, "in"), filepath.Join(base, "link")))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{base + "/link/../data", base + "/link/../new"} {
		var exposed *Exposed
		if err := Check(path, Closed); !errors.As(err, &exposed) || exposed.Path != loose {
			t.Errorf("Check(%s) = %v, want that %s may be changed by its group", path, err, loose)
		}
	}
}

// A place where nothing may be made is told before anything is there.
func TestCheckOfWhatIsNotThere(t *testing.T) {
	loose := t.TempDir()
	if err := Check(filepath.Join(loose, "new", "one"), Closed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check() of what Make would make = %v, want ErrNotExist", err)
	}
	if err := os.Chmod(loose, 0o770); err != nil {
		t.Fatal(err)
	}
	var exposed *Exposed
	if err := Check(filepath.Join(loose, "new", "one"), Closed); !errors.As(err, &exposed) || exposed.Path != loose {
		t.Errorf("Check() below a group's directory = %v, want what Make says", err)
	}
}

// Whoever owns a symbolic link on the way can lead it elsewhere at any time.
func TestLinksOnTheWay(t *testing.T) {
	if os.Geteuid() != 0 {
		return // nobody else can be had; see TestParents
	}
	base, open := shared(t), shared(t)
	real := filepath.Join(base, "real")
	theirs := filepath.Join(open, "theirs")
	err := errors.Join(os.Mkdir(real, 0o700), os.Mkdir(filepath.Join(real, "data"), 0o700),
		os.Symlink(real, filepath.Join(base, "own")),
		os.Symlink(real, theirs), os.Lchown(theirs, stranger, stranger),
		os.Symlink(theirs, filepath.Join(base, "behind")),
		os.Symlink("../../"+filepath.Base(open)+"/theirs/data", filepath.Join(real, "last")),
		os.Symlink("round", filepath.Join(real, "round")))
	if err != nil {
		t.Fatal(err)
	}
	led := fmt.Sprintf("is a symbolic link of user %d", stranger)
	for path, want := range map[string]string{
		filepath.Join(base, "own", "data"):       "",
		filepath.Join(base, "own", "new", "one"): "",
		filepath.Join(theirs, "data"):            led,
		filepath.Join(theirs, "new", "one"):      led,
		filepath.Join(base, "behind", "data"):    led,
		filepath.Join(real, "last"):              led,
		filepath.Join(real, "round", "data"):     "leads in a circle",
	} {
		for of, err := range map[string]error{"parents": parents(path, 0), "Make": Make(path, Unwritable)} {
			var exposed *Exposed
			if want == "" && err != nil || want != "" &&
				(!errors.As(err, &exposed) || !strings.Contains(exposed.What, want) || exposed.Mend == "") {
				t.Errorf("%s(%s) = %v, want that it %s, and what to do", of, path, err, want)
			}
		}
	}
}

// A secret is read from a file of this user alone, where nobody else can put another one.
func TestReadFile(t *testing.T) {
	base := t.TempDir()
	write := func(dir, name string, mode, above fs.FileMode) string {
		t.Helper()
		path := filepath.Join(base, dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("secret"), 0o600),
			os.Chmod(path, mode), os.Chmod(filepath.Dir(path), above))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(to string) string {
		t.Helper()
		path := filepath.Join(base, "to "+filepath.Base(filepath.Dir(to))+filepath.Base(to))
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(base, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	closed, loose := write("closed", "a", 0o600, 0o700), write("loose", "a", 0o600, 0o770)
	for name, c := range map[string]struct{ path, want string }{
		"closed":            {closed, ""},
		"a link to it":      {link(closed), ""},
		"everybody reads":   {write("closed", "read", 0o644, 0o700), "may be read or changed by other users"},
		"a group changes":   {write("closed", "group", 0o620, 0o700), "may be read or changed by other users"},
		"below a group's":   {loose, "may be changed by its group"},
		"a link to that":    {link(loose), "may be changed by its group"},
		"a pipe":            {pipe, "is no plain file"},
		"a directory":       {filepath.Dir(closed), "is no plain file"},
		"nothing":           {filepath.Join(base, "none"), "no such file"},
		"a link to nothing": {link(filepath.Join(base, "none")), "no such file"},
	} {
		got, err := ReadFile(c.path, 3)
		if c.want == "" && (string(got) != "sec" || err != nil) {
			t.Errorf("%s: ReadFile() = %q, %v, want its first bytes", name, got, err)
		}
		if c.want != "" && (got != nil || err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: ReadFile() = %q, %v, want that it %s", name, got, err, c.want)
		}
	}
	if got, err := readFile(closed, 3, stranger); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("ReadFile(a file of another user) = %q, %v, want whose it is", got, err)
	}
}

// echo answers each connection with a word.
func echo(t *testing.T, ln net.Listener, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
}

func TestSocket(t *testing.T) {
	path := filepath.Join(shared(t), "own", "a.sock")
	ln, err := Listen(path)
	echo(t, ln, err)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket = %v, %v, want 0600", info.Mode(), err)
	}
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if said := hear(conn); said != "hello" {
		t.Errorf("this user hears %q, want hello", said)
	}
	if _, err := Dial(t.Context(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Dial(no socket) = %v, want ErrNotExist", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Dial(ended) = %v, want Canceled", err)
	}
	conn, err = dial(t.Context(), path, stranger)
	if err == nil {
		conn.Close()
	}
	var exposed *Exposed
	if !errors.As(err, &exposed) || !strings.Contains(exposed.What, fmt.Sprintf("is served by user %d", os.Geteuid())) {
		t.Errorf("Dial as another user = %v, want who serves it", err)
	}
}

// Even where modes let another user through, nothing is said to it.
func TestSocketAndAnotherUser(t *testing.T) {
	path := filepath.Join(shared(t), "own", "a.sock")
	ln, err := Listen(path)
	if os.Geteuid() != 0 { // nobody else can be had: let it be another user's socket
		ln = guarded{ln.(guarded).Listener, stranger}
	}
	echo(t, ln, err)
	if err := errors.Join(os.Chmod(filepath.Dir(path), 0o755), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if said := hear(conn); said != "" {
			t.Errorf("another user hears %q, want nothing", said)
		}
		return
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), pathEnv+"="+path)
	if out, err := cmd.Output(); string(out) != "heard \"\"\n" {
		t.Errorf("another user says %q, %v, want that it heard nothing", out, err)
	}
}

func TestUmask(t *testing.T) {
	before := syscall.Umask(0o022)
	t.Cleanup(func() { syscall.Umask(before) })
	Umask()
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666) // as Badger makes its files
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a new file = %v, %v, want 0600", info.Mode(), err)
	}
}
