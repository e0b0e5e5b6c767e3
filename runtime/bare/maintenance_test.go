package bare_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// inFiles reports whether a file of a data directory holds some words.
func inFiles(t *testing.T, data, words string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		found = found || bytes.Contains(raw, []byte(words))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What the retention of a host deletes at one start leaves the files of its store at the next, if no day
// has passed before.
func TestWhatAHostDeletesLeavesTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		o := till(data, &log)
		run := func(use func(*bare.Runtime)) {
			during(t, o, nil, func(rt *bare.Runtime) {
				use(rt)
				<-time.After(time.Second)
				synctest.Wait()
			})
		}
		run(func(rt *bare.Runtime) {
			if err := rt.Inject(t.Context(), "purse/mine", coin{1}, "canary"); err != nil {
				t.Fatal(err)
			}
		})
		o.Retention = bare.Retention{Injections: time.Nanosecond}
		run(func(*bare.Runtime) {})
		if !inFiles(t, data, "canary") {
			t.Error("what was deleted just now is not in the files: this test shows nothing")
		}
		o.Retention = bare.Retention{}
		run(func(*bare.Runtime) {})
		if inFiles(t, data, "canary") {
			t.Error("what was deleted is in the files still")
		}
	})
}

// What a store holds unsealed, from before it had keys, is sealed and leaves the files at once, also
// for a host that keeps everything.
func TestWhatAHostHadUnsealedLeavesTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		st, err := store.Open(store.Options{Dir: filepath.Join(data, "store")})
		if err != nil {
			t.Fatal(err)
		}
		row := engine.Op{Key: engine.SettingKey("plain"), Value: []byte("canary")}
		if err := st.Apply([]engine.Op{row}, true); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		o := till(data, &log)
		o.Retention = bare.Retention{}
		during(t, o, nil, func(*bare.Runtime) {
			<-time.After(time.Second)
			synctest.Wait()
			if inFiles(t, data, "canary") {
				t.Error("what was unsealed is in the files still")
			}
		})
	})
}
