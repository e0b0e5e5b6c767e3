package follow_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// command is what a person can type or set.
var command = regexp.MustCompile("`[a-z-]+[^`]*`")

// TestTextsNameThePlaceAndWhatMendsIt: what is told of a fault names where it is, and a command or a
// setting in backquotes.
func TestTextsNameThePlaceAndWhatMendsIt(t *testing.T) {
	dir := t.TempDir()
	opened := func(name string, o store.Options) string {
		t.Helper()
		o.Dir = filepath.Join(dir, name)
		s, err := store.Open(o)
		if err != nil {
			return err.Error()
		}
		t.Cleanup(func() { s.Close() })
		return ""
	}
	key := make([]byte, 32)
	closed := func(name string, o store.Options) {
		t.Helper()
		o.Dir = filepath.Join(dir, name)
		s, err := store.Open(o)
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	closed("sealed", store.Options{Key: key})
	closed("plain", store.Options{})
	closed("damaged", store.Options{})
	if err := os.Remove(filepath.Join(dir, "damaged", "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	opened("held", store.Options{})
	lock := filepath.Join(dir, "held", "LOCK")
	heldBy := func(pid string) string {
		t.Helper()
		if err := os.WriteFile(lock, []byte(pid), 0o600); err != nil {
			t.Fatal(err)
		}
		return opened("held", store.Options{})
	}
	for _, c := range []struct{ said, place, mends string }{
		{opened("held", store.Options{}), "held", "`--data`"},
		{heldBy("4711"), "held", "`kill 4711`"},
		{heldBy(""), "held", "`lsof " + filepath.Join(dir, "held") + "`"},
		{opened("sealed", store.Options{}), "sealed", "`encryption.key_file`"},
		{opened("sealed", store.Options{Key: make([]byte, 16)}), "sealed", "`kehai key restore FILE`"},
		{opened("plain", store.Options{Key: key}), "plain", "`encryption.key_file`"},
		{opened("full", store.Options{MinFree: 1 << 62}), "full", "`store.min_free`"},
		{opened("damaged", store.Options{}), "damaged", "`kehai restore FILE`"},
	} {
		if !strings.Contains(c.said, filepath.Join(dir, c.place)) || !strings.Contains(c.said, c.mends) {
			t.Errorf("Open() = %q, want it to name %s and %s", c.said, filepath.Join(dir, c.place), c.mends)
		}
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		stored := mem.New()
		r := open(t, stored, notes)
		over := make(chan struct{})
		r.follow(func(n, before int) error {
			if n == 1 && before == 0 {
				<-over
			}
			if n == 1 && before < 2 || n == 2 {
				return errors.New("not now")
			}
			return nil
		})
		served := follow.Served{"host": ""}
		o := follow.Options{Engine: r.Engine()}
		texts := map[string]string{"dropped while served": served.Drop(t.Context(), "host", o).Error()}
		r.say(1)
		hour()
		texts["hangs"] = r.trouble["subscription host"]
		close(over)
		hour()
		r.say(2)
		hour()
		texts["fails"] = r.trouble["subscription host"]
		r.end()
		older := open(t, stored) // which does not know the type
		older.follow(func(int, int) error { return nil })
		texts["unreadable"] = older.trouble["subscription host"]
		older.end()
		for of, said := range texts {
			if !strings.Contains(said, "host") || !command.MatchString(said) {
				t.Errorf("%s: people are told %q, want the name of the subscription and a command", of, said)
			}
		}
	})
}
