package snapshot

import (
	"encoding/json"
	"fmt"
	"image"
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

// kept are debugging files in memory, and what each is said to show.
type kept struct {
	data  map[string][]byte
	shows map[string]string
}

func (k kept) Write(window, name string, shows []string, data []byte) error {
	k.data[window+"/"+name], k.shows[window+"/"+name] = data, fmt.Sprint(shows)
	return nil
}

func (k kept) Remove(window, name string) error { delete(k.data, window+"/"+name); return nil }

func unknown(_, _ string) []string { return nil }

func called(app, name string) []string {
	return []string{app + ":" + name}
}

// The files show the newest frame.
func TestFiles(t *testing.T) {
	files, s := kept{map[string][]byte{}, map[string]string{}}, watching(true)
	show(s, "t1", "Hana", "one")
	s.writeChanged(files, unknown, zerolog.Nop())
	dropped(s, "t1", "dedup/c", events.StageDedup, "seen before")
	s.writeChanged(files, called, zerolog.Nop())
	for _, name := range []string{frameFile, maskedFile, recordFile} {
		if files.data["line@a/"+name] == nil || files.shows["line@a/"+name] != "[line:Hana]" {
			t.Errorf("%s is %d bytes that show %s, want some of line:Hana", name, len(files.data["line@a/"+name]),
				files.shows["line@a/"+name])
		}
	}
	var rec Record
	raw := files.data["line@a/"+recordFile]
	if err := json.Unmarshal(raw, &rec); err != nil || rec.Trace != "t1" || rec.Frame != frameFile {
		t.Errorf("the record is %+v, %v, want that of t1 with its picture", rec, err)
	}
	s.o.Images = false // the next frame comes without a picture: the old one must not stand beside it
	show(s, "t2", "Hana", "two")
	s.writeChanged(files, called, zerolog.Nop())
	if len(files.data) != 1 || !strings.Contains(string(files.data["line@a/"+recordFile]), `"t2"`) {
		t.Errorf("the files are %q, want the record of t2 alone", files.data)
	}
	if list := s.takeChanged(); list != nil {
		t.Errorf("%d windows changed since they were written, want none", len(list))
	}
}
