package drawn

import (
	"bytes"
	"errors"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
)

// lived makes a journal with one of every change.
func lived(t *testing.T, path string) (pix []byte) {
	t.Helper()
	c := newClock()
	w := open(t, Options{Journal: path, Now: c.now, Size: image.Pt(300, 420)})
	for _, ch := range []Change{
		{Op: OpAppend, Who: Friend, Text: "おはよう", Script: &Script{ID: "s", Next: 1, MS: 10}},
		{Op: OpAppend, Who: Me, Text: "hello\nthere"},
		{Op: OpAppend, Who: Friend, Kind: messages.KindSticker},
		{Op: OpAppend, Who: Friend, Text: "taken back"},
		{Op: OpUnsend, Index: 3},
		{Op: OpEdit, Index: 0, Text: "こんばんは"},
		{Op: OpAppend, Conversation: "Ren", Who: Friend, Text: "hi"},
		{Op: OpType, Text: "draft"},
		{Op: OpSend, Text: "sent"},
		{Op: OpRerender},
		{Op: OpSwitch, Conversation: "Ren"},
		{Op: OpSwitch, Conversation: "Hana"},
		{Op: OpHide}, {Op: OpShow}, {Op: OpCover}, {Op: OpUncover},
		{Op: OpResize, W: 320, H: 380},
		{Op: OpScroll, By: 40},
		{Op: OpAppend, Who: Friend, Text: "below"},
		{Op: OpMark, Script: &Script{ID: "s", Next: 2, MS: 5000}},
	} {
		c.t = c.t.Add(7 * time.Hour)
		must(t, w.Apply(ch))
	}
	return picture(t, w).Pix
}

func TestJournalBringsBackPixels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.jsonl")
	want := lived(t, path)
	w := open(t, Options{Journal: path, Size: image.Pt(300, 420)})
	if !bytes.Equal(picture(t, w).Pix, want) {
		t.Error("a window from its journal has other pixels, want the same")
	}
	if got, want := w.Script(), (Script{ID: "s", Next: 2, MS: 5000}); got != want {
		t.Errorf("Script() = %+v, want %+v", got, want)
	}
	if i, ok := w.FromScript("Hana", 0); i != 0 || !ok {
		t.Errorf("FromScript(Hana, 0) = %d, %v, want 0, true", i, ok)
	}
	if _, ok := w.FromScript("Hana", 1); ok {
		t.Error("FromScript(Hana, 1) = true, want false")
	}
}

// readJournal returns all changes in a journal, and how many bytes hold them.
func readJournal(r io.Reader) (changes []Change, size int64, err error) {
	size, err = scanJournal(r, func(c Change) error {
		changes = append(changes, c)
		return nil
	})
	return changes, size, err
}

// TestJournalTorn cuts the file at every byte. The changes with a complete line
// remain, and the window goes on from there.
func TestJournalTorn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.jsonl")
	lived(t, path)
	data, err := os.ReadFile(path)
	must(t, err)
	all, size, err := readJournal(bytes.NewReader(data))
	if err != nil || size != int64(len(data)) || len(all) != 20 {
		t.Fatalf("readJournal() = %d changes, %d bytes, %v, want 20, %d, nil", len(all), size, err, len(data))
	}
	fonts := FindFonts() // opens quickly
	torn := filepath.Join(dir, "torn.jsonl")
	for cut := range data {
		must(t, os.WriteFile(torn, data[:cut], 0o600))
		w, err := New(like(Options{Journal: torn, Size: image.Pt(300, 420), Fonts: fonts}))
		if err != nil {
			t.Fatalf("New(journal cut at %d) = %v, want a window", cut, err)
		}
		must(t, w.Append("", Friend, "after"))
		must(t, w.Close())
		f, err := os.Open(torn)
		must(t, err)
		got, _, err := readJournal(f)
		must(t, err)
		must(t, f.Close())
		want := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
		if len(got) != want+1 || got[want].Text != "after" {
			t.Fatalf("journal cut at %d has %d changes after one more, want %d", cut, len(got), want+1)
		}
	}
}

// TestJournalTornPixels compares pictures at each record's edge.
func TestJournalTornPixels(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.jsonl")
	lived(t, path)
	data, err := os.ReadFile(path)
	must(t, err)
	changes, _, err := readJournal(bytes.NewReader(data))
	must(t, err)
	o := Options{Size: image.Pt(300, 420)}
	sofar := open(t, o)
	end := bytes.IndexByte(data, '\n') + 1
	for i, c := range changes {
		end += bytes.IndexByte(data[end:], '\n') + 1
		torn := filepath.Join(dir, "torn.jsonl")
		must(t, os.WriteFile(torn, data[:end-1], 0o600)) // all but the record's line feed
		o.Journal = torn
		w := open(t, o)
		if !sofar.s.hidden && !bytes.Equal(picture(t, w).Pix, picture(t, sofar).Pix) {
			t.Errorf("record %d torn: pixels differ from those before it", i)
		}
		must(t, sofar.Apply(c))
	}
}

