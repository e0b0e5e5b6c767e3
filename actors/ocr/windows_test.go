package ocr

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
)

// windowsDir holds pictures of real applications, and the table of what a person sees in them.
const windowsDir = "testdata/windows"

// Floors of what is measured over all of those pictures.
const (
	leastPrecision  = 0.995 // of blocks
	leastRecall     = 0.998
	leastSides      = 0.976 // blocks whose side is known, of all
	leastTitles     = 69
	mostWrongLetter = 0.006
	sameBox         = 0.6 // overlap of two boxes of one block, of their union
)

// seenWindow is what a person sees in a picture.
type seenWindow struct {
	file, title string
	blocks      []seenBlock
}

// seenBlock is a message; cut if the edge of the transcript cuts it.
type seenBlock struct {
	side messages.Side
	cut  bool
	box  image.Rectangle
	text string
}

// client is the application of a picture.
func (w seenWindow) client() string {
	name, _, _ := strings.Cut(w.file, "-")
	return name
}

// seenWindows reads the table, in which the pictures of an application stand in their order.
func seenWindows(t *testing.T) (list []seenWindow) {
	t.Helper()
	f, err := os.Open(filepath.Join(windowsDir, "truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		switch {
		case lines.Text() == "" || strings.HasPrefix(lines.Text(), "#"):
		case cells[0] == "picture" && len(cells) == 3:
			list = append(list, seenWindow{file: cells[1], title: cells[2]})
		case len(cells) == 4 && len(list) > 0:
			w := &list[len(list)-1]
			w.blocks = append(w.blocks, seenBlockOf(t, cells))
		default:
			t.Fatalf("line %q of the table has %d cells, want a picture or a block", lines.Text(), len(cells))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func seenBlockOf(t *testing.T, cells []string) seenBlock {
	t.Helper()
	var x, y, w, h int
	if _, err := fmt.Sscanf(cells[2], "%d %d %d %d", &x, &y, &w, &h); err != nil {
		t.Fatalf("box %q of the table: %v", cells[2], err)
	}
	b := seenBlock{side: messages.Side(cells[0]), cut: cells[1] == "cut", text: cells[3],
		box: image.Rect(x, y, x+w, y+h)}
	if b.side != messages.SideIncoming && b.side != messages.SideOwn || !b.cut && cells[1] != "whole" || b.box.Empty() {
		t.Fatalf("block %q of the table: want side, cut or whole, box, and text", cells)
	}
	return b
}

// tally counts what was read against what a person sees. Blocks that the edge cuts do not count.
type tally struct {
	pictures, titles       int
	found, missed          int // blocks, as a person sees them
	invented               int // blocks that nobody sees
	calledCut, calledWhole int // found, but whole or cut in truth
	right, unknown, wrong  int // sides of those found
	letters, misread       int
}

func (s *tally) add(o tally) {
	s.pictures, s.titles = s.pictures+o.pictures, s.titles+o.titles
	s.found, s.missed, s.invented = s.found+o.found, s.missed+o.missed, s.invented+o.invented
	s.calledCut, s.calledWhole = s.calledCut+o.calledCut, s.calledWhole+o.calledWhole
	s.right, s.unknown, s.wrong = s.right+o.right, s.unknown+o.unknown, s.wrong+o.wrong
	s.letters, s.misread = s.letters+o.letters, s.misread+o.misread
}

// ratio of nothing is 1: nothing was wrong.
func ratio(n, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(n) / float64(all)
}

func (s *tally) precision() float64     { return ratio(s.found, s.found+s.invented) }
func (s *tally) recall() float64        { return ratio(s.found, s.found+s.missed) }
func (s *tally) sidePrecision() float64 { return ratio(s.right, s.right+s.wrong) }
func (s *tally) sideRecall() float64    { return ratio(s.right, s.found+s.missed) }
func (s *tally) misreadRate() float64   { return 1 - ratio(s.letters-s.misread, s.letters) }

func (s *tally) row(name string) string {
	return fmt.Sprintf("%-9s %8d %7d %6d %8d %10.4f %7.4f %5d %7d %5d %10.4f %7.4f %4d/%-4d %3d/%-3d %7d %7.4f", name,
		s.pictures, s.found+s.missed, s.missed, s.invented, s.precision(), s.recall(), s.right, s.unknown, s.wrong,
		s.sidePrecision(), s.sideRecall(), s.calledCut, s.calledWhole, s.titles, s.pictures, s.letters, s.misreadRate())
}

const tallyHead = "client    pictures  blocks missed invented  precision  recall right unknown wrong" +
	"  precision  recall whole/cut    titles letters misread"

// compare counts one picture, and logs what is wrong in it.
func compare(t *testing.T, seen seenWindow, got messages.FrameRead) (n tally) {
	t.Helper()
	n.pictures = 1
	if title := string(bare(string(got.Title.Text))); title == string(bare(seen.title)) {
		n.titles++
	} else {
		t.Logf("%s: title %q, want %q", seen.file, string(got.Title.Text), seen.title)
	}
	taken := make([]bool, len(got.Bubbles))
	for _, want := range seen.blocks {
		at, best := -1, sameBox
		for i, b := range got.Bubbles {
			if o := overlap(want.box, rectOf(b.Box)); !taken[i] && o >= best {
				at, best = i, o
			}
		}
		switch {
		case at >= 0:
			taken[at] = true
			n.block(t, seen.file, want, got.Bubbles[at])
		case !want.cut:
			n.missed++
			t.Logf("%s: missed %s %v %q", seen.file, want.side, want.box, want.text)
		}
	}
	for i, b := range got.Bubbles {
		if !taken[i] && !b.Clipped {
			n.invented++
			t.Logf("%s: invented %s %v %q", seen.file, b.Side, rectOf(b.Box), string(b.Text))
		}
	}
	return n
}

// block counts a block that was found.
func (s *tally) block(t *testing.T, file string, want seenBlock, got messages.Bubble) {
	t.Helper()
	if want.cut {
		if !got.Clipped {
			s.calledWhole++
			t.Logf("%s: %v %q is cut, found whole", file, want.box, want.text)
		}
		return
	}
	s.found++
	switch got.Side {
	case want.side:
		s.right++
	case messages.SideNeither:
		s.unknown++
	default:
		s.wrong++
		t.Logf("%s: side of %v %q = %s, want %s", file, want.box, want.text, got.Side, want.side)
	}
	if got.Clipped {
		s.calledCut++
		return
	}
	letters := bare(want.text)
	s.letters += len(letters)
	s.misread += min(text.EditDistance(bare(strings.ReplaceAll(string(got.Text), string(wideSpace), "")), letters),
		len(letters))
}

func rectOf(r messages.Rect) image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H) }

// overlap is how much two boxes share, of their union.
func overlap(a, b image.Rectangle) float64 {
	size := func(r image.Rectangle) int { return r.Dx() * r.Dy() }
	both := size(a.Intersect(b))
	return float64(both) / float64(size(a)+size(b)-both)
}

func picture(t *testing.T, file string) *image.RGBA {
	t.Helper()
	f, err := os.Open(filepath.Join(windowsDir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shot, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	img := image.NewRGBA(shot.Bounds())
	draw.Draw(img, img.Rect, shot, image.Point{}, draw.Src)
	return img
}

// TestRealWindows reads pictures of real applications in their order, each application as one
// window, and counts blocks, sides, titles and letters that a person would see otherwise. That takes
// half a minute, and a short run leaves it out.
func TestRealWindows(t *testing.T) {
	if testing.Short() {
		return
	}
	clients := map[string]*tally{}
	var names []string
	var all tally
	var w *Worker
	var learnt messages.Learnt
	for _, seen := range seenWindows(t) {
		name := seen.client()
		if clients[name] == nil {
			names, clients[name] = append(names, name), &tally{}
			w, learnt = realWindowWorker(t), messages.Learnt{}
		}
		frame := messages.Frame{Window: messages.WindowID(name), Image: picture(t, seen.file), Scale: 1}
		out, err := w.Do(t.Context(), messages.ReadFrame{Frame: frame, Learnt: learnt})
		if err != nil {
			t.Fatalf("%s: %v", seen.file, err)
		}
		read := out.(messages.FrameRead)
		learnt = read.Learnt
		n := compare(t, seen, read)
		clients[name].add(n)
		all.add(n)
	}
	t.Log(tallyHead)
	for _, name := range names {
		t.Log(clients[name].row(name))
	}
	t.Log(all.row("all"))
	checkTally(t, all)
}

func realWindowWorker(t *testing.T) *Worker {
	t.Helper()
	w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(auto()), Cache: NewCache(4096),
		Open: func() (hardware.Recognizer, error) { return tesseract.Open(tesseract.Options{}) }})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	})
	return w
}

func checkTally(t *testing.T, n tally) {
	t.Helper()
	if n.precision() < leastPrecision || n.recall() < leastRecall {
		t.Errorf("blocks: precision %.4f, recall %.4f, want at least %v and %v", n.precision(), n.recall(),
			leastPrecision, leastRecall)
	}
	if n.wrong > 0 {
		t.Errorf("sides: %d wrong, want none", n.wrong)
	}
	if n.sideRecall() < leastSides {
		t.Errorf("sides: recall %.4f, want at least %v", n.sideRecall(), leastSides)
	}
	if n.titles < leastTitles {
		t.Errorf("titles: %d right, want at least %d", n.titles, leastTitles)
	}
	if n.misreadRate() > mostWrongLetter {
		t.Errorf("letters: %.4f misread, want at most %v", n.misreadRate(), mostWrongLetter)
	}
}
