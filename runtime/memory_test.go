package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/snapshot"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// remembering is a drawn chat that is watched in virtual time, over a store that
// outlives the runtime.
type remembering struct {
	t      *testing.T
	window *drawn.Window
	store  *mem.Store
	sim    *Simulation
	sent   []messages.ReplyChanged
	start  time.Time
}

func newRemembering(t *testing.T) *remembering {
	t.Helper()
	o := drawn.DefaultOptions(time.Now)
	o.Ref = "line"
	window, err := drawn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { window.Close() })
	m := &remembering{t: t, window: window, store: mem.New(), start: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	m.restart(0)
	t.Cleanup(func() { m.sim.Close() })
	return m
}

// restart has another runtime go on some time later.
func (m *remembering) restart(later time.Duration) {
	m.t.Helper()
	if m.sim != nil {
		m.start = m.sim.Now().Add(later)
		m.sim.Close()
	}
	screen, err := drawn.NewScreen(m.window)
	if err != nil {
		m.t.Fatal(err)
	}
	cfg := watched()
	cfg.OCR.Engine, cfg.Dedup.FirstSight = config.OCRDrawn, "all"
	r, err := New(cfg,
		WithScreen("drawn", func(w config.Window) (hardware.Screen, string, error) { return screen, w.Name, nil }),
		WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(m.window), nil
		}),
		WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
			return drawn.NewRecognizer(m.window), nil
		}),
		WithListener(func(ev Event) {
			if c, ok := ev.Message.(messages.ReplyChanged); ok && c.State == "sent" {
				m.sent = append(m.sent, c)
			}
		}))
	if err != nil {
		m.t.Fatal(err)
	}
	m.sim, err = r.Simulate(engine.SimOptions{Seed: 1, Start: m.start, Engine: engine.Options{Store: m.store}})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *remembering) hears(text messages.Text) {
	m.t.Helper()
	if err := m.window.Append("Hana", drawn.Friend, text); err != nil {
		m.t.Fatal(err)
	}
	m.sim.Advance(40 * time.Second)
}

// TestRemembersAcrossARestart: a friend mentions something, asks for it much later and
// after a restart, and the answer names it. What it rests on is kept.
func TestRemembersAcrossARestart(t *testing.T) {
	m := newRemembering(t)
	m.hears("来月、京都に引っ越します")
	m.hears("猫の名前はミケです")
	m.hears("今日はいい天気ですね")
	m.restart(30 * 24 * time.Hour)
	m.hears("猫の名前は何だっけ？")
	answer := m.sent[len(m.sent)-1]
	if !strings.Contains(string(answer.Text), "猫の名前はミケです") {
		t.Fatalf("the answer is %q, want one that names the cat", string(answer.Text))
	}
	c, row, ok := recall.SplitRunID(answer.Basis.Run)
	if !ok || c != answer.Conversation || answer.Basis.Recalled != 1 {
		t.Fatalf("the answer rests on %+v, want a run of its conversation", answer.Basis)
	}
	raw, ok, err := m.sim.Control().Engine().ReadRow(messages.To(recall.Kind, string(c)),
		recall.Runs.Row(row))
	if err != nil || !ok {
		t.Fatalf("the run is stored: %v, %v", ok, err)
	}
	run, err := recall.Runs.Decode(raw)
	if err != nil || len(run.Routes) != len(memory.Routes()) || slices.ContainsFunc(run.Routes,
		func(r memory.Report) bool { return r.Failed != "" }) || strings.Contains(string(raw), "ミケ") {
		t.Errorf("the run is %s, %v, want all routes and no text", raw, err)
	}
	b := admin.Backend{Config: config.Default(), Book: names.NewBook(), Pauses: &pause.State{},
		Engine: func() (*engine.Engine, error) { return m.sim.Control().Engine(), nil }}
	why, err := b.Why(t.Context(), control.WhyQuery{ID: string(control.NewDraftID(c, answer.Turn, answer.Epoch))})
	if err != nil || !strings.Contains(fmt.Sprint(why.Paths), "recalled by run "+answer.Basis.Run) ||
		!strings.Contains(fmt.Sprint(why.Paths), "猫の名前はミケです") {
		t.Errorf("why the answer was sent: %v, %v, want what it rests on", why.Paths, err)
	}
	m.hears("車の色は何だっけ？")
	if got := m.sent[len(m.sent)-1].Text; strings.Contains(string(got), "ミケ") {
		t.Errorf("to another question the answer is %q", string(got))
	}
	m.keepsApart(t, b, answer.Basis.Run, run)
}

