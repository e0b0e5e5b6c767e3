package datadir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/runtime/keyring"
)

// A debugging file opens as long as the keys of all whom it may show are there. When one of
// them is destroyed the files of others stay, until Destroy: they may show it in a list.
func TestDebuggingFilesAreSealedForWhomTheyShow(t *testing.T) {
	data := t.TempDir()
	keys, err := keyring.Open(keysOf(data))
	if err != nil {
		t.Fatal(err)
	}
	files := DebugFiles(data)
	if files.Write("line", "a", nil, nil) == nil {
		t.Error("a file was written without keys")
	}
	files.Keep(keys)
	whole := string(noise(sealedPiece + 7))
	for window, shows := range map[string][]string{
		"hana": {"hana"}, "ken": {"ken"}, "namesakes": {"ken", "hana"}, "nobody": nil,
	} {
		if err := files.Write(window, "a", shows, []byte(window+whole)); err != nil {
			t.Fatal(err)
		}
	}
	older := debugFile(filepath.Join(files.dir, "older", "a")) // of the form that names nobody
	older.keys, older.head = keys, sealedHead
	if err := older.Save([]byte("older" + whole)); err != nil {
		t.Fatal(err)
	}
	opens := func(window string) bool {
		f := debugFile(filepath.Join(files.dir, window, "a"))
		f.keys = keyring.Reader(keysOf(data))
		content, ok := f.Load()
		if ok && string(content) != window+whole {
			t.Errorf("the file of %s holds something else", window)
		}
		return ok
	}
	check := func(when string, want ...string) {
		t.Helper()
		for _, window := range []string{"hana", "ken", "namesakes", "nobody", "older"} {
			wanted := false
			for _, w := range want {
				wanted = wanted || w == window
			}
			if got := opens(window); got != wanted {
				t.Errorf("%s the file of %s opens: %v, want %v", when, window, got, wanted)
			}
		}
	}
	check("with all keys", "hana", "ken", "namesakes", "nobody", "older")
	if err := keys.Destroy("hana"); err != nil {
		t.Fatal(err)
	}
	check("without the key of Hana", "ken", "nobody", "older")
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(files.dir)); err != nil {
		t.Fatal(err)
	}
	if err := files.Destroy(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(files.dir, os.DirFS(copied)); err != nil {
		t.Fatal(err)
	}
	check("a copy, after one was forgotten,")
}
