package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/recording"
)

// chatOfTwo has repeats, an own message and two conversations.
const chatOfTwo = `{"at_ms":0,"who":"friend","text":"good morning","conversation":"Hana"}
{"at_ms":4000,"who":"friend","text":"Lunch at 12:30?"}
{"at_ms":9000,"who":"me","text":"OK"}
{"at_ms":14000,"who":"friend","text":"OK"}
{"at_ms":20000,"do":"switch","conversation":"Ren"}
{"at_ms":21000,"who":"friend","text":"where are you?","conversation":"Ren"}
{"at_ms":27000,"do":"switch","conversation":"Hana"}
{"at_ms":33000,"who":"friend","text":"OK"}
`

// recorded replays a scenario and records it.
func recorded(t *testing.T, scenario string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flight.kehai")
	o := plainOptions(parsed(t, scenario))
	rec, err := recording.New(recording.Options{Path: path, Windows: []string{"line"}})
	if err != nil {
		t.Fatal(err)
	}
	o.Options = []runtime.Option{runtime.WithRecorder(rec)}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t *testing.T, path string) *recording.Recording {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(bytes.NewReader(raw), int64(len(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestRecordedRunReplaysEqual: the same decisions come out without the window.
func TestRecordedRunReplaysEqual(t *testing.T) {
	path := recorded(t, chatOfTwo)
	out, err := RunRecording(t.Context(), RecordedOptions{Recording: opened(t, path), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Log, out.Then) || len(out.Then) == 0 {
		t.Errorf("RunRecording() decided\n%s\nwant as it was recorded\n%s", out.Log, out.Then)
	}
	if out.Unread != 0 || out.Missing != 0 || len(out.Problems) != 0 {
		t.Errorf("RunRecording() = %d unread, %d missing, %v, want none", out.Unread, out.Missing, out.Problems)
	}
	info, _ := os.Stat(path)
	t.Logf("%d bytes for %v, %d bytes of decisions", info.Size(), out.Virtual, len(out.Log))
}
