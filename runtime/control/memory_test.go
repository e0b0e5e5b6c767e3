package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

const importedLine = `{"id":"e1","conversation":"line:Hana","at":"2026-03-02T10:00:00+09:00","speaker":"Hana",` +
	`"text":"秘密 secret"}`

// A line that is no event is named, what stands before it is yielded, and no error tells
// what the line says.
func TestReadImport(t *testing.T) {
	for _, c := range []struct {
		in, want string
		events   int
	}{
		{importedLine + "\n\n  " + importedLine + "\r\n", "", 2},
		{"\ufeff" + importedLine, "", 1},
		{"", "", 0},
		{importedLine + "\n" + importedLine[:90], "line 2: it is no JSON object, or is cut off", 1},
		{strings.Replace(importedLine, `"e1"`, `""`, 1), "line 1: id:", 0},
		{strings.Replace(importedLine, "line:Hana", "", 1), "line 1: conversation:", 0},
		{strings.Replace(importedLine, "line:Hana", `a\u0000b`, 1), "line 1: conversation:", 0},
		{strings.Replace(importedLine, "2026-03-02T10:00:00+09:00", "monday", 1), "line 1: at: want a time", 0},
		{strings.Replace(importedLine, `"at":"2026-03-02T10:00:00+09:00",`, "", 1), "line 1: at: want when", 0},
		{strings.Replace(importedLine, `"秘密 secret"`, "7", 1), "line 1: text: it is of another type", 0},
		{"[1]", "line 1: it is", 0},
		{strings.Replace(importedLine, `"speaker"`, `"sender"`, 1), "line 1: it has a field that is none of id", 0},
		{importedLine + "{}", "line 1: it is no JSON object", 0},
		{strings.Repeat("x", 9<<20), "line 1: it has more than 7 MiB", 0},
		{"\n" + strings.Replace(importedLine, "秘密", strings.Repeat("x", 1<<20), 1),
			"line 2: it has more than 1 MiB", 0},
		{strings.Replace(importedLine, "line:Hana", strings.Repeat("x", 5<<20), 1), "line 1: conversation:", 0},
	} {
		n := 0
		err := ReadImport(strings.NewReader(c.in), func(id messages.ConversationID, e messages.Event) error {
			if n++; id != "line:Hana" || e.ID != "e1" || e.Text != "秘密 secret" || e.Source != "import" ||
				!e.At.Equal(time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)) {
				t.Errorf("read %s %+v", id, e)
			}
			return nil
		})
		switch {
		case n != c.events:
			t.Errorf("%.40q: %d events, want %d", c.in, n, c.events)
		case c.want == "" && err != nil:
			t.Errorf("%.40q: %v", c.in, err)
		case c.want != "" && (!errors.Is(err, ErrImport) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.40q: %v, want %q", c.in, err, c.want)
		case err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "monday")):
			t.Errorf("%.40q: the error quotes the line: %v", c.in, err)
		}
	}
	stop := errors.New("stop")
	if err := ReadImport(strings.NewReader(importedLine), func(messages.ConversationID, messages.Event) error {
		return stop
	}); !errors.Is(err, stop) {
		t.Errorf("ReadImport = %v, want what yield returned", err)
	}
}

func FuzzReadImport(f *testing.F) {
	for _, s := range []string{importedLine, importedLine[:50], "{}", "[", "\xff", `{"at":1}`, "\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := ReadImport(strings.NewReader(s), func(c messages.ConversationID, e messages.Event) error {
			if c == "" || e.ID == "" || e.At.IsZero() {
				t.Errorf("%q became %s %+v", s, c, e)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrImport) {
			t.Errorf("%q: %v, want an error of the file", s, err)
		}
	})
}

// remembering is a backend whose memory says what it was asked.
type remembering struct {
	Backend
	asked []string
}

func (r *remembering) note(format string, args ...any) {
	r.asked = append(r.asked, fmt.Sprintf(format, args...))
}

func (r *remembering) Recall(_ context.Context, q RecallQuery) (Recollection, error) {
	r.note("recall %q of %s at %s, %d, words %v", q.Text, q.Conversation, q.At.UTC().Format(time.RFC3339Nano), q.K,
		q.Words)
	return Recollection{Mode: "about_time", Found: []Recalled{{ID: "e1", Text: "x"}}}, nil
}