// keepsApart says that what a run recalled has nothing to do with its question: one like it
// does not find it any more, until that is undone.
func (m *remembering) keepsApart(t *testing.T, b admin.Backend, id string, run memory.Run) {
	t.Helper()
	if err := b.Unrelated(t.Context(), id, "nobody", false); !errors.Is(err, control.ErrNotRecalled) {
		t.Errorf("Unrelated(what was not recalled) = %v, want ErrNotRecalled", err)
	}
	if err := b.Unrelated(t.Context(), id+"9", run.Chosen[0].ID, false); !errors.Is(err, control.ErrNoRun) {
		t.Errorf("Unrelated(no run) = %v, want ErrNoRun", err)
	}
	c, _, _ := recall.SplitRunID(id)
	at := slices.IndexFunc(run.Chosen, func(r memory.Chosen) bool {
		e, _, err := admin.Remembered{Engine: m.sim.Control().Engine()}.Event(c, r.ID)
		return err == nil && e.Text == "猫の名前はミケです"
	})
	for _, undo := range []bool{false, true} {
		if _, err := m.sim.Control().Engine().Post("", messages.To(recall.Kind, string(c)), messages.KeepApart{
			Conversation: c, Run: id, Of: c, ID: run.Chosen[at].ID, Undo: undo}, ""); err != nil {
			t.Fatal(err)
		}
		m.sim.Advance(time.Second)
		l := recall.NewLibrary(time.UTC)
		l.Open(admin.Remembered{Engine: m.sim.Control().Engine()})
		found, err := l.Search(t.Context(), memory.Lexical, recall.Query{Conversation: c, Text: "猫の名前、何だった？",
			Scope: recall.Scope{Conversations: []messages.ConversationID{c}}, At: m.sim.Now()})
		if slices.ContainsFunc(found, func(h messages.MemoryHit) bool { return h.ID == run.Chosen[at].ID }) != undo {
			t.Errorf("undone %t: found %v, %v", undo, found, err)
		}
		l.Close()
		e, err := b.Remembered(t.Context(), c, run.Chosen[at].ID)
		if err != nil || (len(e.Apart) == 1 && e.Apart[0].Run == id) == undo {
			t.Errorf("undone %t: it is kept apart from %v, %v", undo, e.Apart, err)
		}
	}
}

