package names

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// kernel is a simulated one with directories and ledgers over a store, and a book of names.
type kernel struct {
	*engine.Sim
	book *Book
}

func boot(t testing.TB) kernel {
	t.Helper()
	book := NewBook()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	seeds := 0
	s, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{
		Store: mem.New(), Codec: codec, Listener: book.Listen, Kinds: []engine.Kind{
			{Name: directory.Kind, New: directory.New(directory.Options{Rules: directory.DefaultRules(),
				Seed: func() string { seeds++; return strings.Repeat("x", seeds) }})},
			{Name: dedup.Kind, New: func(messages.Address) actors.Actor {
				return actors.On(func(turn *actors.Turn, _ messages.IncomingBubble) error {
					dedup.Heads.Put(turn, dedup.HeadRow, ledger.Head{Next: 1})
					return nil
				})
			}},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	return kernel{s, book}
}

// introduce has applications' directories name conversations, and returns their ids.
func introduce(t testing.TB, s kernel, labels ...string) (ids []messages.ConversationID) {
	t.Helper()
	for _, label := range labels {
		app, name, _ := strings.Cut(label, ":")
		deliver := func(to messages.Address, m messages.Message) error {
			_, err := s.Inject(to, m, "")
			return err
		}
		id, err := s.book.IntroduceStepping(s.Engine(), app, name, deliver, s.Step)
		if err != nil || id == "" {
			t.Fatalf("IntroduceStepping(%s) = %q, %v", label, id, err)
		}
		ids = append(ids, id)
	}
	return ids
}

// What a person says means an id, a name, or a name behind its application, and what is
// not clear is said to be so.
func TestWhich(t *testing.T) {
	s := boot(t)
	ids := introduce(t, s, "line:Hana", "line:Ken", "slack:Ken")
	if again := introduce(t, s, "line:Hana"); again[0] != ids[0] {
		t.Errorf("a second introduction gives %s, want the same conversation %s", again[0], ids[0])
	}
	known, err := Known(s.Engine())
	if err != nil || len(known) != 3 {
		t.Fatalf("Known() = %v, %v, want three", known, err)
	}
	for name, want := range map[string]messages.ConversationID{
		"Hana": ids[0], "line:Hana": ids[0], string(ids[1]): ids[1], "slack:Ken": ids[2], "shop:4711": "shop:4711",
	} {
		if got, err := Which(known, name); got != want || err != nil {
			t.Errorf("Which(%s) = %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := Which(known, "Ken"); !errors.Is(err, control.ErrNotClear) ||
		!strings.Contains(err.Error(), string(ids[1])+" of line") {
		t.Errorf("Which(Ken) = %v, want that two are called so, with their ids", err)
	}
	if _, _, err := Find(s.Engine(), "nobody"); !errors.Is(err, control.ErrNoConversation) {
		t.Errorf("Find(nobody) = %v, want ErrNoConversation", err)
	}
	if id, k, err := Find(s.Engine(), ids[2]); id != ids[2] || k.Title != "Ken" || k.App != "slack" || err != nil {
		t.Errorf("Find(%s) = %s, %v, %v, want slack's Ken", ids[2], id, k, err)
	}
	if _, err := s.Inject("directory/line", messages.Merge{Conversation: ids[1], Into: ids[0]}, ""); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	for _, of := range []messages.ConversationID{ids[1], "line:Ken"} {
		if id, k, err := Find(s.Engine(), of); id != ids[0] || k.Title != "Hana" || err != nil {
			t.Errorf("Find(%s) = %s, %v, %v, want the one that it went into", of, id, k, err)
		}
	}
	if again := introduce(t, s, "line:Ken"); again[0] != ids[0] {
		t.Errorf("the name of one that was merged gives %s, want %s", again[0], ids[0])
	}
}

// One more conversation takes as long to begin and to find among very many as among few.
func BenchmarkBegin(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s := boot(b)
				for i := range n {
					id := introduce(b, s, fmt.Sprintf("web:guest %d", i))[0]
					if _, _, err := Find(s.Engine(), id); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*b.N), "µs/conversation")
		})
	}
}

func TestResolve(t *testing.T) {
	s := boot(t)
	ids := introduce(t, s, "line:Hana", "line:Ken", "slack:Ken")
	for _, c := range []struct {
		of, app, name string
		want          messages.ConversationID
		err           error
	}{
		{"line:Hana", "", "", ids[0], nil},
		{"line:New", "line", "New", "line:New", nil},
		{"shop:4711", "", "", "shop:4711", nil}, // of no watched application: an id of the host's own
		{"line:", "", "", "line:", nil},
		{"Ken", "", "", "Ken", control.ErrNotClear},
	} {
		id := messages.ConversationID(c.of)
		app, name, err := Resolve(s.Engine(), []string{"line", "slack"}, &id)
		if app != c.app || name != c.name || id != c.want || !errors.Is(err, c.err) {
			t.Errorf("Resolve(%s) = %q, %q, %v and the id %s, want %q, %q, %v and %s", c.of, app, name, err, id,
				c.app, c.name, c.err, c.want)
		}
	}
	if title, ok, err := Title(s.Engine(), ids[0]); title != "Hana" || !ok || err != nil {
		t.Errorf("Title() = %s, %v, %v, want Hana", title, ok, err)
	}
}

// The book calls a conversation what it is called now, also one that went into another.
func TestBook(t *testing.T) {
	s := boot(t)
	book := s.book
	ids := introduce(t, s, "line:Hana", "line:Hna")
	called := func(id messages.ConversationID) string { return book.Label(s.Engine(), id) }
	if called(ids[0]) != "line:Hana" || called("shop:4711") != "" {
		t.Errorf("Label() = %q and %q, want line:Hana and nothing", called(ids[0]), called("shop:4711"))
	}
	changed := book.Changed()
	for _, m := range []messages.Message{
		messages.Rename{Conversation: ids[0], Name: "Hana (work)"}, messages.Merge{Conversation: ids[1], Into: ids[0]},
	} {
		if _, err := s.Inject("directory/line", m, ""); err != nil {
			t.Fatal(err)
		}
		s.Settle()
	}
	select {
	case <-changed:
	default:
		t.Error("Changed() is open after somebody got another name")
	}
	if called(ids[0]) != "line:Hana (work)" {
		t.Errorf("Label() after a new name = %q", called(ids[0]))
	}
	fresh := NewBook() // as after a restart
	if got := fresh.Label(s.Engine(), ids[1]); got != "line:Hana (work)" {
		t.Errorf("Label() of one that went into another = %q, want the other's name", got)
	}
	engineOf := func() (*engine.Engine, error) { return s.Engine(), nil }
	if known := book.Known(engineOf); known[ids[1]].Into != ids[0] {
		t.Errorf("Known() = %v, want that one went into the other", known)
	}
}

// A name means whom it was noted to mean, until it means nobody or another as well.
func TestMeant(t *testing.T) {
	s := boot(t)
	ids := introduce(t, s, "line:Hana", "line:Ren")
	meant := func(name string, want messages.ConversationID) {
		t.Helper()
		if got, err := s.book.Meant(s.Engine(), name); got != want || err != nil {
			t.Errorf("Meant(%s) = %q, %v, want %q", name, got, err, want)
		}
	}
	meant("line:Hana", "")
	for name, id := range map[string]messages.ConversationID{
		"line:Hana": ids[0], "Hana": ids[0], "line:Ren": ids[1], "gone": "c-gone",
	} {
		s.book.Mean(name, id)
	}
	meant("line:Hana", ids[0])
	meant("line:hana", "")
	meant("gone", "")
	introduce(t, s, "slack:HANA")
	meant("Hana", "")
	meant("line:Hana", ids[0])
	if _, err := s.Inject("directory/line", messages.Rename{Conversation: ids[1], Name: "Mum"}, ""); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	meant("line:Ren", ids[1]) // as its window still shows
	if _, err := s.Inject("directory/line", messages.Merge{Conversation: ids[1], Into: ids[0]}, ""); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	meant("line:Ren", "")
}

// What an older version called by names is looked for until a directory has it.
func TestAdopted(t *testing.T) {
	s := boot(t)
	for _, c := range []string{"line:Hana", "line:Ken", "elsewhere:Mo", "c-1"} {
		if _, err := s.Inject(messages.To(dedup.Kind, c), messages.IncomingBubble{Conversation: "c"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.Settle()
	if ids := introduce(t, s, "line:Hana"); ids[0] == "line:Hana" {
		t.Fatalf("the directory has taken the name for an id: %v", ids)
	}
	found, done, err := LoadAdopted(s.Engine(), []string{"line"})
	if err != nil || done || !slices.Equal(slices.Sorted(slices.Values(found["line"])),
		[]messages.ConversationID{"line:Hana", "line:Ken"}) || len(found) != 1 {
		t.Fatalf("LoadAdopted() = %v, %v, %v, want the two of line", found, done, err)
	}
	err = s.Await(func(ctx context.Context) error { return KeepAdopted(ctx, s.Engine(), zerolog.Nop()) })
	if err != nil {
		t.Fatal(err)
	}
	if found, done, err := LoadAdopted(s.Engine(), []string{"line"}); found != nil || !done || err != nil {
		t.Errorf("LoadAdopted() = %v, %v, %v, want that nothing is looked for any more", found, done, err)
	}
}

// In the log a name is a hash that stays over restarts; what settings name is plain.
func TestInLog(t *testing.T) {
	s := boot(t)
	if key, err := LoadLogKey(s.Engine()); key != nil || err != nil {
		t.Errorf("LoadLogKey() = %x, %v, want none yet", key, err)
	}
	key := []byte(strings.Repeat("k", LogKeyBytes))
	err := s.Await(func(ctx context.Context) error { return KeepLogKey(ctx, s.Engine(), key, zerolog.Nop()) })
	if err != nil {
		t.Fatal(err)
	}
	stored, err := LoadLogKey(s.Engine())
	if err != nil || string(stored) != string(key) {
		t.Fatalf("LoadLogKey() = %x, %v, want what was stored", stored, err)
	}
	cfg := config.Default()
	cfg.Node = "mac-a"
	n := InLog(cfg, stored, []messages.WindowID{"line@mac-a"}, []engine.WorkerKind{{Name: "ocr"}})
	hidden := n.Actor("dedup/line:Hana")
	if strings.Contains(hidden, "Hana") || hidden != InLog(cfg, key, nil, nil).Actor("dedup/line:Hana") {
		t.Errorf("the log calls a conversation %s, want a hash that is the same after a restart", hidden)
	}
	for _, plain := range []messages.Address{"poller/line@mac-a", "attention/mac-a", "ocr/1"} {
		if got := n.Actor(plain); got != string(plain) {
			t.Errorf("the log calls %s %s, want what settings name plain", plain, got)
		}
	}
}
