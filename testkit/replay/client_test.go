package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRecordedClient replays ten minutes of a real application, as make real CLIENTS=dino RECORD=10m has recorded
// and exported them, without OCR: what is decided is what was decided then. A short run leaves it out.
// KEHAI_FLIGHT names another recording.
func TestRecordedClient(t *testing.T) {
	if testing.Short() {
		return
	}
	path := os.Getenv("KEHAI_FLIGHT")
	if path == "" {
		path = filepath.Join("testdata", "dino.flight")
	}
	out, err := RunRecording(t.Context(), RecordedOptions{Recording: opened(t, path), Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if list := Differences(out.Then, out.Log); len(list) > 0 || !bytes.Equal(out.Log, out.Then) {
		t.Errorf("RunRecording(%s) decided otherwise than when it was recorded:\n%s", path, strings.Join(list, "\n"))
	}
	if out.Unread != 0 || out.Missing != 0 || len(out.Problems) != 0 {
		t.Errorf("RunRecording(%s) = %d unread, %d missing, %v, want none", path, out.Unread, out.Missing, out.Problems)
	}
	delivered := bytes.Count(out.Log, []byte(`"message_delivered"`))
	if out.Virtual < 10*time.Minute || delivered < 50 {
		t.Errorf("RunRecording(%s) delivered %d times in %v, want 50 times in ten minutes at least", path, delivered,
			out.Virtual)
	}
	t.Logf("%d decisions, %d deliveries", bytes.Count(out.Log, []byte("\n")), delivered)
}
