package recall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// Event is one turn of a history, a line of an import file.
type Event struct {
	ID           string    `json:"id"`
	Conversation string    `json:"conversation"`
	At           time.Time `json:"at"`
	Speaker      string    `json:"speaker"`
	Text         string    `json:"text"`
}

// Question is a question with the ids of the events that answer it, a line of a
// batch. Type, Language and Held are those of generated ones.
type Question struct {
	ID           string    `json:"id"`
	Query        string    `json:"query"`
	Conversation string    `json:"conversation"`
	At           time.Time `json:"at,omitzero"` // when it is asked; zero is after everything
	Evidence     []string  `json:"evidence"`
	Type         string    `json:"type,omitempty"`
	Language     string    `json:"language,omitempty"`
	Held         bool      `json:"held,omitempty"` // of a topic that is held out of tuning
}

// Generate makes histories of two people each, and questions about them. The same
// seed makes the same ones. One history has about 500 turns in 22 sessions over half
// a year, and about 90 questions.
func Generate(seed uint64, l text.Language, histories int) (events []Event, questions []Question) {
	b := books(l)
	for n := range histories {
		h := history{book: b, r: rand.New(rand.NewPCG(seed, uint64(n))), name: fmt.Sprintf("%s%d-%d", l, seed, n),
			language: string(l), at: time.Date(2025, 2, 3, 18, 0, 0, 0, time.UTC)}
		h.people = [2]string{b.people[2*n%len(b.people)], b.people[(2*n+1)%len(b.people)]}
		h.make()
		events, questions = append(events, h.events...), append(questions, h.questions...)
	}
	return events, questions
}

// sessions is how often two people of a history talk.
const sessions = 22

type history struct {
	book
	r         *rand.Rand
	name      string
	language  string
	people    [2]string
	at        time.Time
	events    []Event
	questions []Question
}

// occasion is one time that somebody lived through a topic.
type occasion struct {
	topic  *topic
	teller int
	values map[string]string
	ids    map[string]string // of the events, by their marks
}

func (h *history) make() {
	plan := make([][]*occasion, sessions)
	var all []*occasion
	for i := range h.topics {
		values := h.shuffled(&h.topics[i])
		n := 0
		for teller := range 2 {
			for range 1 + h.r.IntN(3) {
				o := &occasion{topic: &h.topics[i], teller: teller, values: map[string]string{},
					ids: map[string]string{}}
				for s, v := range values {
					o.values[s] = v[n%len(v)]
				}
				n++
				s := h.r.IntN(sessions)
				plan[s] = append(plan[s], o)
				all = append(all, o)
			}
		}
	}
	for _, session := range plan {
		h.session(session)
		h.at = h.at.Add(time.Duration(4+h.r.IntN(9))*24*time.Hour + time.Duration(h.r.IntN(240))*time.Minute)
	}
	h.ask(all)
}

// shuffled are the values of a topic's slots in an order of this history.
func (h *history) shuffled(t *topic) map[string][]string {
	values := map[string][]string{}
	for _, s := range t.slots {
		list := slices.Clone(s.values)
		h.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		values[s.name] = list
	}
	return values
}

// session tells of occasions, with small talk around.
func (h *history) session(occasions []*occasion) {
	small := func() {
		o := &occasion{topic: &h.small[h.r.IntN(len(h.small))], teller: h.r.IntN(2)}
		h.tell(o)
	}
	small()
	for _, o := range occasions {
		h.tell(o)
		if h.r.IntN(2) == 0 {
			small()
		}
	}
	small()
}

func (h *history) tell(o *occasion) {
	when := h.whens[h.r.IntN(len(h.whens))]
	for _, l := range o.topic.lines {
		who := o.teller
		if !l.teller {
			who = 1 - who
		}
		s := h.fill(l.texts[h.r.IntN(len(l.texts))], o, when)
		e := Event{ID: fmt.Sprintf("%s-%d", h.name, len(h.events)), Conversation: h.name, At: h.at,
			Speaker: h.people[who], Text: s}
		h.events = append(h.events, e)
		if l.mark != "" {
			o.ids[l.mark] = e.ID
		}
		h.at = h.at.Add(time.Duration(20+h.r.IntN(100)) * time.Second)
	}
}

func (h *history) fill(s string, o *occasion, when string) string {
	s = strings.NewReplacer("{A}", h.people[o.teller], "{B}", h.people[1-o.teller], "{when}", when).Replace(s)
	for _, slot := range o.topic.slots {
		s = strings.ReplaceAll(s, "{"+slot.name+"}", o.values[slot.name])
	}
	return strings.ToUpper(s[:1]) + s[1:] // a sentence may begin with a value
}

// ask makes the questions about all occasions.
func (h *history) ask(all []*occasion) {
	slices.SortStableFunc(all, func(a, b *occasion) int { return strings.Compare(h.key(a), h.key(b)) })
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && h.key(all[to]) == h.key(all[from]) {
			to++
		}
		same := all[from:to]
		slices.SortFunc(same, func(a, b *occasion) int { return h.order(a) - h.order(b) })
		for _, q := range same[0].topic.asks {
			h.askOf(q, same)
		}
		from = to
	}
}

// key is equal for the occasions of one person and topic.
func (h *history) key(o *occasion) string { return fmt.Sprint(o.topic.name, " ", o.teller) }

// order is the place of an occasion in time.
func (h *history) order(o *occasion) int {
	return slices.IndexFunc(h.events, func(e Event) bool { return e.ID == o.ids["a"] })
}

func (h *history) askOf(q ask, same []*occasion) {
	mark := q.evidence[0]
	switch {
	case strings.HasSuffix(mark, "*"), strings.HasSuffix(mark, "!"):
		if len(same) < 2 {
			return
		}
		var ids []string
		for _, o := range same {
			ids = append(ids, o.ids[mark[:1]])
		}
		if mark[1] == '!' {
			ids = ids[len(ids)-1:]
		}
		h.put(q, same[len(same)-1], ids)
	default:
		o := same[h.r.IntN(len(same))]
		var ids []string
		for _, m := range q.evidence {
			ids = append(ids, o.ids[m])
		}
		h.put(q, o, ids)
	}
}

func (h *history) put(q ask, o *occasion, evidence []string) {
	h.questions = append(h.questions, Question{ID: fmt.Sprintf("%s-q%d", h.name, len(h.questions)),
		Query: h.fill(q.text, o, ""), Conversation: h.name, Evidence: evidence, Type: q.kind, Language: h.language,
		Held: o.topic.held})
}
