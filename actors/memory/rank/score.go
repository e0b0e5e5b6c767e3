package rank

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/when"
)

// own adds the contributions of terms, and who has them, to each turn, multiplied by share. The first words
// of the terms count for coordination and sessions.
func (r *recall) own(m lexical.Match, terms []lexical.Weighted, words int, share float64) {
	all := 0.0
	idf := make([]float64, len(terms))
	for i, t := range terms {
		if idf[i] = t.Weight * lexical.IDF(m.Found[i], m.N); i < words && m.Found[i] > 0 {
			all += idf[i]
		}
	}
	for at, d := range m.Docs {
		i, ok := r.place[d]
		if !ok {
			continue
		}
		t := &r.turns[i]
		score, has := 0.0, 0.0
		for n := range terms {
			c := m.Counts[n][at]
			if c == 0 {
				continue
			}
			score += idf[n] * lexical.Saturation(c, float64(t.entry.Length), m.MeanLength)
			if n < words {
				has += idf[n]
				t.rare = t.rare || share == 1 && m.Found[n] <= 2 && m.N >= 50
			}
		}
		if all > 0 {
			score *= 1 + r.w.Coordination*(has/all)*(has/all)
		}
		t.own += share * score
		if share == 1 {
			t.words = make([]uint8, words)
			for n := range words {
				t.words[n] = m.Counts[n][at]
			}
		}
	}
	if share == 1 && r.w.Session > 0 {
		r.sessions(idf[:words])
	}
}

// sessions scores each session as if it were one long turn, and lifts its turns.
func (r *recall) sessions(idf []float64) {
	if len(r.turns) == 0 {
		return
	}
	n := r.turns[len(r.turns)-1].session + 1
	counts, lengths, found := make([]uint8, n*len(idf)), make([]float64, n), make([]int, len(idf))
	mean := 0.0
	for i := range r.turns {
		t := &r.turns[i]
		lengths[t.session] += float64(t.entry.Length)
		mean += float64(t.entry.Length) / float64(n)
		for w, c := range t.words {
			at := &counts[t.session*len(idf)+w]
			if *at == 0 && c > 0 {
				found[w]++
			}
			*at = uint8(min(int(*at)+int(c), 255))
		}
	}
	lift := make([]float64, n)
	for s := range lift {
		for w := range idf {
			if c := counts[s*len(idf)+w]; c > 0 {
				lift[s] += lexical.IDF(found[w], n) * lexical.Saturation(c, lengths[s], mean)
			}
		}
	}
	for i := range r.turns {
		r.turns[i].lift = r.w.Session * lift[r.turns[i].session]
	}
}

// settle computes the total score of each turn, and orders them.
func (r *recall) settle() {
	r.spread()
	for i := range r.turns {
		t := &r.turns[i]
		t.factor = 1
		if slices.Contains(r.question.Speakers, t.entry.Speaker) && len(r.question.Speakers) == 1 {
			t.factor += r.w.Speaker
		}
		t.factor *= 1 + r.w.Date*r.inTime(t)
		t.score = r.total(t) * t.factor
	}
	r.sort()
	best := r.order[:min(reread, len(r.order))]
	for _, i := range best {
		r.readTurn(&r.turns[i])
	}
	r.spread()
	for _, i := range best {
		t := &r.turns[i]
		t.factor *= r.answers(t)
		t.score = r.total(t) * t.factor
	}
	r.sort()
}

// total is a turn's score before its factor. Its last part orders turns without any match:
// turns that say something come first.
func (r *recall) total(t *turn) float64 {
	return t.own + t.near + (t.lift+0.01)*r.substance(t)
}

// standing is what a turn's place among the others depends on. Turns are large: comparing them
// where they lie costs more than copying this.
type standing struct {
	score float64
	at    int64 // Unix milliseconds
	doc   lexical.Doc
	turn  int
}

// better puts the better turn first, of equal ones the newer.
func better(a, b standing) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.doc, a.doc))
}

func (r *recall) standing(i int) standing {
	t := &r.turns[i]
	return standing{t.score, t.entry.At.UnixMilli(), t.doc, i}
}

