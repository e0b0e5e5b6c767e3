package store_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/runtime/store"
)

// The test binary runs itself as another process: the variable names what the
// process is to do in the directory of the second one.
const (
	childRole = "KEHAI_STORE_TEST_ROLE"
	childDir  = "KEHAI_STORE_TEST_DIR"
	childUser = "KEHAI_STORE_TEST_AS_NOBODY" // any value: without root's rights
)

func TestMain(m *testing.M) {
	roles := map[string]func(*store.Store){
		"hold":           hold,
		"write":          func(s *store.Store) { writeForEver(s, false) },
		"write sync":     func(s *store.Store) { writeForEver(s, true) },
		"lose":           lose,
		"lose full":      loseFull,
		"rot":            rot,
		"rot scan":       rotScan,
		"rot get":        rotGet,
		"rot value":      func(s *store.Store) { rotValue(s, readSecret) },
		"rot value scan": func(s *store.Store) { rotValue(s, scanSecret) },
		"gone":           goAway,
		"replaced":       replace,
		"rot known":      func(s *store.Store) { rotBetween(s, oftenEveryKey, everyKey) },
		"rot merge":      func(s *store.Store) { rotBeside(s, traffic) },
		"rot purge":      func(s *store.Store) { rotBeside(s, purgeOne) },
		"cut get":        func(s *store.Store) { cutTables(s, rotten) },
		"cut scan":       func(s *store.Store) { cutTables(s, everyKey) },
		"limit":          limit,
		"full":           fullRole,
	}
	if path := os.Getenv(childHands); path != "" {
		grasp(path)
	}
	alone := map[string]func(){ // these open the store themselves
		"badger alone":  badgerAlone,
		"badger merges": badgerMerges,
		"few files":     openWithFewFiles,
		"small files":   openWithSmallFiles,
	}
	if role := alone[os.Getenv(childRole)]; role != nil {
		fmt.Println("started")
		role()
		os.Exit(0)
	}
	if role := roles[os.Getenv(childRole)]; role != nil {
		if os.Getenv(childUser) != "" {
			becomeNobody()
		}
		fmt.Println("started")
		o := store.Options{Dir: os.Getenv(childDir), OnStop: func(why error) {
			fmt.Println("stopped:", why)
			close(told)
		}}
		if os.Getenv(childRole) == "rot get" { // tables are not merged without room
			o.StatFS = func(string) (uint64, error) { return 1 << 20, nil }
		}
		s, err := store.Open(o)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		role(s)
		os.Exit(0)
	}
	var err error
	if forAll, err = os.MkdirTemp("", "kehai-store-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(forAll)
		os.Exit(code)
	}))
}

// fullRole is there where volumes can be mounted.
var fullRole func(*store.Store)

// forAll is for files that several tests share.
var forAll string

// hold keeps the store open until the parent closes the pipe.
func hold(s *store.Store) {
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is a process of this binary.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startChild(t *testing.T, role, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, in, bufio.NewScanner(out)}
	c.want(t, "started")
	return c
}

func (c *child) want(t *testing.T, line string) {
	t.Helper()
	if !c.lines.Scan() || c.lines.Text() != line {
		t.Fatalf("child says %q, %v, want %q", c.lines.Text(), c.lines.Err(), line)
	}
}
