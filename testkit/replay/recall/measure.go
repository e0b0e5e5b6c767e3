package recall

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
)

// Depths are after how many turns a report counts evidence.
var Depths = [...]int{5, 10, 12, 20, 60}

// deepest is the last of Depths.
const deepest = 60

// Score is a mean over questions.
type Score struct {
	Questions int
	Recall    [len(Depths)]float64 // the mean share of the evidence among the first turns
}

func (s *Score) add(found [len(Depths)]float64) {
	s.Questions++
	for i, f := range found {
		s.Recall[i] += (f - s.Recall[i]) / float64(s.Questions)
	}
}

// Report is what a batch of questions found.
type Report struct {
	All    Score
	Groups map[string]*Score // by language and type, and by what is held out
	// Took is how long each question took, sorted.
	Took []time.Duration
}

// ErrEvidence is returned for a question that no answer can satisfy: it names no
// evidence, or an event that is not there.
var ErrEvidence = errors.New("recall: a question's evidence is not among the events")

// Library holds events ready for questions.
type Library struct {
	index *lexical.Index
	texts map[lexical.Doc]string
}

// NewLibrary indexes events. An event whose id repeats replaces the one before.
func NewLibrary(events []Event) (*Library, error) {
	l := &Library{index: lexical.New(), texts: make(map[lexical.Doc]string, len(events))}
	for _, e := range events {
		d, err := l.index.Add(lexical.Document{ID: e.ID, Conversation: e.Conversation, Speaker: e.Speaker, At: e.At,
			Text: e.Text})
		if err != nil {
			return nil, fmt.Errorf("recall: event %s: %w", e.ID, err)
		}
		l.texts[d] = e.Text
	}
	return l, nil
}

// Answer is a turn that came back.
type Answer struct {
	Event
	Result rank.Result
	Fit    float64 // near 1 it fits the question, near 0 it is only the best of what does not
}

// Recall answers one question with up to k turns, the best first.
func (l *Library) Recall(q Question, w rank.Weights, k int) []Answer {
	var list []Answer
	var docs []lexical.Doc
	for _, r := range l.results(q, w, k) {
		e := l.index.Entry(r.Doc)
		list = append(list, Answer{Event{e.ID, e.Conversation, e.At, e.Speaker, l.texts[r.Doc]}, r, 0})
		docs = append(docs, r.Doc)
	}
	fit := memory.Unfit
	for _, share := range rank.AskedOf(l.index, query(q, k)).Covered(l.index, docs) {
		fit = max(fit, share)
	}
	for i := range list {
		if best := list[0].Result.Score; best > 0 {
			list[i].Fit = fit * list[i].Result.Score / best
		}
	}
	return list
}

func (l *Library) results(q Question, w rank.Weights, k int) []rank.Result {
	return rank.Recall(l.index, query(q, k), w, func(d lexical.Doc) string { return l.texts[d] })
}

func query(q Question, k int) rank.Query {
	scope := lexical.Scope{}
	if q.Conversation != "" {
		scope.Conversations = []string{q.Conversation}
	}
	return rank.Query{Text: q.Query, Now: q.At, Scope: scope, K: k}
}

// Measure answers questions over events and counts how much of their evidence comes
// back.
func Measure(events []Event, questions []Question, w rank.Weights) (Report, error) {
	l, err := NewLibrary(events)
	if err != nil {
		return Report{}, err
	}
	return l.Measure(questions, w)
}

// Measure answers questions and counts how much of their evidence comes back.
func (l *Library) Measure(questions []Question, w rank.Weights) (Report, error) {
	for _, q := range questions {
		if err := l.check(q); err != nil {
			return Report{}, err
		}
	}
	return MeasureBy(questions, func(q Question, k int) (ids []string, err error) {
		for _, r := range l.results(q, w, k) {
			ids = append(ids, l.index.Entry(r.Doc).ID)
		}
		return ids, nil
	})
}

// MeasureBy has somebody answer questions with the ids of up to k events, the best first,
// and counts how much of their evidence comes back.
func MeasureBy(questions []Question, recall func(q Question, k int) (ids []string, err error)) (Report, error) {
	r := Report{Groups: map[string]*Score{}}
	for _, q := range questions {
		start := time.Now()
		ids, err := recall(q, deepest)
		if err != nil {
			return Report{}, fmt.Errorf("recall: question %s: %w", q.ID, err)
		}
		r.Took = append(r.Took, time.Since(start))
		found := found(q, ids)
		r.All.add(found)
		for _, g := range groups(q) {
			if r.Groups[g] == nil {
				r.Groups[g] = &Score{}
			}
			r.Groups[g].add(found)
		}
	}
	slices.Sort(r.Took)
	return r, nil
}