func TestJournalRefuses(t *testing.T) {
	head := `{"journal":"drawn","v":1}` + "\n"
	for _, c := range []struct{ name, data, want string }{
		{"another file", "hello\n", "line 1"},
		{"another version", `{"journal":"drawn","v":2}` + "\n", "version 2"},
		{"not JSON", head + "secret\n", "line 2"},
		{"unknown field", head + `{"op":"hide","at":"2026-01-01T00:00:00Z","secret":1}` + "\n", "line 2"},
		{"unknown op", head + `{"op":"jump","at":"2026-01-01T00:00:00Z"}` + "\n", "jump"},
		{"two on a line", head + `{"op":"hide","at":"2026-01-01T00:00:00Z"}{}` + "\n", "line 2"},
		{"impossible", head + `{"op":"unsend","index":4,"at":"2026-01-01T00:00:00Z"}` + "\n", "index 4"},
	} {
		path := filepath.Join(t.TempDir(), "w.jsonl")
		must(t, os.WriteFile(path, []byte(c.data), 0o600))
		_, err := New(like(Options{Journal: path}))
		if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: New() = %v, want %v with %q", c.name, err, ErrJournal, c.want)
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if string(after) != c.data {
			t.Errorf("%s: the damaged file was changed", c.name)
		}
	}
}

func FuzzReadJournal(f *testing.F) {
	f.Add([]byte(`{"journal":"drawn","v":1}` + "\n" +
		`{"op":"append","at":"2026-01-01T00:00:00+09:00","who":"me","text":"x"}` + "\n"))
	f.Add([]byte(`{"journal":"drawn","v":1}` + "\n" +
		`{"op":"mark","at":"2026-01-01T00:00:00Z","script":{"id":"a","next":1,"ms":2}}` + "\n{"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, size, err := readJournal(bytes.NewReader(data))
		if size < 0 || size > int64(len(data)) {
			t.Fatalf("readJournal() used %d of %d bytes", size, len(data))
		}
		if size > 0 && data[size-1] != '\n' {
			t.Fatalf("readJournal() stops inside a line")
		}
		again, n, err2 := readJournal(bytes.NewReader(data[:size]))
		if err2 != nil || n != size || len(again) != len(changes) {
			t.Fatalf("readJournal(its own part) = %d changes, %d bytes, %v, want %d, %d, nil", len(again), n,
				err2, len(changes), size)
		}
		if err != nil && !errors.Is(err, ErrJournal) {
			t.Fatalf("readJournal() = %v, want %v", err, ErrJournal)
		}
	})
}

// FuzzWindow: whatever a window accepts can be drawn and journalled.
func FuzzWindow(f *testing.F) {
	f.Add("hello", 100, 200, 40, uint8(0))
	f.Add("あ\nい　う😀e\u0301", 1, 1, -3, uint8(3))
	f.Add("長い長い長い長い長い長い長い", 60, 900, 0, uint8(7))
	fonts := FindFonts()
	f.Fuzz(func(t *testing.T, text string, width, height, by int, bits uint8) {
		if len(text) > 500 {
			return
		}
		width, height = int(uint(width)%700), int(uint(height)%900)
		path := filepath.Join(t.TempDir(), "w.jsonl")
		o := Options{Journal: path, Now: newClock().now, Fonts: fonts, Scale: 1 + int(bits>>7)}
		w := open(t, o)
		who := Friend
		if bits&1 > 0 {
			who = Me
		}
		accepted := w.Append("", who, messages.Text(text)) == nil
		if want := text != "" && utf8.ValidString(text); accepted != want {
			t.Fatalf("Append(%q) accepted = %v, want %v", text, accepted, want)
		}
		must(t, w.Sticker("", who))
		must(t, w.Resize(width, height))
		must(t, w.Scroll(by))
		if utf8.ValidString(text) {
			must(t, w.Type(messages.Text(text)))
			if text != "" {
				must(t, w.Switch(text))
				must(t, w.Append("", who, messages.Text(text)))
			}
		}
		a, errA := w.Capture(t.Context())
		b, errB := open(t, o).Capture(t.Context())
		if (errA == nil) != (errB == nil) || errA == nil && !bytes.Equal(a.Image.Pix, b.Image.Pix) {
			t.Fatalf("a window from its journal differs: %v, %v", errA, errB)
		}
	})
}