// TestShowsLinks: a message leads to others on the same topic, and to whom it names.
func TestShowsLinks(t *testing.T) {
	m := newRemembering(t)
	m.hears("妹のミキに会いました")
	m.hears("妹のミキが来ました")
	e := m.sim.Control().Engine()
	b := admin.Backend{Config: config.Default(), Book: names.NewBook(), Pauses: &pause.State{},
		Engine: func() (*engine.Engine, error) { return e, nil }}
	var c messages.ConversationID
	ids := map[messages.Text]messages.MessageID{}
	if err := (admin.Remembered{Engine: e}).Events(t.Context(), "", func(of messages.ConversationID,
		said memory.Event) error {
		c, ids[said.Text] = of, said.ID
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	shown, err := b.Remembered(t.Context(), c, ids["妹のミキに会いました"])
	if err != nil || len(shown.Links) != 1 || shown.Links[0].Label != control.LinkSameTopic ||
		shown.Links[0].Event.ID != ids["妹のミキが来ました"] || len(shown.Names) != 1 || shown.Names[0].Name != "ミキ" {
		t.Errorf("Remembered() = %+v, %v, want the other message of the same topic, and Miki", shown, err)
	}
}

// TestKnowsThemWhateverIsAsked: what Hana likes, how she is and what was talked about before
// is material of a reply, in words.
func TestKnowsThemWhateverIsAsked(t *testing.T) {
	m := newRemembering(t)
	m.hears("抹茶が大好きです")
	m.hears("今日は仕事でとても疲れたよ")
	m.restart(5 * time.Hour)
	m.hears("新しい自転車の色は緑にしました")
	rows := admin.Remembered{Engine: m.sim.Control().Engine()}
	var c messages.ConversationID
	if err := rows.Talks(t.Context(), func(of messages.ConversationID, _ memory.Talk) error {
		c = of
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := rows.About(c, m.sim.Now())
	want := []messages.Known{{Speaker: "Hana", Text: "likes: 抹茶"}, {Speaker: "Hana", Text: "of late: tired"},
		{Text: "earlier: Hana: 抹茶が大好きです / Hana: 今日は仕事でとても疲れたよ"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("About = %v, %v, want %v", got, err, want)
	}
	b := admin.Backend{Config: config.Default(), Book: names.NewBook(),
		Engine: func() (*engine.Engine, error) { return m.sim.Control().Engine(), nil }}
	m.hears("今日は少し遠くまで走りました") // does not change what was told before
	run, err := b.Run(t.Context(), m.sent[len(m.sent)-2].Basis.Run)
	told := []control.Background{{Speaker: "Hana", Text: "likes: 抹茶"}, {Speaker: "Hana", Text: "of late: tired"},
		{Text: string(want[2].Text)}}
	if err != nil || !slices.Equal(run.Background, told) {
		t.Errorf("the reply was told %v, %v, want %v", run.Background, err, told)
	}
	if got, _ = rows.About(c, m.sim.Now().AddDate(1, 0, 0)); len(got) != 2 {
		t.Errorf("a year later About = %v, want no feeling", got)
	}
}

// TestReadsOneTable reads a table of all actors of a kind: what is there of all rows.
func TestReadsOneTable(t *testing.T) {
	m := newRemembering(t)
	m.hears("猫の名前はミケです")
	e := m.sim.Control().Engine()
	for c := range 12 {
		to := messages.To(recall.Kind, fmt.Sprint("c", c))
		event := messages.Event{ID: "m1", Text: "x", At: m.start}
		if _, err := e.Post("", to, messages.Remember{Conversation: messages.ConversationID(to.Key()),
			Events: []messages.Event{event}}, ""); err != nil {
			t.Fatal(err)
		}
	}
	m.sim.Advance(time.Second)
	for table, least := range map[string]int{recall.Talks.Name(): 13, recall.Events.Name(): 13,
		recall.Changes.Name(): 13, "a": 0, "zz": 0} {
		var want, got []string
		err := e.ReadRows(recall.Kind, func(row engine.Row) bool {
			if row.Table == table {
				want = append(want, fmt.Sprint(row.Actor, row.Key, len(row.Value)))
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		err = e.ReadRowsIn(recall.Kind, table, func(row engine.Row) bool {
			got = append(got, fmt.Sprint(row.Actor, row.Key, len(row.Value)))
			return true
		})
		if err != nil || !slices.Equal(got, want) || len(got) < least {
			t.Errorf("ReadRowsIn(%q) = %v, %v, want %v", table, got, err, want)
		}
		n := 0
		err = e.ReadRowsIn(recall.Kind, table, func(engine.Row) bool { n++; return false })
		if err != nil || n > 1 {
			t.Errorf("ReadRowsIn(%q) went on: %d rows, %v", table, n, err)
		}
	}
}

// TestFollowsWhatIsForgottenElsewhere: what a machine keeps in memory and in files goes too.
func TestFollowsWhatIsForgottenElsewhere(t *testing.T) {
	m := newRemembering(t)
	m.hears("猫の名前はミケです")
	cfg := config.Default()
	cfg.Data = t.TempDir()
	journal := filepath.Join(cfg.Data, "windows", "earlier.jsonl")
	debug := filepath.Join(cfg.Data, "debug", "line", "frame")
	for _, path := range []string{journal, debug} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(debug, []byte("ミケ"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := drawn.DefaultOptions(time.Now)
	o.Journal = journal
	w, err := drawn.New(o)
	if err == nil {
		err = errors.Join(w.Append("Hana", drawn.Friend, "ミケ"), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var dropped int
	var trouble string
	b := admin.Backend{Config: cfg, Book: names.NewBook(), Pauses: &pause.State{},
		Engine: func() (*engine.Engine, error) { return m.sim.Control().Engine(), nil },
		Disk:   func() maintenance.Disk { return maintenance.DiskOf(m.store) }, Memory: recall.NewLibrary(time.Local),
		Talks: admin.NewTalks(), Debug: datadir.DebugFiles(cfg.Data), Drawn: drivers.NewDrawn(),
		Live: &admin.Live{Seen: snapshot.New(snapshot.Of(cfg)), Forget: func() { dropped++ },
			Trouble: func(_, text string) { trouble = text }}}
	var hana messages.ConversationID
	if err := (admin.Remembered{Engine: m.sim.Control().Engine()}).Events(t.Context(), "",
		func(of messages.ConversationID, _ memory.Event) error { hana = of; return nil }); err != nil {
		t.Fatal(err)
	}
	b.ForgetElsewhere("line:Ken")
	if raw, err := os.ReadFile(journal); err != nil || !strings.Contains(string(raw), "ミケ") {
		t.Errorf("another conversation is gone from %s, %v", raw, err)
	}
	b.ForgetElsewhere(hana)
	if raw, err := os.ReadFile(journal); err != nil || strings.Contains(string(raw), "ミケ") {
		t.Errorf("the window still shows %s, %v", raw, err)
	}
	if _, err := os.Stat(debug); !errors.Is(err, fs.ErrNotExist) || dropped != 2 || trouble != "" {
		t.Errorf("the debugging file: %v, live views dropped %d times, trouble %q", err, dropped, trouble)
	}
	b.Engine = func() (*engine.Engine, error) { return nil, engine.ErrLowSpace }
	if err := b.Forgotten([]string{string(hana)}); !errors.Is(err, engine.ErrLowSpace) {
		t.Errorf("Forgotten = %v, want what could not be removed", err)
	}
	if b.ForgetElsewhere(hana); !strings.Contains(trouble, "forget") {
		t.Errorf("what could not be removed: %q, want what helps", trouble)
	}
}
