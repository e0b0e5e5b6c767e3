package attention

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
)

// replayedFocus judges a record and tells each judgement as "at_ms source state →
// steady".
func replayedFocus(t *testing.T, profile, record string) (list []string, lines []Line) {
	t.Helper()
	err := Replay(profile, strings.NewReader(record), func(l Line) error {
		list = append(list, fmt.Sprintf("%d %s %s → %s", l.AtMS, l.Source, l.State, l.Steady))
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		t.Fatalf("Replay(%s) = %v, want none", profile, err)
	}
	return list, lines
}

const facingScreen = `{"face_detected":true,"ear_average":0.3,"perclos_drowsy":false,"yawning":false,"head_pose":{"yaw":0,"pitch":0}}`

// Judgements are ten seconds apart, wherever the lines of a record are.
func TestReplayJudgesAsALiveSystem(t *testing.T) {
	for _, c := range []struct {
		name, record string
		want         []string
	}{
		{"between lines", `{"at_ms":0,"camera":` + facingScreen + `,"pc":{"idle_seconds":1}}
			{"at_ms":34000,"camera":` + facingScreen + `,"pc":{"idle_seconds":1}}`, []string{
			"0 rule focused → focused", "10000 rule focused → focused",
			"20000 fallback focused → focused", "30000 fallback focused → focused", // the camera is too old
			"40000 rule focused → focused",
		}},
		{"at lines", `{"at_ms":-10000,"camera":{"face_detected":false}}
			{"at_ms":0,"camera":` + facingScreen + `,"pc":{"idle_seconds":1}}`,
			[]string{"-10000 rule away → away", "0 rule focused → away"}},
		{"the newest line counts", `{"at_ms":1767225600000,"camera":{"face_detected":false}}
			{"at_ms":1767225600000,"camera":{"face_detected":true}}`, []string{"1767225600000 fallback focused → focused"}},
		{"absent from then on", `{"at_ms":0,"camera":{"face_detected":false},"pc":{"idle_seconds":1}}
			{"at_ms":5000,"camera":null}
			{"at_ms":15000,"pc":null}`,
			[]string{"0 rule away → away", "10000 fallback focused → away", "20000 rule unknown → away"}},
		{"the last key counts on", `{"at_ms":0,"camera":{"face_detected":false},"pc":{"idle_seconds":1,"seconds_since_last_keyboard":1}}
			{"at_ms":10000,"camera":{"face_detected":false}}`, []string{"0 fallback focused → focused", "10000 rule away → focused"}},
	} {
		got, _ := replayedFocus(t, "default", c.record)
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: judged %q, want %q", c.name, got, c.want)
		}
	}
}

// A face that flickers every second of an hour is judged as rarely as it would
// be, nobody is away for one judgement alone, and more lines come at once than a mailbox holds.
func TestReplayOfDenseLines(t *testing.T) {
	var b strings.Builder
	for n := range 3600 {
		fmt.Fprintf(&b, `{"at_ms":%d,"camera":{"face_detected":%v,"face_not_detected_ratio":0.5},"pc":{"idle_seconds":1}}`,
			1000*n, n*n%7 < 3)
		b.WriteByte('\n')
	}
	for range 1000 {
		b.WriteString("{\"at_ms\":3600000,\"camera\":{\"face_detected\":true}}\n")
	}
	b.WriteString("{\"at_ms\":3600000,\"camera\":{\"face_detected\":false}}\n")
	_, lines := replayedFocus(t, "default", b.String())
	changes := 0
	for i, l := range lines {
		if l.AtMS != int64(i)*10_000 {
			t.Fatalf("judgement %d is at %d ms, want them ten seconds apart", i, l.AtMS)
		}
		if l.Transition != nil && i > 0 {
			changes++
		}
	}
	if len(lines) != 361 || changes > 12 || lines[360].State != messages.Away {
		t.Errorf("%d judgements with %d changes, the last %s, want 361 with 12 at most, the last away", len(lines),
			changes, lines[len(lines)-1].State)
	}
}

// In a hole nothing is known, however long it is, and nothing is said of it
// twice.
func TestReplayOfHoles(t *testing.T) {
	for _, hole := range []int64{600_000, 3_600_000, 3_700_000, 24 * 3_600_000, 90_000_000_000_000} {
		line := `{"at_ms":%d,"camera":` + facingScreen + `,"pc":{"idle_seconds":1}}` + "\n"
		_, lines := replayedFocus(t, "default", fmt.Sprintf(line+line+line+line, 5, 5+hole, 5+hole+10_000,
			5+hole+20_000))
		var changes []string
		last := int64(-1)
		for _, l := range lines {
			if l.AtMS <= last || (l.AtMS-5)%10_000 != 0 {
				t.Errorf("hole of %d ms: judged at %d after %d, want one in ten seconds", hole, l.AtMS, last)
			}
			last = l.AtMS
			if l.Transition != nil {
				changes = append(changes, fmt.Sprintf("%d %s → %s", l.AtMS-5, l.Transition.From, l.Transition.To))
			}
		}
		want := fmt.Sprintf("0 unknown → focused, 110000 focused → unknown, %d unknown → focused", hole+10_000)
		if got := strings.Join(changes, ", "); got != want || len(lines) != 15 {
			t.Errorf("hole of %d ms: %d judgements with changes %s, want 15 with %s", hole, len(lines), got, want)
		}
	}
}

