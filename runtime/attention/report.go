package attention

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Span is a time in which one state held at a desk.
type Span struct {
	Desk       messages.DeskID      `json:"desk"`
	Start      control.Stamp        `json:"start"`
	End        control.Stamp        `json:"end"`
	Seconds    float64              `json:"seconds"`
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"` // of the judgement that began it
	Source     messages.FocusSource `json:"source"`
}

// Spans turns changes, by desk and then by time, into the spans between
// two times. The last change of a desk holds until to; see [EndUnseen].
func Spans(changes []control.FocusChange, from, to time.Time) []Span {
	var spans []Span
	for len(changes) > 0 {
		desk, n := changes[0].Desk, 0
		var own []messages.FocusState
		for ; n < len(changes) && changes[n].Desk == desk; n++ {
			c := changes[n]
			own = append(own, messages.FocusState{State: c.State, Confidence: c.Confidence, Source: c.Source, At: c.At})
		}
		for _, s := range history.Spans(own, from, to) {
			spans = append(spans, Span{
				Desk: desk, Start: control.Stamp{Time: s.Start}, End: control.Stamp{Time: s.End},
				Seconds: s.End.Sub(s.Start).Seconds(), State: s.State, Confidence: s.Confidence, Source: s.Source,
			})
		}
		changes = changes[n:]
	}
	return spans
}

// unseenAfter is the age of [control.FocusDesk.SeenAt] at which a desk counts as
// unwatched.
const unseenAfter = 2 * time.Minute

// EndUnseen adds to changes, by desk and then by time, what the next start of Kehai will
// store: that nothing is known of an unwatched desk since it was last seen. Without it
// the last state would hold until now.
func EndUnseen(changes []control.FocusChange, desks []control.FocusDesk, now time.Time) []control.FocusChange {
	seen := map[messages.DeskID]time.Time{}
	for _, d := range desks {
		seen[d.Desk] = d.SeenAt.Time
	}
	var ended []control.FocusChange
	for i, c := range changes {
		ended = append(ended, c)
		last := i+1 == len(changes) || changes[i+1].Desk != c.Desk
		at, known := seen[c.Desk]
		if !last || !known || c.State == messages.Unknown || now.Sub(at) <= unseenAfter {
			continue
		}
		if at.Before(c.At) {
			at = c.At
		}
		ended = append(ended, control.FocusChange{Desk: c.Desk, At: at, State: messages.Unknown,
			Source: messages.FromRule})
	}
	return ended
}

// Day sums up one day of one desk, or its part until now.
type Day struct {
	Desk  messages.DeskID `json:"desk"`
	From  control.Stamp   `json:"from"`
	To    control.Stamp   `json:"to"`
	Sums  []Sum           `json:"sums"`
	Hours []Hour          `json:"hours"`
}

// Sum is how long a state held.
type Sum struct {
	State          messages.Attention `json:"state"`
	Seconds        float64            `json:"seconds"`
	Spans          int                `json:"spans"`
	LongestSeconds float64            `json:"longest_seconds"`
}

// Hour is one hour of a day: how long each state held in it.
type Hour struct {
	Start   control.Stamp                  `json:"start"`
	Seconds map[messages.Attention]float64 `json:"seconds"`
	// Cells are the states that held longest in each 150 seconds of it, in the order of
	// time: "" where nothing is stored.
	Cells []messages.Attention `json:"cells"`
}

// The cells of an hour.
const (
	cell      = 150 * time.Second
	hourCells = int(time.Hour / cell)
)

// Days sums up the day that holds a moment, in the moment's time zone, for each desk.
// Anything after now is left out.
func Days(changes []control.FocusChange, day, now time.Time) []Day {
	from, to := history.Day(day)
	if to.After(now) {
		to = now
	}
	all := Spans(changes, from, to)
	var days []Day
	for len(all) > 0 {
		desk, n := all[0].Desk, 0
		var own []history.Span
		for ; n < len(all) && all[n].Desk == desk; n++ {
			own = append(own, history.Span{Start: all[n].Start.Time, End: all[n].End.Time, State: all[n].State})
		}
		all = all[n:]
		d := Day{Desk: desk, From: control.Stamp{Time: from}, To: control.Stamp{Time: to}}
		for _, s := range history.Sums(own) {
			d.Sums = append(d.Sums, Sum{State: s.State, Seconds: s.Time.Seconds(), Spans: s.Spans,
				LongestSeconds: s.Long.Seconds()})
		}
		for _, h := range history.Hours(own, from, to) {
			hour := Hour{Start: control.Stamp{Time: h.Start}, Seconds: map[messages.Attention]float64{},
				Cells: history.Cells(own, h.Start, cell, hourCells)}
			for state, d := range h.Time {
				hour.Seconds[state] = d.Seconds()
			}
			d.Hours = append(d.Hours, hour)
		}
		days = append(days, d)
	}
	return days
}

// WriteCSV writes spans as CSV with a heading (RFC 4180).
func WriteCSV(w io.Writer, spans []Span) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"desk", "start", "end", "seconds", "state", "confidence", "source"}}
	for _, s := range spans {
		rows = append(rows, []string{
			string(s.Desk), stored(s.Start), stored(s.End), strconv.FormatFloat(s.Seconds, 'f', 3, 64),
			string(s.State), strconv.FormatFloat(s.Confidence, 'f', -1, 64), string(s.Source),
		})
	}
	return out.WriteAll(rows)
}

// stored is a moment as a file has it, in UTC; its String is for a person.
func stored(at control.Stamp) string {
	text, _ := at.MarshalText() // has no error
	return string(text)
}

// awBucket is a bucket of ActivityWatch, in the form of its export and import.
type awBucket struct {
	ID       string         `json:"id"`
	Name     *string        `json:"name"`
	Type     string         `json:"type"`
	Client   string         `json:"client"`
	Hostname string         `json:"hostname"`
	Created  control.Stamp  `json:"created"`
	Data     map[string]any `json:"data"`
	Events   []awEvent      `json:"events"`
}

type awEvent struct {
	Timestamp control.Stamp `json:"timestamp"`
	Duration  float64       `json:"duration"` // seconds
	Data      awData        `json:"data"`
}

type awData struct {
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"`
	Source     messages.FocusSource `json:"source"`
}

// WriteActivityWatch writes spans as a file that ActivityWatch imports: one
// bucket of type app.kehai.focus a desk.
func WriteActivityWatch(w io.Writer, spans []Span) error {
	buckets := map[string]*awBucket{}
	for _, s := range spans {
		id := "kehai-focus_" + string(s.Desk)
		b := buckets[id]
		if b == nil {
			b = &awBucket{ID: id, Type: "app.kehai.focus", Client: "kehai", Hostname: string(s.Desk), Created: s.Start,
				Data: map[string]any{}}
			buckets[id] = b
		}
		b.Events = append(b.Events, awEvent{Timestamp: s.Start, Duration: s.Seconds,
			Data: awData{State: s.State, Confidence: s.Confidence, Source: s.Source}})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"buckets": buckets})
}
