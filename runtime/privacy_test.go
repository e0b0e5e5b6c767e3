package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit"
)

// spy lets a test look into the store of a system.
type spy struct{ engine.Store }

func (s *spy) option() testkit.Option {
	return testkit.WithRuntime(runtime.WithStoreWrapper(func(st engine.Store) engine.Store {
		s.Store = st
		return st
	}))
}

// holding lists the keys of records that hold some words.
func (s *spy) holding(t *testing.T, words string) (found []string) {
	t.Helper()
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		if bytes.Contains(k, []byte(words)) || bytes.Contains(v, []byte(words)) {
			found = append(found, fmt.Sprintf("%q", k))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatIsForgottenIsGoneAndStaysGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		s := testkit.Start(t, store.option())
		s.Friend("Hana", "おはよう", "元気?")
		s.Me("Hana", "はい")
		s.Advance(10 * time.Second)
		s.Friend("Ken", "やあ")
		s.Advance(10 * time.Second)
		s.Friend("Hana", "またね")
		s.WantMessages("おはよう", "元気?", "やあ", "またね")

		s.Window.Switch("Ken") // Hana is not to be seen
		s.Advance(5 * time.Second)
		sum, err := s.Runtime.Forget(context.Background(), "line:Hana")
		if err != nil || sum.Events < 2 || sum.Rows < 5 || sum.Verdicts < 5 {
			t.Fatalf("Forget() = %+v, %v, want 2 events or more, some rows and verdicts", sum, err)
		}
		for _, words := range []string{"おはよう", "元気", "またね", "はい"} {
			if found := store.holding(t, words); len(found) > 0 {
				t.Errorf("%q is still in %v", words, found)
			}
		}
		if found := store.holding(t, "Hana"); len(found) != 1 ||
			!strings.HasPrefix(found[0], `"s/directory/line\x00known`) {
			t.Errorf("the name is still in %v, want it in the directory only", found)
		}
		if found := store.holding(t, "やあ"); len(found) == 0 {
			t.Error("Ken's words are gone too")
		}

		s.Crash()
		if err := s.Window.Switch("Hana"); err != nil {
			t.Fatal(err)
		}
		s.Advance(10 * time.Second)
		s.Friend("Hana", "新しい")
		s.WantMessages("おはよう", "元気?", "やあ", "またね", "新しい")
		for _, m := range s.Messages() {
			if m.Text == "新しい" && m.Parts[0].Occurrence < 5 {
				t.Errorf("occurrence %d comes again after the conversation was forgotten", m.Parts[0].Occurrence)
			}
		}
	})
}

// The rules of profile seed remember texts in places of their own.
func TestWhatIsForgottenIsGoneInProfileSeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		seed := func(c *config.Config) { c.SetProfile(config.ProfileSeed) }
		s := testkit.Start(t, store.option(), testkit.WithConfig(seed))
		s.Friend("Ken", "konnichiwa")
		s.Advance(30 * time.Second)
		s.Friend("Hana", "ohayou")
		s.WantMessages("konnichiwa", "ohayou")
		if err := s.Runtime.Sending(context.Background(), s.ID("Hana"), "henji", "t9"); err != nil {
			t.Fatal(err)
		}
		s.Advance(5 * time.Second)
		for _, words := range []string{"ohayou", "henji"} { // the test looks where there is something
			if len(store.holding(t, words)) == 0 {
				t.Fatalf("%q is stored nowhere before it is forgotten", words)
			}
		}
		if err := s.Window.Switch("Ken"); err != nil {
			t.Fatal(err)
		}
		s.Advance(5 * time.Second)
		if _, err := s.Runtime.Forget(context.Background(), "line:Hana"); err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"ohayou", "henji"} {
			if found := store.holding(t, words); len(found) > 0 {
				t.Errorf("%q is still in %v", words, found)
			}
		}
		for _, key := range store.holding(t, "Hana") {
			if !strings.HasPrefix(key, `"s/directory/line\x00known`) {
				t.Errorf("the name is still in %s, want it in the directory only", key)
			}
		}
		if len(store.holding(t, "konnichiwa")) == 0 {
			t.Error("Ken's words are gone too")
		}
	})
}

func TestForgettingWhatIsVisibleDeliversNothingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		s.Friend("Hana", "一", "二", "三")
		s.WantMessages("一", "二", "三")
		for range 3 {
			if _, err := s.Runtime.Forget(context.Background(), "line:Hana"); err != nil {
				t.Fatal(err)
			}
			s.Advance(time.Minute)
		}
		s.Me("Hana", "四") // the window changes, and is read
		s.Advance(10 * time.Second)
		s.Friend("Hana", "五")
		s.WantMessages("一", "二", "三", "五")
		if err := s.Runtime.Healthy(); err != nil {
			t.Errorf("Healthy() = %v, want nil", err)
		}
	})
}

func TestNothingIsStoredOfWhatIsNotListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		ken := func(c *config.Config) { c.Read.Only = []string{"line:Ken"} }
		s := testkit.Start(t, store.option(), testkit.WithConfig(ken))
		s.Friend("Hana", "secret one")
		s.Advance(5 * time.Second)
		s.Friend("Ken", "やあ")
		s.Advance(5 * time.Second)
		s.Friend("Hana", "secret two")
		s.Advance(5 * time.Second)
		s.Friend("Ken", "また")
		s.WantMessages("やあ", "また")
		for _, words := range []string{"secret", "Hana"} {
			if found := store.holding(t, words); len(found) > 0 {
				t.Errorf("%q is stored in %v, want nowhere", words, found)
			}
		}
		why, err := s.Runtime.Backend().Why(context.Background(), control.WhyQuery{Limit: 5, Text: "secret two"})
		if err != nil || len(why.Paths) != 0 {
			t.Errorf("Why(secret) = %+v, %v, want no path", why.Paths, err)
		}
		if !slices.ContainsFunc(why.Recent, func(s control.Step) bool { return s.Detail.Rule == "unlisted" }) {
			t.Errorf("Why(secret).Recent = %+v, want the drop by rule unlisted", why.Recent)
		}
	})
}

func TestAPauseOutlivesACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		ctx := context.Background()
		s.Friend("Hana", "一")
		s.WantMessages("一")
		if err := s.Runtime.Pause(ctx, "line"); err != nil {
			t.Fatal(err)
		}
		since := time.Now()
		s.Friend("Hana", "二")
		s.WantMessages("一")
		s.Crash()
		s.WantMessages("一")
		paused := s.Runtime.Inspect().Paused
		if len(paused) != 1 || paused[0].Window != "line@test" || !paused[0].Since.Equal(since) {
			t.Errorf("Inspect().Paused = %+v, want line@test since %v", paused, since)
		}
		if err := s.Runtime.Healthy(); err != nil {
			t.Errorf("Healthy() = %v while paused, want nil", err)
		}
		if err := s.Runtime.Pause(ctx, "lime"); !errors.Is(err, control.ErrNoWindow) {
			t.Errorf("Pause(lime) = %v, want %v", err, control.ErrNoWindow)
		}
		if err := s.Runtime.Resume(ctx, ""); err != nil {
			t.Fatal(err)
		}
		s.WantMessages("一", "二")
		codes := []string{}
		for _, ev := range s.Events() {
			if c, ok := ev.(events.CaptureState); ok {
				codes = append(codes, c.Code)
			}
		}
		if got, want := fmt.Sprint(codes), "[ paused paused ]"; got != want { // once more after the crash
			t.Errorf("capture states = %s, want %s", got, want)
		}
	})
}

func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		s := testkit.Start(t, store.option(), testkit.WithConfig(func(c *config.Config) {
			c.Retention = config.Retention{Messages: 24 * time.Hour, Verdicts: 48 * time.Hour,
				DeadLetters: 72 * time.Hour}
			c.Windows[0].Poll = time.Minute
		}))
		s.Friend("Hana", "おはよう")
		s.WantMessages("おはよう")
		if err := s.Runtime.Inject(context.Background(), messages.To("conversation", string(s.ID("Hana"))),
			messages.LedgerDue{}, ""); err != nil {
			t.Fatal(err) // it does not know that one
		}
		s.Advance(time.Minute)
		for _, c := range []struct {
			after            time.Duration
			events, verdicts bool
			dead             bool
		}{
			{22 * time.Hour, true, true, true},
			{26 * time.Hour, false, true, true},
			{50 * time.Hour, false, false, true},
			{74 * time.Hour, false, false, false},
		} {
			rows := fmt.Sprintf("s/conversation/%s\x00messages", s.ID("Hana"))
			s.Advance(time.Until(startedAt(s).Add(c.after)))
			told := slices.ContainsFunc(store.holding(t, "message_delivered"), func(key string) bool {
				return strings.HasPrefix(key, `"e/`)
			})
			if told != c.events {
				t.Errorf("after %v there are events of deliveries: %v, want %v", c.after, told, c.events)
			}
			for prefix, want := range map[string]bool{rows: c.events, "v/": c.verdicts, "d/": c.dead} {
				if got := store.count(t, prefix) > 0; got != want {
					t.Errorf("after %v there are records under %s: %v, want %v", c.after, prefix, got, want)
				}
			}
		}
	})
}

