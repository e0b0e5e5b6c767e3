package fusion

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// TestTruthTable: which signals of one poll pass together.
func TestTruthTable(t *testing.T) {
	const none = Signal(0)
	for _, c := range []struct {
		structure, pixel Signal
		score            int
		passes           bool
		label            Confidence
	}{
		{none, none, 0, false, Low},
		{RowsSame, none, 10, false, Low},
		{RowsShrank, none, 20, false, Low},
		{RowsGrew, none, 70, true, Medium},
		{none, TextUnchanged, 35, false, Low},
		{RowsSame, TextUnchanged, 45, false, Low},
		{RowsShrank, TextUnchanged, 55, false, Medium},
		{RowsGrew, TextUnchanged, 100, true, High},
		{none, TextChanged, 62, true, Medium},
		{RowsSame, TextChanged, 72, true, Medium},
		{RowsShrank, TextChanged, 82, true, High},
		{RowsGrew, TextChanged, 100, true, High},
	} {
		got := standard.Score(c.structure, c.pixel)
		if got != c.score || (got >= standard.Threshold) != c.passes || standard.Label(got) != c.label {
			t.Errorf("Score(%d, %d) = %d, passes %v, %s, want %d, %v, %s", c.structure, c.pixel, got,
				got >= standard.Threshold, standard.Label(got), c.score, c.passes, c.label)
		}
	}
}

func TestLabel(t *testing.T) {
	for score, want := range map[int]Confidence{0: Low, 49: Low, 50: Medium, 79: Medium, 80: High, 100: High} {
		if got := standard.Label(score); got != want {
			t.Errorf("Label(%d) = %s, want %s", score, got, want)
		}
	}
}

func TestRows(t *testing.T) {
	for delta, want := range map[int]Signal{-40: RowsShrank, -1: RowsShrank, 0: RowsSame, 1: RowsGrew, 40: RowsGrew} {
		if got := Rows(delta); got != want {
			t.Errorf("Rows(%d) = %d, want %d", delta, got, want)
		}
	}
}

func TestJoins(t *testing.T) {
	frame := Evidence{TextChanged, "line:Hana", noon}
	for _, c := range []struct {
		conversation messages.ConversationID
		apart        time.Duration
		want         bool
	}{
		{"line:Hana", 0, true},
		{"line:Hana", time.Second - 1, true},
		{"line:Hana", -time.Second + 1, true},
		{"line:Hana", time.Second, false},
		{"line:Hana", -time.Second, false},
		{"line:Ken", 0, false},
		{"", 0, false},
	} {
		rows := Evidence{RowsGrew, c.conversation, noon.Add(c.apart)}
		if got := rows.Joins(frame, time.Second); got != c.want {
			t.Errorf("%v of %q joins = %v, want %v", c.apart, c.conversation, got, c.want)
		}
	}
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestDelta(t *testing.T) {
	for _, c := range []struct {
		before, lines []string
		known         bool
		want          []string
	}{
		{nil, []string{"a", "b"}, false, []string{"a", "b"}},
		{[]string{"a"}, []string{"a", "b"}, false, []string{"b"}},
		{[]string{"a", "b"}, []string{"b", "c", "b", "c"}, true, []string{"c", "c"}},
		{[]string{"a", "b"}, []string{"b", "a"}, false, []string{"b", "a"}}, // drift
		{[]string{"a", "b"}, []string{"b", "a"}, true, nil},
		{[]string{"a", "b"}, nil, false, nil},
		{[]string{"ab"}, []string{"a", "b"}, true, []string{"a", "b"}},
	} {
		if got := Delta(c.before, c.lines, c.known); !slices.Equal(got, c.want) {
			t.Errorf("Delta(%q, %q, %v) = %q, want %q", c.before, c.lines, c.known, got, c.want)
		}
	}
}
