package snapshot

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const line messages.WindowID = "line@a"

func watching(images bool, only ...string) *Windows {
	return New(Options{Apps: map[messages.WindowID]string{line: "line"}, Only: only,
		Rules: directory.DefaultRules(), Images: images})
}

// show has a frame seen of a conversation, with incoming bubbles.
func show(s *Windows, trace, title string, texts ...string) {
	m := events.FrameSeen{
		Frame: messages.Frame{Image: image.NewRGBA(image.Rect(0, 0, 8, 8))},
		Read: messages.FrameRead{Window: line, At: noon,
			Title: messages.Line{Text: messages.Text(title), Confidence: 90}},
	}
	for _, text := range texts {
		m.Read.Bubbles = append(m.Read.Bubbles, messages.Bubble{Side: messages.SideIncoming, Text: messages.Text(text)})
	}
	s.Listen(engine.Published{At: noon, Trace: trace, Message: m})
}

func dropped(s *Windows, trace string, actor messages.Address, stage events.Stage, reason string) {
	s.Listen(engine.Published{At: noon, Trace: trace, From: actor, Message: events.Dropped{Verdict: events.Verdict{
		Stage: stage, Actor: actor, Outcome: events.OutcomeDropped, Reason: reason,
		Detail: events.Detail{Rule: events.RuleEcho}}}})
}

// texts are those of what is shown.
func texts(s *Windows) (list []string) {
	for _, t := range s.Shown() {
		list = append(list, t.App+":"+t.Title+" "+t.Text)
	}
	return list
}

func TestShown(t *testing.T) {
	s := watching(false)
	show(s, "t1", "Hana", "old")
	show(s, "t2", "Hana", "one", "two")
	if got, want := texts(s), []string{"line:Hana one", "line:Hana two"}; !slices.Equal(got, want) {
		t.Errorf("Shown() = %q, want those of the newest frame: %q", got, want)
	}
	if notes := s.Notes(noon.Add(3 * time.Second)); len(notes) != 1 ||
		notes[0] != "Window line@a last changed 3s ago; 2 bubbles were read." {
		t.Errorf("Notes() = %q, want what was read, and nothing that was said", notes)
	}
	s.Forget()
	if got := s.Shown(); got != nil {
		t.Errorf("Shown() after Forget = %v, want nothing", got)
	}
	if notes := s.Notes(noon); len(notes) != 1 || notes[0] != "Window line@a has not been read in this run so far." {
		t.Errorf("Notes() after Forget = %q, want that nothing was read", notes)
	}
}

// Nothing is kept of a conversation that is not to be read.
func TestNotOnTheList(t *testing.T) {
	s := watching(true, "line:Hana")
	show(s, "t1", "Ken", "secret")
	s.Listen(engine.Published{Trace: "t1", Message: events.TextDelta{Window: line,
		Text: events.TextMark{Text: "secret"}}})
	if got := s.Shown(); got != nil {
		t.Errorf("Shown() = %v, want nothing of a conversation that is not listed", got)
	}
	if rec, ok := s.Record(line); ok {
		t.Errorf("Record() = %+v, want none", rec)
	}
	if w := s.windows[line]; w.frame.Image != nil || w.name != "" || w.delta != nil {
		t.Errorf("the window keeps %+v, want the window and the time alone", w)
	}
	show(s, "t2", "Hana", "hello")
	if got := texts(s); !slices.Equal(got, []string{"line:Hana hello"}) {
		t.Errorf("Shown() = %q, want what the listed one wrote", got)
	}
}

