package directory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// alphabets are letters that OCR takes for each other.
var alphabets = [][]rune{[]rune("lI1ij"), []rune("nmhru"), []rune("一ー二三"), []rune("郎朗朋明"), []rune("aeoc"),
	[]rune("日目曰白"), []rune("タ夕多"), []rune("0OQD")}

// misreading replaces letters by such that look the same, each with a probability.
func misreading(rnd *rand.Rand, name string, each float64) string {
	out := []rune(name)
	for i, c := range out {
		for _, alike := range alphabets {
			if slices.Contains(alike, c) && rnd.Float64() < each {
				out[i] = alike[rnd.IntN(len(alike))]
			}
		}
	}
	return string(out)
}

// person is somebody whose chat a window shows, in truth.
type person struct {
	name string
	id   messages.ConversationID // that the directory gave, "" for none yet
}

// people have random names, most of them alike.
func people(rnd *rand.Rand) (list []*person) {
	names := map[string]bool{}
	for len(list) < 6 {
		var base []rune
		for range 1 + rnd.IntN(5) {
			a := alphabets[rnd.IntN(len(alphabets))]
			base = append(base, a[rnd.IntN(len(a))])
		}
		for _, n := range []string{string(base), misreading(rnd, string(base), 0.4)} {
			if !names[n] {
				names[n] = true
				list = append(list, &person{name: n})
			}
		}
	}
	return list
}

// world is a window, what it has shown, and what was made of it.
type world struct {
	rnd   *rand.Rand
	all   []*person
	known map[messages.ConversationID]Known
	rows  bool                                         // the accessibility tree tells the selected row
	told  map[messages.ConversationID]messages.Overlap // in this visit; a second look tells the same

	right, held, anew, mixed int
}

// overlap is what a conversation's transcript says of a frame of p's: its own goes on or has
// a gap, another's is another one unless too much time has passed to say so.
func (w *world) overlap(p *person, id messages.ConversationID, long bool) messages.Overlap {
	if _, already := w.told[id]; !already {
		w.told[id] = w.tell(p, id, long)
	}
	return w.told[id]
}

func (w *world) tell(p *person, id messages.ConversationID, long bool) messages.Overlap {
	switch {
	case p.id == id && !long:
		return same
	case long:
		return []messages.Overlap{gap, gap, back, weak, back}[w.rnd.IntN(5)]
	}
	return []messages.Overlap{other, other, apart, back}[w.rnd.IntN(4)]
}

// ask does as fusion does: one question, and its answers until one names the conversation.
func (w *world) ask(p *person, title messages.Line, readings int, long bool) Decision {
	q := messages.Identify{Title: title, Readings: readings}
	d := standard.Decide(q, w.known)
	if d.Compare != nil {
		q.Compared = true
		for _, c := range d.Compare {
			q.Shared = append(q.Shared, messages.Shared{Conversation: c, Overlap: w.overlap(p, c, long)})
		}
		return standard.Decide(q, w.known)
	}
	if d.Search {
		q.Searched = true
		if p.id != "" && !long {
			q.Shared = []messages.Shared{{Conversation: p.id, Overlap: same}}
		}
		return standard.Decide(q, w.known)
	}
	return d
}

// visit shows p's chat, and has its title read until somebody is known to have it.
func (w *world) visit(p *person) {
	long, before, readings := p.id != "" && w.rnd.IntN(3) == 0, "", 0
	w.told = map[messages.ConversationID]messages.Overlap{}
	var last Decision
	for range 5 {
		read := w.read(p)
		if readings++; string(read.Text) != before {
			readings = 1
		}
		if before = string(read.Text); w.rows && readings > 1 {
			read = standard.Spelled("line", read, []messages.Text{messages.Text(p.name + " see you at 10:30")})
		}
		d := w.ask(p, read, readings, long)
		again := last.Conversation == d.Conversation && last.New == d.New
		if last = d; d.Why != "" || !again && w.told[d.Conversation] != same {
			continue // fusion reads again what no bubbles prove
		}
		w.take(p, d, read)
		w.stay(p)
		return
	}
	w.held++
}

// stay reads the title of a chat again while it is shown.
func (w *world) stay(p *person) {
	for range 2 {
		read := w.read(p)
		q := messages.Identify{Title: read, Shows: p.id, Readings: 1}
		if d := standard.Decide(q, w.known); d.Conversation == p.id && d.Learn {
			k := w.known[p.id]
			k.Learn(standard, read)
			w.known[p.id] = k
		}
	}
}

// read reads p's name. Engines are less sure of most of what they misread.
func (w *world) read(p *person) messages.Line {
	l := messages.Line{Text: messages.Text(misreading(w.rnd, p.name, 0.03)), Confidence: 0.7 + 0.3*w.rnd.Float64()}
	if string(l.Text) != p.name {
		l.Confidence = 0.3 + 0.6*w.rnd.Float64()
	}
	return l
}

// take compares a decision with the truth.
func (w *world) take(p *person, d Decision, read messages.Line) {
	id := d.Conversation
	owner := slices.IndexFunc(w.all, func(o *person) bool { return o.id != "" && o.id == id })
	switch {
	case d.New && p.id != "":
		w.anew++ // a second id for the same person, to be merged by hand
		return
	case d.New:
		id = messages.ConversationID(fmt.Sprintf("c-%d", len(w.known)+1))
		p.id = id
		title, group := standard.Read(read)
		w.known[id] = Known{App: "line", Title: title, Group: group, Settled: true}
		w.right++
	case owner >= 0 && w.all[owner] == p:
		w.right++
	default:
		w.mixed++
		return
	}
	if k := w.known[id]; d.New || d.Learn {
		k.Learn(standard, read)
		w.known[id] = k
	}
}

// TestNoiseNeverMixes: people with alike names, read with random misreadings, over
// transcripts that continue, or that went on unseen for too long to tell. Each
// frame goes only to the conversation that it shows.
func TestNoiseNeverMixes(t *testing.T) {
	for _, rows := range []bool{false, true} {
		sum := world{}
		seeds := uint64(400)
		if testing.Short() {
			seeds = 100
		}
		for seed := range seeds {
			rnd := rand.New(rand.NewPCG(seed, 7))
			w := &world{rnd: rnd, all: people(rnd), known: map[messages.ConversationID]Known{}, rows: rows}
			for range 60 {
				w.visit(w.all[rnd.IntN(len(w.all))])
			}
			sum.right, sum.held, sum.anew = sum.right+w.right, sum.held+w.held, sum.anew+w.anew
			if w.mixed > 0 {
				t.Errorf("seed %d, rows %v: %d frames went to somebody else", seed, rows, w.mixed)
			}
		}
		all := float64(sum.right+sum.held+sum.anew) / 100
		t.Logf("rows %v: right %.2f %%, held %.2f %%, a second id %.2f %%", rows, float64(sum.right)/all,
			float64(sum.held)/all, float64(sum.anew)/all)
	}
}
