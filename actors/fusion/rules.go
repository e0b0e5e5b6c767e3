package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// Rules are the numbers by which a fusion decides, the same in both profiles.
// Start with [DefaultRules].
type Rules struct {
	// Score from which what a window shows is passed on, 1 to 100, at most changed:
	// the signals of one look are added up. Default 60.
	Threshold int `yaml:"threshold" min:"1" max:"100" atmost:"changed"`

	// Score of another text, 1 to 100. Default 62.
	Changed int `yaml:"changed" min:"1" max:"100"`

	// Score of other pixels with the same text, 1 to 100. Default 35.
	Unchanged int `yaml:"unchanged" min:"1" max:"100"`

	// Score of more rows in the list, 1 to 100. Default 70.
	Grew int `yaml:"grew" min:"1" max:"100"`

	// Score of fewer rows, 1 to 100. Default 20.
	Shrank int `yaml:"shrank" min:"1" max:"100"`

	// Score of as many rows as before, 1 to 100. Default 10.
	Same int `yaml:"same" min:"1" max:"100"`

	// Score that is called high, 1 to 100. Default 80.
	High int `yaml:"high" min:"1" max:"100"`

	// Score that is called medium, 1 to 100, at most high. Default 50.
	Medium int `yaml:"medium" min:"1" max:"100" atmost:"high"`

	// How long what was sent is expected to appear in the window, 1s to 24h.
	// Default 2m.
	EchoWindow time.Duration `yaml:"echo_window" min:"1s" max:"24h"`

	// Last lines of a window by which is found where the new ones begin, if no
	// bubble has a place, 1 to 20. Default 4.
	CursorLines int `yaml:"cursor" min:"1" max:"20"`

	// Readings that are asked for when rows came and no text, 1 to 20. Default 3.
	Attempts int `yaml:"attempts" min:"1" max:"20"`

	// Time for these readings, 100ms to 1m. Default 2s.
	AttemptsWithin time.Duration `yaml:"within" min:"100ms" max:"1m"`

	// How long a window may not tell whose conversation it shows before that is
	// reported, 1s to 24h. Default 5s.
	Unknown time.Duration `yaml:"unknown" min:"1s" max:"24h"`

	// By which what was sent is known again.
	Echo text.EchoRules `yaml:"-"`

	// By which a line of a cursor is found again.
	Lines text.LineRules `yaml:"-"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{
		Threshold: 60, Changed: 62, Unchanged: 35, Grew: 70, Shrank: 20, Same: 10, High: 80, Medium: 50,
		EchoWindow: 120 * time.Second, CursorLines: 4, Attempts: 3, AttemptsWithin: 2 * time.Second,
		Unknown: 5 * time.Second,
		Echo:    text.DefaultEcho(), Lines: text.DefaultLines(),
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