// TestRetentionAtTheStart trims when a runtime starts, not an hour later: one that
// never runs for an hour keeps nothing for good. What the rules compare with
// stays, and nothing else.
func TestRetentionAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		s := testkit.Start(t, store.option(), testkit.WithConfig(func(c *config.Config) {
			c.Retention.Messages, c.Retention.Verdicts = 24*time.Hour, 24*time.Hour
			c.Windows[0].Poll = time.Minute
		}))
		s.Friend("Hana", "おはよう")
		s.WantMessages("おはよう")
		s.Advance(23 * time.Hour)
		s.Friend("Hana", "こんばんは")
		s.WantMessages("おはよう", "こんばんは")
		s.Advance(time.Until(startedAt(s).Add(24*time.Hour + 30*time.Minute)))
		rows := fmt.Sprintf("s/conversation/%s\x00messages", s.ID("Hana"))
		if store.count(t, rows) != 2 {
			t.Error("the first message was trimmed before the restart: this test shows nothing")
		}
		s.Restart()
		s.Advance(5 * time.Second)
		for _, key := range store.holding(t, "おはよう") {
			if !strings.HasPrefix(key, `"s/dedup/`) && !strings.HasPrefix(key, `"s/fusion/`) {
				t.Errorf("the message that is too old is still in %s", key)
			}
		}
		young := slices.DeleteFunc(store.holding(t, "message_delivered"), func(key string) bool {
			return !strings.HasPrefix(key, `"e/`)
		})
		if store.count(t, rows) != 1 || len(young) != 1 {
			t.Errorf("%d rows and %d events are left, want the young message's",
				store.count(t, rows), len(young))
		}
		s.Friend("Hana", "またね")
		s.WantMessages("おはよう", "こんばんは", "またね")
	})
}

// startedAt is when the system's runtime started.
func startedAt(s *testkit.System) time.Time { return s.Runtime.Inspect().StartedAt.Time }

func (s *spy) count(t *testing.T, prefix string) (n int) {
	t.Helper()
	if err := s.Scan([]byte(prefix), nil, func(_, _ []byte) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDebuggingFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		s := testkit.Start(t, testkit.WithConfig(func(c *config.Config) { c.Data, c.Debug.Text = data, true }))
		s.Friend("Hana", "おはよう")
		s.WantMessages("おはよう")
		files := debugFiles(t, data)
		raw := files["line@test/latest-pipeline.json"]
		var rec struct {
			Window, Name, Frame, Masked, Signal string
			Score                               int
			Bubbles                             []messages.Bubble
			Verdicts                            []control.Step
		}
		if err := json.Unmarshal(raw, &rec); err != nil {
			t.Fatal(err)
		}
		var stages []string
		for _, v := range rec.Verdicts {
			stages = append(stages, fmt.Sprint(v.Stage, " ", v.Outcome))
		}
		for _, want := range []string{"fusion passed", "dedup passed", "ingress passed", "burst passed"} {
			if !slices.Contains(stages, want) {
				t.Errorf("verdicts = %q, want %q among them", stages, want)
			}
		}
		if rec.Window != "line@test" || rec.Name != "Hana" || rec.Score != 62 || len(rec.Bubbles) != 1 ||
			rec.Bubbles[0].Text != "おはよう" {
			t.Errorf("record = %s, want what Hana said, and its score", raw)
		}
		for _, name := range []string{rec.Frame, rec.Masked} {
			if _, err := png.Decode(bytes.NewReader(files["line@test/"+name])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, name := range []string{rec.Frame, rec.Masked, "latest-pipeline.json"} {
			raw, err := os.ReadFile(filepath.Join(data, "debug", "line@test", name))
			if err != nil || !bytes.HasPrefix(raw, []byte("kehai-debug\x01\x01")) {
				t.Errorf("%s is not sealed for the one whom it shows: %q, %v", name, raw[:min(len(raw), 13)], err)
			}
		}
		copied := t.TempDir()
		if err := os.CopyFS(filepath.Join(copied, "debug"), os.DirFS(filepath.Join(data, "debug"))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Runtime.Forget(context.Background(), "line:Hana"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(data, "debug")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the debugging files of what was forgotten: %v, want them gone", err)
		}
		if err := os.CopyFS(filepath.Join(copied, "keys"), os.DirFS(filepath.Join(data, "keys"))); err != nil {
			t.Fatal(err)
		}
		err := datadir.ReadDebug(copied, func(window, name string, _ []byte) error {
			t.Errorf("a copy of %s/%s from before it was forgotten can be read", window, name)
			return nil
		})
		if err == nil {
			t.Error("a copy from before it was forgotten: no error, want that it does not open")
		}
	})
}

// debugFiles opens those of a data directory, which nobody else may read, by window and
// name. None shows its text or is a picture as it lies there.
func debugFiles(t *testing.T, data string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := datadir.ReadDebug(data, func(window, name string, content []byte) error {
		files[window+"/"+name] = content
		path := filepath.Join(data, "debug", window, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s = %v, %v, want 0600", path, info, err)
		}
		raw, err := os.ReadFile(path)
		if err != nil || bytes.Contains(raw, []byte("\x89PNG\r\n")) || bytes.Contains(raw, []byte("bubbles")) {
			t.Errorf("%s is not sealed (%v)", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