// A record has what became of its own frame, and nothing of the one before.
func TestRecord(t *testing.T) {
	s := watching(false)
	show(s, "t1", "Hana", "one")
	dropped(s, "t1", "dedup/c", events.StageDedup, "history")
	show(s, "t2", "Hana", "one", "two", "three")
	s.Listen(engine.Published{At: noon, Trace: "t2", From: "dedup/c", Message: events.Passed{Verdict: events.Verdict{
		Stage: events.StageDedup, Outcome: events.OutcomePassed,
		Detail: events.Detail{Rule: events.RuleAligned, Known: []messages.Occurrence{7, 0, 0},
			Occurrences: []messages.Occurrence{8, 9}}}}})
	dropped(s, "t1", "dedup/c", events.StageDedup, "late")
	rec, ok := s.Record(line)
	if !ok || rec.Trace != "t2" || rec.Name != "Hana" || len(rec.Verdicts) != 1 || rec.DropStage != "" {
		t.Fatalf("Record() = %+v, want the newest frame with its one verdict", rec)
	}
	if want := []string{"two", "three"}; !slices.Equal(rec.Delta, want) {
		t.Errorf("Record() has the new bubbles %q, want %q", rec.Delta, want)
	}
	dropped(s, "t2", "ingress/c", events.StageIngress, "echo")
	if rec, _ := s.Record(line); rec.DropStage != events.StageIngress {
		t.Errorf("Record() was dropped at stage %q, want ingress", rec.DropStage)
	}
	s.Listen(engine.Published{Trace: "t2", Message: events.TextDelta{Window: line,
		Text: events.TextMark{Text: "its\ntext"}}})
	if rec, _ := s.Record(line); !slices.Equal(rec.Delta, []string{"its", "text"}) {
		t.Errorf("Record() has the new text %q, want that of the delta", rec.Delta)
	}
}

// Drops that no store keeps are those of pollers and fusions; one that repeats is counted.
func TestDrops(t *testing.T) {
	s := watching(false)
	dropped(s, "t1", "poller/line@a", events.StageFusion, "same")
	dropped(s, "t2", "poller/line@a", events.StageFusion, "same")
	dropped(s, "t3", "poller/line@a", events.StageFusion, "same")
	dropped(s, "t4", "dedup/c", events.StageDedup, "stored")
	dropped(s, "t5", "fusion/line@a", events.StageFusion, "other")
	list := s.Drops()
	if len(list) != 2 || list[0].Count != 3 || list[1].Count != 0 {
		t.Fatalf("Drops() = %+v, want one that came 3 times, and one of fusion", list)
	}
	for range maxRecent {
		dropped(s, "t", "fusion/line@a", events.StageFusion, "one way")
		dropped(s, "t", "fusion/line@a", events.StageFusion, "another way")
	}
	if list := s.Drops(); len(list) != maxRecent {
		t.Errorf("Drops() has %d, want the newest %d", len(list), maxRecent)
	}
	s.Forget() // a drop may name what is forgotten
	if list := s.Drops(); list != nil {
		t.Errorf("Drops() after Forget = %v, want none", list)
	}
}

// The files show the newest frame, to this user alone, and go with what is forgotten.
func TestFiles(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, filesDir)
	s := watching(true)
	show(s, "t1", "Hana", "one")
	s.writeChanged(dir, zerolog.Nop())
	folder := filepath.Join(dir, "line@a")
	for _, name := range []string{frameFile, maskedFile, recordFile} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v, want a file of this user's alone", name, info, err)
		}
	}
	var rec Record
	raw, err := os.ReadFile(filepath.Join(folder, recordFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &rec); err != nil || rec.Trace != "t1" || rec.Frame != frameFile {
		t.Errorf("the record is %+v, %v, want that of t1 with its picture", rec, err)
	}
	s.o.Images = false // the next frame comes without a picture: the old one must not stand beside it
	show(s, "t2", "Hana", "two")
	s.writeChanged(dir, zerolog.Nop())
	if _, err := os.Stat(filepath.Join(folder, frameFile)); !os.IsNotExist(err) {
		t.Errorf("the picture of an older frame is there: %v", err)
	}
	if raw, _ := os.ReadFile(filepath.Join(folder, recordFile)); !strings.Contains(string(raw), `"t2"`) {
		t.Errorf("the record is %s, want that of t2", raw)
	}
	if list := s.takeChanged(); list != nil {
		t.Errorf("%d windows changed since they were written, want none", len(list))
	}
	if err := Delete(data); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("after Delete the folder is there: %v", err)
	}
}