func (r *remembering) Run(context.Context, string) (Recollection, error) {
	return Recollection{}, ErrNoRun
}

func (r *remembering) Remembered(_ context.Context, c messages.ConversationID, id messages.MessageID) (
	Remembered, error) {
	r.note("show %s of %s", id, c)
	return Remembered{}, ErrNoEvent
}

func (r *remembering) Import(_ context.Context, c messages.ConversationID, list []messages.Event) (int, error) {
	r.note("import %d into %s: %s", len(list), c, string(list[0].Text))
	return len(list), nil
}

func (r *remembering) Settled(context.Context) error { r.note("settled"); return nil }

func (r *remembering) Unrelated(_ context.Context, run string, id messages.MessageID, undo bool) error {
	r.note("unrelated %s %s %t", run, id, undo)
	return ErrNotRecalled
}

func (r *remembering) MemoryStats(context.Context) (MemoryStats, error) {
	return MemoryStats{Events: 7, Loaded: true}, nil
}

func (r *remembering) Learned(_ context.Context, c messages.ConversationID) (Learned, error) {
	r.note("learned of %s", c)
	return Learned{States: []Known{{Topic: "home", Own: true}}}, nil
}

func (r *remembering) Reindex(context.Context) (int, error) { return 7, nil }

func (r *remembering) VerifyMemory(context.Context) (MemoryCheck, error) {
	return MemoryCheck{Events: 7, Missing: []string{"c e"}}, nil
}

// What is asked of the memory arrives over the socket as it was asked.
func TestMemoryOverTheSocket(t *testing.T) {
	b := &remembering{Backend: &fakeBackend{}}
	_, c := serve(t, b)
	ctx := t.Context()
	at := time.Date(1969, 3, 2, 1, 0, 0, 5000, time.UTC)
	found, err := c.Recall(ctx, RecallQuery{Text: "a & b=京都", Conversation: "line:花", At: at, K: 3, Words: true})
	if err != nil || found.Mode != "about_time" || len(found.Found) != 1 || found.Found[0].ID != "e1" {
		t.Errorf("Recall = %+v, %v", found, err)
	}
	if n, err := c.Import(ctx, "line:花", []messages.Event{{ID: "e1", Text: "秘密"}}); n != 1 || err != nil {
		t.Errorf("Import = %d, %v, want 1", n, err)
	}
	if err := c.Settled(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.Run(ctx, "x"); !errors.Is(err, ErrNoRun) {
		t.Errorf("Run = %v, want ErrNoRun", err)
	}
	if _, err := c.Remembered(ctx, "line:花", "e 1"); !errors.Is(err, ErrNoEvent) {
		t.Errorf("Remembered = %v, want ErrNoEvent", err)
	}
	if err := c.Unrelated(ctx, "c/run.1", "e 1", true); !errors.Is(err, ErrNotRecalled) {
		t.Errorf("Unrelated = %v, want ErrNotRecalled", err)
	}
	if s, err := c.MemoryStats(ctx); err != nil || s.Events != 7 || !s.Loaded {
		t.Errorf("MemoryStats = %+v, %v", s, err)
	}
	if known, err := c.Learned(ctx, "line:花"); err != nil || len(known.States) != 1 || known.States[0].Who() != "you" {
		t.Errorf("Learned = %+v, %v, want the home", known, err)
	}
	if n, err := c.Reindex(ctx); err != nil || n != 7 {
		t.Errorf("Reindex = %d, %v, want 7", n, err)
	}
	if sum, err := c.VerifyMemory(ctx); err != nil || sum.OK() || sum.Events != 7 {
		t.Errorf("VerifyMemory = %+v, %v, want one that is missing", sum, err)
	}
	want := []string{`recall "a & b=京都" of line:花 at 1969-03-02T01:00:00.000005Z, 3, words true`,
		"import 1 into line:花: 秘密", "settled", "show e 1 of line:花",
		"unrelated c/run.1 e 1 true", "learned of line:花"}
	if got := strings.Join(b.asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