func (l *Library) check(q Question) error {
	if len(q.Evidence) == 0 {
		return fmt.Errorf("%w: question %s names none", ErrEvidence, q.ID)
	}
	for _, id := range q.Evidence {
		if _, ok := l.index.Find(id); !ok {
			return fmt.Errorf("%w: question %s, event %s", ErrEvidence, q.ID, id)
		}
	}
	return nil
}

// found is the share of a question's evidence at each depth.
func found(q Question, ids []string) (shares [len(Depths)]float64) {
	evidence := slices.Compact(slices.Sorted(slices.Values(q.Evidence)))
	for at, id := range ids {
		if !slices.Contains(evidence, id) {
			continue
		}
		for i, k := range Depths {
			if at < k {
				shares[i] += 1 / float64(len(evidence))
			}
		}
	}
	return shares
}

func groups(q Question) []string {
	var list []string
	if q.Type != "" {
		list = append(list, strings.TrimSpace(q.Language+" "+q.Type))
	}
	if q.Language != "" {
		part := "tuned on"
		if q.Held {
			part = "held out"
		}
		list = append(list, q.Language+" ("+part+")")
	}
	return list
}

// Print writes a report as a table.
func (r Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "questions\tn"
	for _, k := range Depths {
		head += fmt.Sprintf("\trecall@%d", k)
	}
	fmt.Fprintln(t, head)
	for _, g := range slices.SortedFunc(maps.Keys(r.Groups), cmp.Compare) {
		fmt.Fprintln(t, row(g, *r.Groups[g]))
	}
	fmt.Fprintln(t, row("all", r.All))
	return t.Flush()
}

func row(name string, s Score) string {
	out := fmt.Sprintf("%s\t%d", name, s.Questions)
	for _, v := range s.Recall {
		out += fmt.Sprintf("\t%.3f", v)
	}
	return out
}

// maxLine is how long a line of a file may be.
const maxLine = 4 << 20

// ReadEvents reads an import file: one JSON object a line. An error names the line.
func ReadEvents(r io.Reader) ([]Event, error) {
	return readLines(r, func(e Event) error {
		switch {
		case e.ID == "":
			return errors.New("it has no id")
		case e.Conversation == "":
			return errors.New("it has no conversation")
		case e.At.IsZero():
			return errors.New("it has no time (at, RFC 3339)")
		}
		return nil
	})
}

// ReadQuestions reads a batch: one JSON object a line. An error names the line.
func ReadQuestions(r io.Reader) ([]Question, error) {
	return readLines(r, func(q Question) error {
		switch {
		case q.Query == "":
			return errors.New("it has no query")
		case len(q.Evidence) == 0:
			return errors.New("it has no evidence")
		}
		return nil
	})
}

func readLines[T any](r io.Reader, check func(T) error) ([]T, error) {
	var list []T
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxLine)
	number := 0
	for in.Scan() {
		number++
		line := strings.TrimSpace(in.Text())
		if line == "" {
			continue
		}
		var v T
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("line %d: it is not UTF-8", number)
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("line %d: it is no JSON object as expected: %w", number, err)
		}
		if err := check(v); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, v)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return list, nil
}

// Weights are the default weights, without one signal if it is not "". It reports
// false if there is no such signal; [Signals] names them.
func Weights(without string) (rank.Weights, bool) {
	w := rank.Defaults()
	return rank.Without(w, without), without == "" || slices.Contains(rank.Signals(), without)
}

// Signals are what a ranking rests on, in order.
func Signals() []string { return rank.Signals() }

// Summary is a report as one JSON object.
type Summary struct {
	Questions int                `json:"questions"`
	Recall    map[string]float64 `json:"recall"` // by depth
	Groups    map[string]Summary `json:"groups,omitempty"`
	P50       float64            `json:"p50_ms,omitempty"`
	P99       float64            `json:"p99_ms,omitempty"`
}

// Summary returns the report as one object. Times are in milliseconds a question.
func (r Report) Summary() Summary {
	s := r.All.summary()
	for name, g := range r.Groups {
		if s.Groups == nil {
			s.Groups = map[string]Summary{}
		}
		s.Groups[name] = g.summary()
	}
	if n := len(r.Took); n > 0 {
		s.P50, s.P99 = 1000*r.Took[n/2].Seconds(), 1000*r.Took[n*99/100].Seconds()
	}
	return s
}

func (s Score) summary() Summary {
	out := Summary{Questions: s.Questions, Recall: map[string]float64{}}
	for i, k := range Depths {
		out.Recall[fmt.Sprint(k)] = s.Recall[i]
	}
	return out
}
