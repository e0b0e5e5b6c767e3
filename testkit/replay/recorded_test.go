package replay

import (
	"bytes"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
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
	return recordedAs(t, plainOptions(parsed(t, scenario)))
}

func recordedAs(t *testing.T, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flight.kehai")
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
	changed, err := RunRecording(t.Context(), RecordedOptions{Recording: opened(t, path), Seed: 7,
		Change: func(cfg *config.Config) error {
			cfg.Burst.Quiet, cfg.Burst.Cap = 20*time.Second, time.Minute
			return nil
		}})
	if err != nil || len(Differences(changed.Then, changed.Log)) == 0 {
		t.Errorf("RunRecording(with another pause) = %v, want other decisions", err)
	}
	info, _ := os.Stat(path)
	t.Logf("%d bytes for %v, %d bytes of decisions", info.Size(), out.Virtual, len(out.Log))
}

// busy is a machine that has more to do: each turn begins up to a second late.
type busy struct {
	rng *rand.Rand
	at  map[messages.Address]time.Time
}

// Next implements [engine.Timetable].
func (b *busy) Next(now time.Time, self messages.Address, _ []messages.Type) (time.Time, messages.Type) {
	if b.at[self].IsZero() {
		b.at[self] = now.Add(time.Duration(b.rng.Int64N(int64(time.Second))))
	}
	return b.at[self], messages.Type{}
}

// Began implements [engine.Timetable].
func (b *busy) Began(self messages.Address, _ messages.Type) { delete(b.at, self) }

// TestBusyRunReplaysEqual: also where Kehai was late, and so saw other frames, and waited longer, than a replay does
// by itself.
func TestBusyRunReplaysEqual(t *testing.T) {
	for seed := range uint64(8) {
		o := plainOptions(parsed(t, chatOfTwo))
		o.turns = &busy{rng: rand.New(rand.NewPCG(seed, 1)), at: map[messages.Address]time.Time{}}
		o.Seed = seed
		path := recordedAs(t, o)
		out, err := RunRecording(t.Context(), RecordedOptions{Recording: opened(t, path), Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		if list := Differences(out.Then, out.Log); len(list) > 0 || len(out.Then) == 0 {
			t.Errorf("seed %d: RunRecording() decided otherwise:\n%s", seed, strings.Join(list, "\n"))
		}
	}
}

// TestRedacted: what is exported decides the same, and tells nothing of what was said.
func TestRedacted(t *testing.T) {
	old, path := opened(t, recorded(t, chatOfTwo)), filepath.Join(t.TempDir(), "redacted.flight")
	made, err := redact(t.Context(), old, path, "test", []byte("the same in each run"))
	if err != nil {
		t.Fatal(err)
	}
	rec := opened(t, path)
	out, err := RunRecording(t.Context(), RecordedOptions{Recording: rec, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Log, []byte("\n")); !bytes.Equal(out.Log, out.Then) || n != made.Decisions {
		t.Errorf("Redact() = %+v, and a replay decides\n%s\nwant\n%s", made, out.Log, out.Then)
	}
	if got, want := deliveries(out.Log), deliveries(recording.Log(newTape(old).decided)); got != want {
		t.Errorf("Redact() leaves the deliveries\n%s\nwant those of the old recording\n%s", got, want)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"Lunch", "morning", "where", "Hana", "Ren\"", "line@"} {
		if bytes.Contains(raw, []byte(said)) {
			t.Errorf("the redacted recording tells %q", said)
		}
	}
	read := func(r *recording.Recording) (keys []string) {
		for _, e := range r.Entries {
			if e.Kind == recording.Reading && string(e.Data) != "[]" {
				keys = append(keys, e.Key)
			}
		}
		return keys
	}
	keys := read(old)
	if len(keys) == 0 || slices.ContainsFunc(read(rec), func(k string) bool { return slices.Contains(keys, k) }) {
		t.Error("pixels of a text are in the redacted recording")
	}
}

// deliveries are those lines of a log that deliver something, without texts.
func deliveries(log []byte) (list string) {
	for line := range strings.Lines(string(withoutTexts(log))) {
		if strings.Contains(line, `"message_delivered"`) {
			list += line
		}
	}
	return list
}

// TestRedrawnHasNoLetters: what is no flat ground is gone, also where nobody read it.
func TestRedrawnHasNoLetters(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	ground := slices.Clone(img.Pix)
	for i := range 7 * 9 { // as thick as no stroke is
		img.Set(20+i%7, 10+i/7, image.Black)
	}
	if got := redrawn(img, nil, 1); !bytes.Equal(got.Pix, ground) {
		t.Error("redrawn() keeps a stroke of seven pixels")
	}
}

func TestWordsKeepTheirShape(t *testing.T) {
	w := words{[]byte("key"), func(s string) bool { return s == "Today" }}
	for _, text := range []string{"Lunch at Anna's, 12:30? ラーメンを食べよう！ 🍜 Übung 3", "OK", "", "日本語", "ーー"} {
		got := w.replace(text)
		if utf8.RuneCountInString(got) != utf8.RuneCountInString(text) {
			t.Errorf("replace(%q) = %q, want as many letters", text, got)
		}
		was := []rune(text)
		for i, r := range []rune(got) {
			if a, b := class(alphabet(r, -1)), class(alphabet(was[i], -1)); a != b || a < 0 && r != was[i] {
				t.Errorf("replace(%q) = %q, want the alphabets of each letter", text, got)
			}
		}
	}
	for _, kept := range []string{"Today", "21:03"} {
		if got := w.replace(kept); got != kept {
			t.Errorf("replace(%q) = %q, want it kept", kept, got)
		}
	}
	one, two := w.replace("Lunch with Anna"), w.replace("Anna, Lunch")
	if strings.Contains(one, "Anna") || !strings.HasPrefix(two, strings.Fields(one)[2]) {
		t.Errorf("replace() = %q and %q, want equal words alike, and none as it was", one, two)
	}
}
