package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// openWithLimits opens a store under one limit of the system after the other, from
// what lets nothing through to what lets all through, and says what came of it.
func openWithLimits(resource int, limits []uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	must(syscall.Getrlimit(resource, &was))
	for _, n := range limits {
		limit := was
		limit.Cur = n
		must(syscall.Setrlimit(resource, &limit))
		s, err := store.Open(store.Options{Dir: os.Getenv(childDir)})
		said := fmt.Sprint(err)
		if err == nil {
			said = fmt.Sprint("opened ", s.Close())
		}
		must(syscall.Setrlimit(resource, &was))
		fmt.Printf("%d: %t %s\n", n, errors.Is(err, engine.ErrCorrupt), said)
	}
}

func openWithFewFiles() {
	var limits []uint64
	for n := uint64(4); n < 40; n += 2 {
		limits = append(limits, n)
	}
	openWithLimits(syscall.RLIMIT_NOFILE, append(limits, 1<<10))
}

func openWithSmallFiles() {
	openWithLimits(syscall.RLIMIT_FSIZE, []uint64{0, 1 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 1 << 30})
}

// TestLimitsAreNoDamage opens a store that is whole where the system gives too little:
// the words tell which limit to raise, and not of a backup.
func TestLimitsAreNoDamage(t *testing.T) {
	for role, words := range map[string][2]string{
		"few files":   {"too many open files", "(ulimit -n)"},
		"small files": {"file too large", "(ulimit -f)"},
	} {
		t.Run(role, func(t *testing.T) {
			made := sample(t, nil)
			dir := copyDir(t, made.killed)
			refused, opened := 0, 0
			for limit, text := range whatIsSaid(t, role, dir) {
				switch {
				case strings.HasSuffix(text, "opened <nil>"):
					opened++
				case strings.HasPrefix(text, "false ") && strings.Contains(text, words[0]) &&
					strings.Contains(text, words[1]) && !strings.Contains(text, "backup"):
					refused++
				default:
					t.Errorf("with a limit of %s Open says %q, want words with %q", limit, text, words)
				}
			}
			if refused == 0 || opened == 0 {
				t.Errorf("%d refused and %d opened, want some of both", refused, opened)
			}
			s := open(t, store.Options{Dir: dir})
			if got := everything(t, s); len(got) != len(made.contents) {
				t.Errorf("afterwards there are %d keys, want %d", len(got), len(made.contents))
			}
			closeIt(t, s)
		})
	}
}