// sort orders the turns.
func (r *recall) sort() {
	r.order = r.order[:0]
	for i := range r.turns {
		r.order = append(r.order, i)
	}
	r.sortFrom(0)
}

// sortFrom orders the turns from a place on anew.
func (r *recall) sortFrom(from int) {
	list := make([]standing, 0, len(r.order)-from)
	for _, i := range r.order[from:] {
		list = append(list, r.standing(i))
	}
	slices.SortFunc(list, better)
	for at, p := range list {
		r.order[from+at] = p.turn
	}
}

// substance is 1 for a turn that says something, and less for a few words.
func (r *recall) substance(t *turn) float64 {
	const enough = 12 // words or pairs
	return 1 - r.w.Brief*(1-min(1, float64(t.entry.Length)/enough))
}

// spread passes scores on to neighbours.
func (r *recall) spread() {
	for i := range r.turns {
		t := &r.turns[i]
		t.near = 0
		back, forth := i, i
		for step, share := range []float64{r.w.Near, r.w.Far} {
			if back == i-step && back >= 0 && r.turns[back].follows {
				back--
				gain := share
				if before := &r.turns[back]; step == 0 && before.asks && before.entry.Speaker != t.entry.Speaker {
					gain += r.w.Answer
				}
				t.near += gain * r.turns[back].own
			}
			if forth == i+step && forth+1 < len(r.turns) && r.turns[forth+1].follows {
				forth++
				t.near += share * r.turns[forth].own
			}
		}
		t.near *= r.substance(t)
	}
}

// inTime is how well a turn's day fits the times that the question names: 1 within,
// less in the two weeks after, when people tell of it.
func (r *recall) inTime(t *turn) float64 {
	fits := 0.0
	for _, s := range r.question.Spans {
		switch after := t.entry.At.Sub(s.To); {
		case !t.entry.At.Before(s.From) && after < 0:
			fits = 1
		case after >= 0 && after < 14*24*time.Hour:
			fits = max(fits, 0.5)
		}
	}
	return fits
}

// readTurn examines the text of a turn.
func (r *recall) readTurn(t *turn) {
	if t.read {
		return
	}
	t.read, t.said = true, r.text(t.doc)
	at := t.entry.At.In(r.zone)
	t.asks = Asks(t.said)
	t.only = t.asks && !tells(t.said)
	t.holds = holds(t.said, r.question.Sought, at)
	if len(r.question.Spans) > 0 {
		t.spans = when.Find(start(t.said), at, when.Past)
	}
	if r.question.Life != 0 {
		t.life = when.Lives(start(t.said))
	}
}

// answers is the factor that a turn's text gives to its score.
func (r *recall) answers(t *turn) float64 {
	f := 1.0
	if t.only {
		f *= 1 - r.w.Asking
	}
	if t.holds {
		f *= 1 + r.w.Cue
	}
	if t.life.Meets(r.question.Life) {
		return f * (1 + r.w.Date/2)
	}
	for _, s := range r.question.Spans {
		for _, named := range t.spans {
			if named.From.Before(s.To) && s.From.Before(named.To) && named.Precision <= 2*s.Precision {
				return f * (1 + r.w.Date/2)
			}
		}
	}
	return f
}

// vary lowers turns that say again what a better one says and, behind the leading ones,
// those of sessions that are there already: a second answer is elsewhere.
func (r *recall) vary() {
	said := map[string]bool{}
	for _, i := range r.order[:min(reread, len(r.order))] {
		t := &r.turns[i]
		words := t.entry.Speaker + "\x00" + strings.Join(strings.Fields(text.Normalize(start(t.said))), " ")
		if t.said != "" && said[words] {
			t.score *= 1 - r.w.Repeat
		}
		said[words] = true
	}
	r.sort()
	const beside = 2 // turns of a session that lose nothing
	there := map[int]float64{}
	for at, i := range r.order {
		t := &r.turns[i]
		if there[t.session]++; at >= leading && there[t.session] > beside {
			t.score /= 1 + r.w.Breadth*(there[t.session]-beside)
		}
	}
	r.sortFrom(min(leading, len(r.order)))
}