// Forgotten text leaves the window and the bytes of its journal. All else is as before, even
// after the next start, and a reader sees as many bubbles.
func TestForget(t *testing.T) {
	for name, forget := range map[string]func(path string, w *Window, is func(string) bool) (int, error){
		"in a window": func(_ string, w *Window, is func(string) bool) (int, error) { return w.Forget(is) },
		"in a journal": func(path string, _ *Window, is func(string) bool) (int, error) {
			return ForgetIn(path, "Hana", is)
		},
		"in a journal of whom nobody knows": func(path string, _ *Window, is func(string) bool) (int, error) {
			return ForgetIn(path, "", is)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "w.jsonl")
			lived(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			o := Options{Journal: path, Size: image.Pt(300, 420)}
			w := open(t, o)
			n, err := forget(path, w, func(name string) bool { return name == "Hana" })
			if n != 5 || err != nil { // the sixth is a sticker
				t.Fatalf("Forget(Hana) = %d, %v, want 5 messages", n, err)
			}
			raw, err := os.ReadFile(path)
			must(t, err)
			for _, text := range []string{"おはよう", "hello", "taken", "こんばんは", "draft", "sent", "below"} {
				if !bytes.Contains(before, []byte(text)) || bytes.Contains(raw, []byte(text)) {
					t.Errorf("the journal holds %q before: %v, after: %v, want before only", text,
						bytes.Contains(before, []byte(text)), bytes.Contains(raw, []byte(text)))
				}
			}
			if len(raw) != len(before) || !bytes.Contains(raw, []byte("hi")) {
				t.Errorf("the journal has %d bytes, want %d, and what Ren said", len(raw), len(before))
			}
			again := open(t, o)
			if w.Forget(func(string) bool { return false }); name == "in a window" &&
				!bytes.Equal(picture(t, again).Pix, picture(t, w).Pix) {
				t.Error("a window from the journal has other pixels than the one that forgot")
			}
			said := again.Transcript("Hana")
			if len(said) != 6 || said[0].Text != "1 deleted" || said[2].Kind != messages.KindSticker ||
				!said[3].Unsent || !strings.HasSuffix(string(said[4].Text), " de") ||
				len(said[5].Text) != len("below") {
				t.Errorf("the conversation is %+v, want six messages that tell nothing", said)
			}
			must(t, again.Apply(Change{Op: OpEdit, Index: 5, Text: "new"}))
		})
	}
}

// A conversation is also found by a title that it once had.
func TestForgetByTitle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.jsonl")
	w := open(t, Options{Journal: path})
	must(t, w.Append("c1", Friend, "canary"))
	must(t, w.Apply(Change{Op: OpTitle, Conversation: "c1", Text: "Mika"}))
	must(t, w.Apply(Change{Op: OpTitle, Conversation: "c1", Text: "Mika 2"}))
	if n, err := w.Forget(func(name string) bool { return name == "Mika" }); n != 1 || err != nil {
		t.Errorf("Forget(Mika) = %d, %v, want 1", n, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || bytes.Contains(raw, []byte("canary")) || !bytes.Contains(raw, []byte("Mika 2")) {
		t.Errorf("the journal is %s, %v, want no text, and the title", raw, err)
	}
}

// What was typed into a chat is forgotten with it, whichever the next run shows first: the journal says where it was.
// Of what an older version wrote, which does not, nothing is left that may be of it.
func TestForgetWhatWasSent(t *testing.T) {
	for name, c := range map[string]struct {
		old  bool
		rest bool // no window is open
	}{"": {}, "at rest": {rest: true}, "older": {old: true}, "older, at rest": {old: true, rest: true}} {
		path := filepath.Join(t.TempDir(), "w.jsonl")
		for _, chat := range []string{"Hana", "Bob", "Hana"} {
			w := open(t, Options{Journal: path, Conversation: chat})
			must(t, w.Apply(Change{Op: OpMark, Script: &Script{ID: "script of " + chat}}))
			must(t, w.Append(chat, Friend, messages.Text("hello from "+chat)))
			must(t, w.Send(messages.Text("reply to "+chat)))
			must(t, w.Close())
		}
		if c.old {
			raw, err := os.ReadFile(path)
			must(t, err)
			for _, chat := range []string{"Hana", "Bob"} {
				raw = bytes.ReplaceAll(raw, []byte(`"conversation":"`+chat+`","text":"reply`), []byte(`"text":"reply`))
			}
			must(t, os.WriteFile(path, raw, 0o600))
		}
		is := func(name string) bool { return name == "Bob" }
		var err error
		if c.rest {
			_, err = ForgetIn(path, "Hana", is)
		} else {
			_, err = open(t, Options{Journal: path, Conversation: "Hana"}).Forget(is)
		}
		must(t, err)
		raw, err := os.ReadFile(path)
		must(t, err)
		if bytes.Contains(raw, []byte("to Bob")) || bytes.Contains(raw, []byte("from Bob")) {
			t.Errorf("%s: after Forget(Bob) the journal is\n%s", name, raw)
		}
		kept := bytes.Count(raw, []byte("to Hana"))
		if !c.old && kept != 2 || !bytes.Contains(raw, []byte("from Hana")) {
			t.Errorf("%s: after Forget(Bob) %d replies to Hana are left of two\n%s", name, kept, raw)
		}
		said := open(t, Options{Journal: path, Conversation: "Hana"}).Transcript("Hana")
		if !c.old && len(said) != 4 {
			t.Errorf("%s: Hana's chat has %+v, want two messages and two replies", name, said)
		}
	}
}
