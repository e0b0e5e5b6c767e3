package attention

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

var midnight = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)

func focusChange(desk messages.DeskID, state messages.Attention, hours float64) control.FocusChange {
	return control.FocusChange{Desk: desk, State: state, Confidence: 0.9, Source: messages.FromRule,
		At: midnight.Add(time.Duration(hours * float64(time.Hour)))}
}

var twoDesks = []control.FocusChange{
	focusChange("a", messages.Focused, -1), focusChange("a", messages.Away, 2), focusChange("a", messages.Focused, 2.5),
	focusChange("a", messages.Away, 30),
	focusChange("b", messages.Drowsy, 5),
}

func TestFocusCSV(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCSV(&b, Spans(twoDesks, midnight, midnight.Add(6*time.Hour))); err != nil {
		t.Fatal(err)
	}
	const want = `desk,start,end,seconds,state,confidence,source
a,2026-01-31T00:00:00.000Z,2026-01-31T02:00:00.000Z,7200.000,focused,0.9,rule
a,2026-01-31T02:00:00.000Z,2026-01-31T02:30:00.000Z,1800.000,away,0.9,rule
a,2026-01-31T02:30:00.000Z,2026-01-31T06:00:00.000Z,12600.000,focused,0.9,rule
b,2026-01-31T05:00:00.000Z,2026-01-31T06:00:00.000Z,3600.000,drowsy,0.9,rule
`
	if b.String() != want {
		t.Errorf("WriteCSV() =\n%s\nwant\n%s", b.String(), want)
	}
}

// A state ends when the desk was last seen, unless it is being watched.
func TestEndFocus(t *testing.T) {
	now := midnight.Add(24 * 7 * time.Hour)
	desk := func(id messages.DeskID, ago time.Duration) control.FocusDesk {
		return control.FocusDesk{Desk: id, SeenAt: control.Stamp{Time: now.Add(-ago)}}
	}
	unknown := func(id messages.DeskID, hours float64) control.FocusChange {
		c := focusChange(id, messages.Unknown, hours)
		c.Confidence = 0
		return c
	}
	a, b := twoDesks[:4], twoDesks[4:]
	for _, c := range []struct {
		name  string
		desks []control.FocusDesk
		want  []control.FocusChange
	}{
		{"watched", []control.FocusDesk{desk("a", time.Minute), desk("b", 2*time.Minute)}, twoDesks},
		{"one left", []control.FocusDesk{desk("a", 2*time.Minute+1), desk("b", 0)},
			slices.Concat(a, []control.FocusChange{unknown("a", 7*24)}, b)},
		{"both left", []control.FocusDesk{desk("a", 100*time.Hour), desk("b", 150*time.Hour)},
			slices.Concat(a, []control.FocusChange{unknown("a", 68)}, b, []control.FocusChange{unknown("b", 18)})},
		{"seen before its change", []control.FocusDesk{desk("b", 167*time.Hour)},
			slices.Concat(twoDesks, []control.FocusChange{unknown("b", 5)})},
		{"no desk", nil, twoDesks},
	} {
		got := EndUnseen(twoDesks, c.desks, now)
		for i := range got {
			got[i].At = got[i].At.Round(time.Second) // 2 min and 1 ns ago
		}
		if c.name == "one left" {
			c.want[4].At = now.Add(-2 * time.Minute)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("EndUnseen(%s) = %+v, want %+v", c.name, got, c.want)
		}
	}
	ended := EndUnseen(b, []control.FocusDesk{desk("b", 150*time.Hour)}, now)
	if again := EndUnseen(ended, []control.FocusDesk{desk("b", 150*time.Hour)}, now); !slices.Equal(again, ended) {
		t.Errorf("EndUnseen(ended) = %+v, want it as it was", again)
	}
}

