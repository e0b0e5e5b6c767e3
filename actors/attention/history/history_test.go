package history_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func change(state messages.Attention, minutes int) messages.FocusState {
	return messages.FocusState{State: state, Confidence: 0.9, Source: messages.FromRule,
		At: noon.Add(time.Duration(minutes) * time.Minute)}
}

func changed(c messages.FocusState) messages.FocusChanged {
	return messages.FocusChanged{Desk: "desk", To: c}
}

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, history.New(history.Options{Keep: 24 * time.Hour}), actortest.Address("focushistory/desk"),
		actortest.Start(noon))
	h.Start()
	return h
}

func rows(list ...messages.FocusState) map[string]messages.FocusState {
	m := map[string]messages.FocusState{}
	for _, c := range list {
		m[actors.TimeKey(c.At)] = c
	}
	return m
}

func TestKeepsChanges(t *testing.T) {
	h := spawn(t)
	a, b := change(messages.Focused, 0), change(messages.Away, 5)
	h.Send(changed(a))
	h.CrashBeforeCommit()
	h.Send(changed(b))
	h.Crash()
	actortest.WantRows(h, history.Changes, rows(a, b))
}

func TestForgetsWhatIsOld(t *testing.T) {
	h := spawn(t)
	old, held, kept := change(messages.Focused, 0), change(messages.Away, 5), change(messages.Focused, 300)
	for _, c := range []messages.FocusState{old, held, kept} {
		h.Send(changed(c))
	}
	h.Advance(24 * time.Hour)
	actortest.WantRows(h, history.Changes, rows(old, held, kept))
	h.Advance(time.Hour)
	actortest.WantRows(h, history.Changes, rows(held, kept)) // away held when the kept time began
	h.Advance(24 * time.Hour)
	actortest.WantRows(h, history.Changes, rows(kept))
}

func TestKeepsForEver(t *testing.T) {
	h := actortest.Spawn(t, history.New(history.Options{}), actortest.Address("focushistory/desk"),
		actortest.Start(noon))
	h.Start()
	h.WantNoTimer("trim")
}

func TestRowKeysAreInOrder(t *testing.T) {
	before := actors.TimeKey(time.Unix(-5, 0))
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(1, 1), noon, noon.Add(1), noon.AddDate(100, 0, 0)} {
		if key := actors.TimeKey(at); key <= before {
			t.Errorf("TimeKey(%v) = %s, want it after %s", at, key, before)
		} else {
			before = key
		}
	}
}

func TestSpans(t *testing.T) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	changes := []messages.FocusState{
		change(messages.Focused, -30), change(messages.Away, 10), change(messages.Away, 20),
		change(messages.Drowsy, 20), change(messages.Focused, 40), change(messages.Idle, 90),
	}
	span := func(state messages.Attention, start, end int) history.Span {
		return history.Span{State: state, Start: at(start), End: at(end), Confidence: 0.9, Source: messages.FromRule}
	}
	got := history.Spans(changes, at(0), at(60))
	want := []history.Span{span(messages.Focused, 0, 10), span(messages.Away, 10, 20), span(messages.Drowsy, 20, 40),
		span(messages.Focused, 40, 60)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Spans() = %v, want %v", got, want)
	}
	sums := history.Sums(got)
	wantSums := []history.Sum{
		{State: messages.Focused, Time: 30 * time.Minute, Spans: 2, Long: 20 * time.Minute},
		{State: messages.Drowsy, Time: 20 * time.Minute, Spans: 1, Long: 20 * time.Minute},
		{State: messages.Away, Time: 10 * time.Minute, Spans: 1, Long: 10 * time.Minute},
	}
	if !reflect.DeepEqual(sums, wantSums) {
		t.Errorf("Sums() = %v, want %v", sums, wantSums)
	}
	if got := history.Spans(nil, at(0), at(60)); got != nil {
		t.Errorf("Spans(nothing) = %v, want none", got)
	}
	if got := history.Spans(changes, at(60), at(60)); got != nil {
		t.Errorf("Spans(no time) = %v, want none", got)
	}
	same := history.Spans([]messages.FocusState{change(messages.Focused, 0), change(messages.Focused, 10)}, at(0),
		at(20))
	if want := []history.Span{span(messages.Focused, 0, 20)}; !reflect.DeepEqual(same, want) {
		t.Errorf("Spans(the same twice) = %v, want %v", same, want)
	}
	hours := history.Hours(got, at(0), at(60))
	if len(hours) != 1 || hours[0].Time[messages.Focused] != 30*time.Minute {
		t.Errorf("Hours() = %v, want one with 30 minutes of focus", hours)
	}
}

// The sums of a day are as long as the day, also when clocks change.
func TestDays(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now   time.Time
		hours int
	}{
		{time.Date(2026, 1, 1, 23, 59, 0, 0, time.UTC), 24},
		{time.Date(2026, 3, 29, 12, 0, 0, 0, berlin), 23},
		{time.Date(2026, 10, 25, 0, 0, 0, 0, berlin), 25},
		{time.Date(2026, 5, 5, 5, 0, 0, 0, tokyo), 24},
	} {
		from, to := history.Day(c.now)
		spans := history.Spans([]messages.FocusState{{State: messages.Focused, At: from.Add(-time.Hour)}}, from, to)
		sums := history.Sums(spans)
		if to.Sub(from) != time.Duration(c.hours)*time.Hour || len(sums) != 1 || sums[0].Time != to.Sub(from) {
			t.Errorf("Day(%v) = %v to %v with sums %v, want %d hours", c.now, from, to, sums, c.hours)
		}
		total := time.Duration(0)
		hours := history.Hours(spans, from, to)
		for _, h := range hours {
			total += h.Time[messages.Focused]
		}
		if total != to.Sub(from) || len(hours) != c.hours {
			t.Errorf("Hours(%v) = %d hours of %v in all, want %d", c.now, len(hours), total, c.hours)
		}
	}
}
