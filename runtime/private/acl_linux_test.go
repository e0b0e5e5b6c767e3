package private

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// setACL gives a stranger all rights to a directory, up to a mask. It is false where no such lists can be.
func setACL(t *testing.T, kind, path string, mask uint16) bool {
	t.Helper()
	acl := []byte{2, 0, 0, 0} // the version
	for _, e := range []struct {
		tag, rights uint16
		id          uint32
	}{{1, 7, ^uint32(0)}, {2, 7, stranger}, {4, 5, ^uint32(0)}, {16, mask, ^uint32(0)}, {32, 5, ^uint32(0)}} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.rights)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	err := unix.Setxattr(path, "system.posix_acl_"+kind, acl, 0)
	if err != nil && !errors.Is(err, syscall.ENOTSUP) {
		t.Fatal(err)
	}
	return err == nil
}

// strangerMoves reports whether another user can move a directory away.
func strangerMoves(t *testing.T, path string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), moveEnv+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "<nil>\n" && !strings.Contains(string(out), "permission denied") {
		t.Fatalf("a stranger who moves %s: %s, %v", path, out, err)
	}
	if string(out) != "<nil>\n" {
		return false
	}
	if err := os.Rename(path+" away", path); err != nil {
		t.Fatal(err)
	}
	return true
}

// A directory above is refused where an access control list lets somebody in who can replace ours, and only there; the
// advice closes it.
func TestAccessControlLists(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		mask uint16
		bad  bool
	}{
		"all rights":          {"access", 7, true},
		"up to reading":       {"access", 5, false},
		"of what comes to be": {"default", 7, false},
	} {
		up := filepath.Join(shared(t), "up")
		data := filepath.Join(up, "data")
		if err := errors.Join(os.Mkdir(up, 0o755), os.Chmod(up, 0o755)); err != nil {
			t.Fatal(err)
		}
		if !setACL(t, c.kind, up, c.mask) {
			return
		}
		err := Make(data, Closed)
		var exposed *Exposed
		named := "whom its access control list names"
		if c.bad && (!errors.As(err, &exposed) || !strings.Contains(exposed.What, named) ||
			!strings.Contains(exposed.Mend, "chmod g-w "+up)) || !c.bad && err != nil {
			t.Errorf("%s: Make() = %v", name, err)
		}
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatal(err)
		}
		root := os.Geteuid() == 0 // else nobody else can be had
		if root && strangerMoves(t, data) != c.bad {
			t.Errorf("%s: a stranger can move it away: %v, want %v", name, !c.bad, c.bad)
		}
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Make(data, Closed); err != nil || root && strangerMoves(t, data) {
			t.Errorf("%s: after chmod g-w Make() = %v", name, err)
		}
		file := filepath.Join(data, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for path, mode := range map[string]fs.FileMode{data: 0o700, file: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %s has mode %v, %v, want %v", name, path, info.Mode(), err, mode)
			}
		}
	}
}