func TestFocusActivityWatch(t *testing.T) {
	var b bytes.Buffer
	if err := WriteActivityWatch(&b, Spans(twoDesks, midnight, midnight.Add(6*time.Hour))); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Buckets map[string]struct {
			ID, Type, Client, Hostname, Created string
			Events                              []struct {
				Timestamp string
				Duration  float64
				Data      map[string]any
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	a := got.Buckets["kehai-focus_a"]
	// ActivityWatch refuses a bucket without the time of its creation.
	if a.Created != "2026-01-31T00:00:00.000Z" || got.Buckets["kehai-focus_b"].Created != "2026-01-31T05:00:00.000Z" {
		t.Errorf("WriteActivityWatch() created %q and %q, want when their first events began", a.Created,
			got.Buckets["kehai-focus_b"].Created)
	}
	if len(got.Buckets) != 2 || a.ID != "kehai-focus_a" || a.Type == "" || a.Client != "kehai" || a.Hostname != "a" ||
		len(a.Events) != 3 || a.Events[1].Timestamp != "2026-01-31T02:00:00.000Z" || a.Events[1].Duration != 1800 ||
		a.Events[1].Data["state"] != "away" {
		t.Errorf("WriteActivityWatch() = %+v, want two buckets and three events of desk a", got)
	}
}

func TestDays(t *testing.T) {
	days := Days(twoDesks, midnight.Add(3*time.Hour), midnight.Add(6*time.Hour))
	if len(days) != 2 || days[0].Desk != "a" || days[1].Desk != "b" || len(days[0].Hours) != 6 ||
		len(days[0].Sums) != 2 {
		t.Fatalf("Days() = %+v, want two desks and six hours", days)
	}
	want := Sum{State: messages.Focused, Seconds: 5.5 * 3600, Spans: 2, LongestSeconds: 3.5 * 3600}
	if days[0].Sums[0] != want || days[0].Hours[2].Seconds[messages.Away] != 1800 {
		t.Errorf("Days() = %+v, want first %+v and half an hour away in the third hour", days[0], want)
	}
	var hour strings.Builder
	for _, c := range days[0].Hours[2].Cells {
		hour.WriteString(cmp.Or(string(c), "-")[:1])
	}
	if got := hour.String(); got != "aaaaaaaaaaaaffffffffffff" { // away first, as it was
		t.Errorf("the third hour reads %s", got)
	}
	if got := Days(twoDesks, midnight.AddDate(0, 0, 7), midnight.Add(6*time.Hour)); got != nil {
		t.Errorf("Days(a day to come) = %+v, want none", got)
	}
}

func FuzzReplayFocus(f *testing.F) {
	f.Add("{\"at_ms\":0,\"camera\":{\"face_detected\":true},\"pc\":{\"idle_seconds\":1}}\n" +
		"{\"at_ms\":10000,\"camera\":null}\n")
	f.Add("{\"at_ms\":-5,\"pc\":{\"seconds_since_last_keyboard\":1e300}}\n{\"at_ms\":1e14}")
	f.Fuzz(func(t *testing.T, in string) {
		last, n := int64(math.MinInt64), 0
		err := Replay("default", strings.NewReader(in), func(l Line) error {
			if l.AtMS < last || l.State == "" || l.Steady == "" || l.Source == "" ||
				!(l.Confidence >= 0 && l.Confidence <= 1) {
				t.Fatalf("Replay(%q) = %+v after %d, want a judgement in order", in, l, last)
			}
			last, n = l.AtMS, n+1
			return nil
		})
		if err != nil && !errors.Is(err, ErrInput) {
			t.Fatalf("Replay(%q) = %v, want ErrInput", in, err)
		}
	})
}

func TestReplayStops(t *testing.T) {
	enough := errors.New("enough")
	err := Replay("seed", strings.NewReader("{\"at_ms\":0}\n{\"at_ms\":1}\n"), func(Line) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("Replay(stopped) = %v, want %v", err, enough)
	}
	for name, in := range map[string]string{
		"other": "", "default": "{\"at_ms\":0,\"camera\":{\"yawning\":7}}", "seed": strings.Repeat("x", maxLine+1),
	} {
		if err := Replay(name, strings.NewReader(in), nil); !errors.Is(err, ErrInput) {
			t.Errorf("Replay(%s) = %v, want ErrInput", name, err)
		}
	}
}
