package attention_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	cameras "github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/actors/attention/history"
	eyes "github.com/kehai-run/kehai/actors/attention/landmarks"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/messages"
)

// Rows as existing stores hold them. A field may be added. A renamed field, or one
// with a new meaning, needs a new version of its table and an upcast, and these
// rows must still load.
const (
	storedState = `1 {"steady":{"state":"away","since":"2026-01-01T12:00:00Z","candidate":"focused","weight":0.95,` +
		`"changes":["2026-01-01T12:00:00Z","0001-01-01T00:00:00Z"]},` +
		`"last":{"state":"away","confidence":1,"reasoning":"x","source":"rule",` +
		`"at":"2026-01-01T12:00:00Z","camera_state":"","pc_state":""},` +
		`"seen":"2026-01-01T12:00:10Z","paused":true}`
	storedChange = `1 {"state":"drowsy","confidence":0.7,"reasoning":"x","source":"fallback",` +
		`"at":"2026-01-01T12:00:00Z","camera_state":"","pc_state":""}`
	storedEpisode = `1 {"state":"drowsy","since":"2026-01-01T12:00:00Z","told":true,` +
		`"last":{"drowsy":"2026-01-01T12:00:00Z"},"paused":true,` +
		`"until":"2026-01-01T12:00:00Z","due":"2026-01-01T12:00:00Z","wrong":"unavailable"}`
	storedBaseline = `1 {"openness":0.28,"neutral_yaw":1.5,"neutral_pitch":-2,"learnt":90000000000}`
)

func TestStoredRowsLoad(t *testing.T) {
	row, err := attention.Rows.Decode([]byte(storedState))
	want := attention.Debouncer{State: messages.Away, Since: noon, Candidate: messages.Focused, Weight: 0.95}
	want.Changes[0] = noon
	if err != nil || row.Debouncer != want || row.Last.State != messages.Away || row.Last.Confidence != 1 ||
		!row.Seen.Equal(noon.Add(tick)) || !row.Paused {
		t.Errorf("Rows.Decode() = %+v, %v, want %+v", row, err, want)
	}
	change, err := history.Changes.Decode([]byte(storedChange))
	if want := (messages.FocusState{State: messages.Drowsy, Confidence: 0.7, Reasoning: "x",
		Source: messages.FromFallback, At: noon}); err != nil || change != want {
		t.Errorf("Changes.Decode() = %+v, %v, want %+v", change, err, want)
	}
	episode, err := notify.Episodes.Decode([]byte(storedEpisode))
	if err != nil || episode.State != messages.Drowsy || !episode.Since.Equal(noon) || !episode.Notified ||
		!episode.Last[messages.Drowsy].Equal(noon) || !episode.Paused ||
		!episode.Until.Equal(noon) || !episode.Due.Equal(noon) || episode.Wrong != "unavailable" {
		t.Errorf("Episodes.Decode() = %+v, %v, want every field", episode, err)
	}
	base, err := cameras.Baselines.Decode([]byte(storedBaseline))
	if want := (eyes.Baseline{Openness: 0.28, NeutralX: 1.5, NeutralY: -2, Learnt: 90 * time.Second}); err != nil ||
		base != want {
		t.Errorf("Baselines.Decode() = %+v, %v, want %+v", base, err, want)
	}
}
