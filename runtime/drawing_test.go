package runtime

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/pause"
)

var update = flag.Bool("update", false, "rewrite the drawing in package messages")

// TestPipelineGolden compares the drawing in the doc of package messages with the
// topology; -update draws it again. What it shows is true: see [TestArrowsAreTrue].
func TestPipelineGolden(t *testing.T) {
	const path = "../messages/doc.go"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "// The actors, and [workers] that do what takes long:\n//\n", "//\n// A double line"
	head, rest, ok := strings.Cut(string(doc), from)
	drawn, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no drawing between %q and %q", path, from, to)
	}
	want := drawing()
	if *update {
		if err := os.WriteFile(path, []byte(head+from+want+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != want {
		t.Errorf("%s draws\n%s\nwant the topology, which -update draws:\n%s", path, drawn, want)
	}
}

// TestMainPathIsTrue: the pictures of the README and of package messages have the way of a message to
// the host, and that of a reply into the window, and no step that the topology does not have.
func TestMainPathIsTrue(t *testing.T) {
	for _, c := range []struct{ path, from, to string }{
		{"../README.md", "```\n", "```"},
		{"../messages/doc.go", "// The way of a message to the host, and that of a reply back:\n", "//\n// The actors"},
	} {
		doc, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(doc), c.from)
		picture, _, _ := strings.Cut(rest, c.to)
		known, drawn := steps(), map[string]bool{}
		for _, line := range strings.Split(picture, "\n") {
			way := strings.Fields(strings.TrimPrefix(line, "//"))
			if len(way) < 2 || way[1] != "──►" && way[1] != "══►" {
				continue // words below the picture
			}
			for i := 0; i+2 < len(way); i += 2 {
				step := strings.Join(way[i:i+3], " ")
				if !known[step] {
					t.Errorf("%s draws %s, which the topology does not have", c.path, step)
				}
				drawn[way[i]], drawn[way[i+2]] = true, true
			}
		}
		for _, kind := range append(mainKinds(), host) {
			if !drawn[kind] {
				t.Errorf("the picture of %s lacks %s", c.path, kind)
			}
		}
	}
}

// mainKinds are the kinds without which no message is read and none is answered. The others
// help them (what the owner allows, who counts rows) or judge attention.
func mainKinds() []string {
	return []string{
		messages.WorkerCapture, messages.ActorPoller, messages.WorkerOCR, messages.ActorFusion, messages.ActorDirectory,
		messages.ActorDedup,
		messages.ActorIngress, messages.ActorBurst, messages.ActorConversation, messages.ActorJudge,
		messages.WorkerLLM,
		messages.ActorRecall, messages.WorkerMemory, messages.ActorOutbound, messages.ActorKeyboard,
		messages.WorkerHands,
	}
}

// steps are the topology's arrows, each as the README draws it.
func steps() map[string]bool {
	stored, known := durable(), map[string]bool{}
	kinds, workers := topology(&parts.Parts{Config: watched(), Pauses: &pause.State{}})
	note := func(from string, out sends) {
		for _, l := range links(from, out) {
			line := map[bool]string{false: "──►", true: "══►"}[stored[l.what]]
			known[strings.Join([]string{l.from, line, l.to}, " ")] = true
		}
	}
	for kind, out := range arrows() {
		note(kind, out)
	}
	for _, row := range workers {
		note(row.kind, answers(kinds, row))
	}
	return known
}

// drawing is the topology as a comment: one line for what each kind is for and where its actors may
// live, and one an arrow, a double one for what is durable.
func drawing() string {
	kinds, workers := topology(&parts.Parts{Config: watched(), Pauses: &pause.State{}})
	var b strings.Builder
	for _, row := range kinds {
		lives := map[place]string{here: "here", anywhere: "anywhere"}[row.lives]
		fmt.Fprintf(&b, "//	%-13s%s (%s)\n", row.kind, row.does, lives)
	}
	b.WriteString("//\n")
	for _, row := range workers {
		fmt.Fprintf(&b, "//	%-13s%s\n", "["+row.kind+"]", row.does)
	}
	b.WriteString("//\n// Who sends what to whom:\n//\n")
	for _, row := range kinds {
		draw(&b, row.kind, arrows()[row.kind])
	}
	b.WriteString("//\n")
	for _, row := range workers {
		draw(&b, "["+row.kind+"]", answers(kinds, row))
	}
	b.WriteString("//\n")
	draw(&b, host, arrows()[host])
	return b.String()
}

// widest is a list of messages on one line of the drawing, in letters.
const widest = 80

// draw draws what goes out of one kind.
func draw(b *strings.Builder, name string, out sends) {
	stored := durable()
	for _, arrow := range out {
		for _, line := range []string{"──", "══"} {
			var what []string
			for _, m := range arrow.what {
				if stored[fmt.Sprintf("%T", m)] == (line == "══") {
					what = append(what, reflect.TypeOf(m).Name())
				}
			}
			for len(what) > 0 {
				n := len(what)
				for len(strings.Join(what[:n], ", ")) > widest {
					n--
				}
				whom := arrow.kind
				if arrow.worker {
					whom = "[" + whom + "]"
				}
				fmt.Fprintf(b, "//\t%-13s%s%s%s► %s\n", name, line, strings.Join(what[:n], ", "), line, whom)
				name, what = "", what[n:]
			}
		}
	}
}

// answers is what a worker sends to those that call it.
func answers(kinds []actorRow, w workerRow) (out sends) {
	for _, row := range kinds {
		if slices.ContainsFunc(arrows()[row.kind], func(a arrow) bool { return a.kind == w.kind }) {
			out = append(out, to(row.kind, w.answers))
		}
	}
	return out
}

// durable are the types that are stored before anybody acts on them.
func durable() map[string]bool {
	types := map[string]bool{}
	for _, entry := range events.Core() {
		types[fmt.Sprintf("%T", entry.Zero())] = entry.Durable
	}
	return types
}