// Without steadying each change counts.
func TestReplayOfTheSeedProfile(t *testing.T) {
	got, _ := replayedFocus(t, "seed", `{"at_ms":0,"camera":`+facingScreen+
		`,"pc":{"idle_seconds":1,"seconds_since_last_keyboard":1}}
		{"at_ms":10000,"camera":{"face_detected":false}}
		{"at_ms":20000,"camera":`+facingScreen+`}`)
	if want := "0 rule focused → focused, 10000 rule away → away, 20000 rule focused → focused"; strings.Join(got,
		", ") != want {
		t.Errorf("judged %q, want %s", got, want)
	}
}

// A trial is judged by the configured numbers.
func TestConfiguredRules(t *testing.T) {
	c := config.Default().Focus
	c.Rules.EyesOpen, c.Rules.CameraAge = 0.9, 30*time.Second
	by, err := Configured(c, "default")
	if err != nil {
		t.Fatal(err)
	}
	record := `{"at_ms":0,"camera":` + facingScreen + `,"pc":{"idle_seconds":1}}
		{"at_ms":20000}`
	var got []string
	_, err = ReplayAsking(t.Context(), by, nil, strings.NewReader(record), func(l Line) error {
		got = append(got, string(l.Source))
		return nil
	})
	one, failed := Ask(t.Context(), by, []byte(facingScreen), []byte(`{"idle_seconds":1}`), nil)
	if err != nil || failed != nil || strings.Join(got, " ") != "fallback fallback fallback" ||
		one.Source != "fallback" {
		t.Errorf("with eyes that nobody has judged by %q, %v, and %+v, %v, want the fallback", got, err, one, failed)
	}
	if _, err := Configured(c, "other"); !errors.Is(err, ErrInput) {
		t.Errorf("Configured(other) = %v, want ErrInput", err)
	}
}

func TestReplayAsks(t *testing.T) {
	record := `{"at_ms":0,"camera":{"face_detected":true},"pc":{"idle_seconds":1}}
		{"at_ms":10000,"camera":{"face_detected":true},"pc":{"idle_seconds":1}}
		{"at_ms":20000,"camera":{"face_detected":true,"yawning":true},"pc":{"idle_seconds":1}}
		{"at_ms":30000,"camera":{"face_detected":true,"yawning":true},"pc":{"idle_seconds":1}}`
	asked := 0
	var got []string
	by, err := Profile("default")
	if err != nil {
		t.Fatal(err)
	}
	err = replay(t.Context(), by, func(prompt messages.Text) (messages.Text, error) {
		if asked++; strings.Contains(string(prompt), `"yawning":true`) {
			return "", errors.New("out of order")
		}
		return `{"state":"idle","confidence":0.9}`, nil
	}, strings.NewReader(record), func(l Line) error {
		got = append(got, fmt.Sprintf("%d %s %s", l.AtMS, l.Source, l.State))
		return nil
	})
	const want = "0 llm idle, 10000 llm idle, 20000 fallback drowsy, 30000 fallback drowsy"
	if err != nil || asked != 2 || strings.Join(got, ", ") != want {
		t.Errorf("asked %d times and judged %q, %v, want twice and %s", asked, got, err, want)
	}
}

func TestReplayMistakes(t *testing.T) {
	for in, want := range map[string]string{
		"{\"at_ms\":0}\n" + strings.Repeat("x", maxLine+1): "line 2: longer than 1048576 bytes: want one moment a line",
		`{"at_ms":1e15}`:    "line 1: at_ms: want a number of milliseconds",
		"\n{\"camera\":{}}": "line 2: at_ms: want a number of milliseconds",
		"{\"at_ms\":5}\n{\"at_ms\":4}": "line 2: at_ms: 4 is before the line above (5): " +
			"sort the record by time",
		`{"at_ms":0,"pc":{"idle_seconds":"private"}}`: "line 1: pc: messages: bad snapshot: " +
			"idle_seconds: want a number or null",
		`{"at_ms":0,"camera":{"head_pose":{"yaw":"private"}}} {}`: "line 1: want a JSON object",
	} {
		err := Replay("default", strings.NewReader(in), func(Line) error { return nil })
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "private") {
			t.Errorf("Replay(%.40s) = %v, want %q", in, err, want)
		}
	}
}

func TestFocusHints(t *testing.T) {
	got := Hints([]byte(`{"face_detectd":false,"ear_average":NaN,"head_pose":{"yam":1}}`),
		[]byte(`{"idle_seconds":1,"zzz":1}`))
	want := []string{
		`camera: "face_detectd" is no field of it and counts for nothing: did you mean face_detected?`,
		`camera: "head_pose.yam" is no field of it and counts for nothing: did you mean head_pose.yaw?`,
		`pc: "zzz" is no field of it and counts for nothing: its fields are ` +
			strings.Join(messages.UsageFields(), ", "),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("Hints() = %q, want %q", got, want)
	}
	if got := Hints(nil, []byte("null")); got != nil {
		t.Errorf("Hints(nothing) = %q, want none", got)
	}
	_, lines := replayedFocus(t, "default", `{"at_ms":0,"camera":{"face_detectd":false}}
		{"at_ms":0,"camera":{"face_detectd":false}}
		{"at_ms":10000,"pc":{"zzz":1}}`)
	var hints []string
	for _, l := range lines {
		hints = append(hints, l.Hints...)
	}
	if len(hints) != 2 || !strings.HasPrefix(hints[0], "line 1: camera: ") ||
		!strings.HasPrefix(hints[1], "line 3: pc: ") {
		t.Errorf("Replay(unknown fields) has hints %q, want one for each field", hints)
	}
}
