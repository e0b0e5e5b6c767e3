package fusion

import (
	"cmp"
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// Rules are the numbers by which a fusion decides, the same in both profiles.
// Start with [DefaultRules]; in [Options] a field that is zero means its.
type Rules struct {
	Threshold int // score from which a frame is passed on, 1 to 100

	// Scores of the signals, 1 to 100.
	Changed, Unchanged int // what is read
	Grew, Shrank, Same int // the rows that are counted

	// Scores from which one is called high or medium.
	High, Medium int

	EchoWindow time.Duration  // how long what was sent is expected back
	Echo       text.EchoRules // how it is known again

	CursorLines int            // lines of a cursor at most
	Lines       text.LineRules // by which a line of a cursor is found again

	// So many readings are asked for within so long when rows came and no text.
	Attempts       int
	AttemptsWithin time.Duration

	// How long a window may not tell whose conversation it shows before that is
	// reported.
	Unknown time.Duration

	// A title that was read with a confidence above zero and below this is
	// unreadable.
	Title float64
	// Below this one it opens no conversation: it must be that of a known one.
	TitleNew float64
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{
		Threshold: 60, Changed: 62, Unchanged: 35, Grew: 70, Shrank: 20, Same: 10, High: 80, Medium: 50,
		EchoWindow: 120 * time.Second, Echo: text.DefaultEcho(), CursorLines: 4, Lines: text.DefaultLines(),
		Attempts: 3, AttemptsWithin: 2 * time.Second, Unknown: 5 * time.Second, Title: 0.25, TitleNew: 0.40,
	}
}

// withDefaults fills in what is zero.
func (r Rules) withDefaults() Rules {
	d := DefaultRules()
	return Rules{
		Threshold: cmp.Or(r.Threshold, d.Threshold), Changed: cmp.Or(r.Changed, d.Changed), Unchanged: cmp.Or(r.Unchanged, d.Unchanged),
		Grew: cmp.Or(r.Grew, d.Grew), Shrank: cmp.Or(r.Shrank, d.Shrank), Same: cmp.Or(r.Same, d.Same),
		High: cmp.Or(r.High, d.High), Medium: cmp.Or(r.Medium, d.Medium),
		EchoWindow: cmp.Or(r.EchoWindow, d.EchoWindow), Echo: cmp.Or(r.Echo, d.Echo),
		CursorLines: cmp.Or(r.CursorLines, d.CursorLines), Lines: cmp.Or(r.Lines, d.Lines),
		Attempts: cmp.Or(r.Attempts, d.Attempts), AttemptsWithin: cmp.Or(r.AttemptsWithin, d.AttemptsWithin),
		Unknown: cmp.Or(r.Unknown, d.Unknown), Title: cmp.Or(r.Title, d.Title),
		TitleNew: cmp.Or(r.TitleNew, d.TitleNew),
	}
}

// Score sums the signals of one poll, at most 100.
func (r Rules) Score(signals ...Signal) int {
	sum := 0
	for _, s := range signals {
		sum += r.scoreOf(s)
	}
	return min(sum, 100)
}

func (r Rules) scoreOf(s Signal) int {
	switch s {
	case TextChanged:
		return r.Changed
	case TextUnchanged:
		return r.Unchanged
	case RowsGrew:
		return r.Grew
	case RowsShrank:
		return r.Shrank
	case RowsSame:
		return r.Same
	}
	return 0
}

// Label returns the label of a score.
func (r Rules) Label(score int) Confidence {
	switch {
	case score >= r.High:
		return High
	case score >= r.Medium:
		return Medium
	}
	return Low
}
