package history

import (
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
)

// Span is a time in which one state held.
type Span struct {
	Start, End time.Time
	State      messages.Attention
	Confidence float64 // of the judgement that began it
	Source     messages.FocusSource
}

// Spans turns changes, oldest first, into the spans between from and to. The
// last change holds until to. A change to the state that already holds starts no
// span, and neither does a state that held for no time. The time before the
// first change has no span.
func Spans(changes []messages.FocusState, from, to time.Time) []Span {
	var spans []Span
	for i, c := range changes {
		s := Span{Start: c.At, End: to, State: c.State, Confidence: c.Confidence, Source: c.Source}
		if i+1 < len(changes) && changes[i+1].At.Before(to) {
			s.End = changes[i+1].At
		}
		if s.Start.Before(from) {
			s.Start = from
		}
		if !s.Start.Before(s.End) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].State == s.State && spans[n-1].End.Equal(s.Start) {
			spans[n-1].End = s.End
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// States lists all states in display order.
var States = [...]messages.Attention{
	messages.Focused, messages.Distracted, messages.Drowsy, messages.Idle, messages.Away, messages.Unknown,
}

// Sum is how long a state held, and how often it began.
type Sum struct {
	State messages.Attention
	Time  time.Duration
	Spans int
	Long  time.Duration // the longest span
}

// Sums adds up spans by state, in the order of [States]. States that never held
// are left out.
func Sums(spans []Span) []Sum {
	var sums []Sum
	for _, state := range States {
		sum := Sum{State: state}
		for _, s := range spans {
			if s.State == state {
				d := s.End.Sub(s.Start)
				sum.Time += d
				sum.Spans++
				sum.Long = max(sum.Long, d)
			}
		}
		if sum.Spans > 0 {
			sums = append(sums, sum)
		}
	}
	return sums
}

// Hour is one hour of a timeline.
type Hour struct {
	Start time.Time
	Time  map[messages.Attention]time.Duration // of the states that held in it
}

// Hours splits spans between from and to at full hours in the time zone of from.
func Hours(spans []Span, from, to time.Time) []Hour {
	var hours []Hour
	for start := from; start.Before(to); {
		into := time.Duration(start.Minute())*time.Minute + time.Duration(start.Second())*time.Second +
			time.Duration(start.Nanosecond())
		end := start.Add(time.Hour - into)
		if end.After(to) {
			end = to
		}
		h := Hour{Start: start, Time: map[messages.Attention]time.Duration{}}
		for _, s := range spans {
			if d := earlier(s.End, end).Sub(attention.Later(s.Start, start)); d > 0 {
				h.Time[s.State] += d
			}
		}
		hours = append(hours, h)
		start = end
	}
	return hours
}

// Cells are the states that held longest in n times of the same length, in their order:
// "" where none did.
func Cells(spans []Span, start time.Time, each time.Duration, n int) []messages.Attention {
	cells := make([]messages.Attention, n)
	for i := range cells {
		from := start.Add(time.Duration(i) * each)
		held := map[messages.Attention]time.Duration{}
		for _, s := range spans {
			d := earlier(s.End, from.Add(each)).Sub(attention.Later(s.Start, from))
			if d <= 0 {
				continue
			}
			if held[s.State] += d; held[s.State] > held[cells[i]] {
				cells[i] = s.State
			}
		}
	}
	return cells
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Day returns the bounds of the day that contains now, in its location. A day on
// which clocks change is longer or shorter.
func Day(now time.Time) (from, to time.Time) {
	y, m, d := now.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, now.Location()), time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
}
