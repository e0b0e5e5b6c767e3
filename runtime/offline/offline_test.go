package offline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/offline"
)

func open(t *testing.T, cfg config.Config) *offline.Store {
	t.Helper()
	s, err := offline.Open(cfg, zerolog.Nop(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// At rest, what remembers works: what is imported can be recalled, and is there the next
// time. So is a pause.
func TestOffline(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	s := open(t, cfg)
	if _, err := offline.Open(cfg, zerolog.Nop(), nil, nil); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("Open() of a store that is open = %v, want ErrInUse", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	n, err := s.Import(ctx, "shop:4711", []messages.Event{{ID: "1", At: at, Text: "the cat is called Tama"}})
	if n != 1 || err != nil {
		t.Fatalf("Import() = %d, %v, want 1", n, err)
	}
	if err := s.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	recalled := func(s *offline.Store) {
		t.Helper()
		r, err := s.Recall(ctx, control.RecallQuery{Text: "cat", Conversation: "shop:4711", At: at, K: 3})
		if err != nil || len(r.Found) != 1 || r.Found[0].Text != "the cat is called Tama" {
			t.Errorf("Recall(cat) = %+v, %v, want what was imported", r.Found, err)
		}
	}
	recalled(s)
	if err := s.Pause(ctx, control.Sending); err != nil {
		t.Fatal(err)
	}
	paused := func(s *offline.Store) {
		t.Helper()
		if status, err := s.Status(ctx); err != nil || status.SendingPaused == nil {
			t.Errorf("Status() = %+v, %v, want that no reply is sent", status.SendingPaused, err)
		}
	}
	paused(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, cfg)
	defer again.Close()
	recalled(again)
	paused(again)
}

// An import of the same id with another time corrects it, once. Which model is whose is told at rest too.
func TestImportsAgain(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.Memory.Embedder, cfg.Memory.Embedding.Model = llm.Ollama, "nomic"
	s := open(t, cfg)
	defer s.Close()
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.FixedZone("", 9*3600))
	e := messages.Event{ID: "1", At: at, Source: "import", Text: "the cat is called Tama"}
	for i, c := range []struct {
		at   time.Time
		want int
	}{{at, 1}, {at.UTC(), 0}, {at.AddDate(-1, 0, 0), 1}, {at.AddDate(-1, 0, 0), 0}} {
		e.At = c.at
		n, err := s.Import(t.Context(), "shop:4711", []messages.Event{e})
		if err == nil {
			err = s.Settled(t.Context())
		}
		if n != c.want || err != nil {
			t.Errorf("import %d at %v = %d, %v, want %d", i+1, c.at, n, err, c.want)
		}
	}
	was := control.RecallQuery{Text: "cat", Conversation: "shop:4711", At: at.AddDate(0, -1, 0), K: 3}
	if r, err := s.Recall(t.Context(), was); err != nil || len(r.Found) != 1 || !r.Found[0].At.Equal(e.At) {
		t.Errorf("Recall(cat) = %+v, %v, want it a year before", r.Found, err)
	}
	if stats, err := s.MemoryStats(t.Context()); err != nil || stats.Events != 1 || stats.Model != "ollama:nomic" {
		t.Errorf("MemoryStats() = %+v, %v, want 1 event and the model of the configuration", stats, err)
	}
}

// What it took long to read is kept, so that each command need not read all that was ever said.
func TestKeepsTheIndex(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var list []messages.Event
	for n := range 2500 {
		list = append(list, messages.Event{ID: messages.MessageID(fmt.Sprint(n)),
			At: at.Add(time.Duration(n) * time.Minute), Text: messages.Text(fmt.Sprint("word", n))})
	}
	s := open(t, cfg)
	if n, err := s.Import(t.Context(), "shop:4711", list); n != len(list) || err != nil {
		t.Fatalf("Import() = %d, %v, want %d", n, err, len(list))
	}
	if err := s.Settled(t.Context()); err != nil { // it is accepted, and remembered soon
		t.Fatal(err)
	}
	for range 2 { // the first time it is read, the second time it is there
		r, err := s.Recall(t.Context(), control.RecallQuery{Text: "word77", K: 1})
		if err != nil || len(r.Found) != 1 || r.Found[0].ID != "77" {
			t.Errorf("Recall(word77) = %+v, %v, want message 77", r.Found, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(cfg.Data, "index", "memory")); err != nil {
			t.Errorf("the index is not kept: %v", err)
		}
		s = open(t, cfg)
	}
	check, err := s.VerifyMemory(t.Context())
	if err != nil || !check.OK() || check.Events != len(list) {
		t.Errorf("VerifyMemory() = %+v, %v, want no difference", check, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A directory without a store is opened as an empty one.
func TestOfflineEmpty(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	s := open(t, cfg)
	defer s.Close()
	if list, err := s.Conversations(t.Context()); len(list) != 0 || err != nil {
		t.Errorf("Conversations() = %v, %v, want none", list, err)
	}
	if dead, err := s.DeadLetters(t.Context()); len(dead) != 0 || err != nil {
		t.Errorf("DeadLetters() = %v, %v, want none", dead, err)
	}
}
