package config

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/actors/text"
)

// Rules holds the numbers by which messages are told.
type Rules struct {
	// Looking at windows.
	Capture CaptureRules `yaml:"capture"`

	// Believing what is read.
	OCR OCRRules `yaml:"ocr"`

	// Deciding whether a window shows anything new.
	Fusion FusionRules `yaml:"fusion"`

	// When two lines are the same though not equal.
	Lines LineRules `yaml:"lines"`

	// When what is read is what was sent. Lengths are characters without spaces.
	Echo EchoRules `yaml:"echo"`

	// Texts that were seen a moment ago in the same conversation, and whose place
	// does not tell that they are new.
	Dedup DedupRules `yaml:"dedup"`

	// The known end of each conversation.
	Ledger LedgerRules `yaml:"ledger"`

	// The last gate before a message counts.
	Ingress IngressRules `yaml:"ingress"`

	// Lines that a burst has already, in profile seed. Lengths are characters
	// without spaces and punctuation.
	Burst BurstRules `yaml:"burst"`
}

// CaptureRules holds the times of looking at windows.
type CaptureRules struct {
	// Time after which one look, or one count of rows, is given up, 1s to 5m.
	// Default 30s.
	Deadline Duration `yaml:"deadline" min:"1s" max:"5m"`

	// Looks in a row that were given up, after which the window counts as changed,
	// 1 to 100. Default 2.
	Late int `yaml:"late" min:"1" max:"100"`

	// Longest pause while looks fail, 1s to 1h; it begins with poll and doubles.
	// Default 30s.
	Backoff Duration `yaml:"backoff" min:"1s" max:"1h"`

	// Time between the captures of ocr.burst, 10ms to 1s, and not more than poll.
	// Default 120ms.
	Gap Duration `yaml:"gap" min:"10ms" max:"1s"`

	// Calls in a row that fail on one capture before it is given up, 1 to 100.
	// Default 5.
	Tries int `yaml:"tries" min:"1" max:"100"`
}

// OCRRules says what is believed of what is read. A confidence is the
// engine's own.
type OCRRules struct {
	// Confidence from which a line is believed, 0.01 to 1. Default 0.4.
	Accept float64 `yaml:"accept" min:"0.01" max:"1"`

	// Confidence from which a line is taken where no better reading of it exists,
	// 0.01 to 1, at most accept. Default 0.25.
	Fallback float64 `yaml:"fallback" min:"0.01" max:"1"`

	// Confidence below which the title of a window is unreadable, 0.01 to 1.
	// Default 0.25.
	Title float64 `yaml:"title" min:"0.01" max:"1"`

	// Confidence below which a title must be that of a known conversation, 0.01 to
	// 1, at least title. Default 0.4.
	TitleNew float64 `yaml:"title_new" min:"0.01" max:"1"`
}

// FusionRules says when a window shows anything new.
type FusionRules struct {
	// Score from which what a window shows is passed on, 1 to 100, at most changed:
	// the signals of one look are added up. Default 60.
	Threshold int `yaml:"threshold" min:"1" max:"100"`

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
	Medium int `yaml:"medium" min:"1" max:"100"`

	// How long what was sent is expected to appear in the window, 1s to 24h.
	// Default 2m.
	EchoWindow Duration `yaml:"echo_window" min:"1s" max:"24h"`

	// Last lines of a window by which is found where the new ones begin, if no
	// bubble has a place, 1 to 20. Default 4.
	Cursor int `yaml:"cursor" min:"1" max:"20"`

	// Readings that are asked for when rows came and no text, 1 to 20. Default 3.
	Attempts int `yaml:"attempts" min:"1" max:"20"`

	// Time for these readings, 100ms to 1m. Default 2s.
	Within Duration `yaml:"within" min:"100ms" max:"1m"`

	// How long a window may not tell whose conversation it shows before that is
	// reported, 1s to 24h. Default 5s.
	Unknown Duration `yaml:"unknown" min:"1s" max:"24h"`
}

// LineRules says when two lines are the same though not equal.
type LineRules struct {
	// Shortest line in characters that need not be equal, 3 to 1000. Default 8.
	Min int `yaml:"min" min:"3" max:"1000"`

	// Percent of the longer line that a contained one covers, 1 to 100. Default 84.
	Cover int `yaml:"cover" min:"1" max:"100"`

	// Or similarity by groups of three characters, 0.01 to 1. Default 0.88.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`
}

// EchoRules says when what is read is what was sent.
type EchoRules struct {
	// Shortest text that is an echo if it is equal, 1 to 1000. Default 2.
	Equal int `yaml:"equal" min:"1" max:"1000"`

	// Shortest text that is one inside the other, 1 to 1000. Default 6.
	Part int `yaml:"part" min:"1" max:"1000"`

	// Percent of what is read that was sent, if it stands in it, 1 to 100. Default
	// 70.
	Contains int `yaml:"contains" min:"1" max:"100"`

	// Percent of what was sent that is read, if it stands in it, 1 to 100. Default
	// 85.
	Contained int `yaml:"contained" min:"1" max:"100"`

	// Shortest line that counts where lines are compared, 1 to 1000. Default 6.
	Line int `yaml:"line" min:"1" max:"1000"`

	// Fewest such lines, 1 to 100. Default 2.
	Lines int `yaml:"lines" min:"1" max:"100"`

	// Percent of them that are the same or stand in what was sent, 1 to 100.
	// Default 60.
	Match int `yaml:"match" min:"1" max:"100"`
}

// DedupRules says which texts were seen a moment ago.
type DedupRules struct {
	// How long an equal text is the same one, 0s to 24h; 0s is the profile's own
	// number, 8s, in profile seed 20s. Default 0s.
	Fingerprint Duration `yaml:"fingerprint" min:"0s" max:"24h"`

	// How long a text is the same one whose lines were all seen, 1s to 24h. Default
	// 1m15s.
	Lines Duration `yaml:"lines" min:"1s" max:"24h"`

	// Shortest line in characters that counts, 0 to 1000; 0 is the profile's own
	// number, 2, in profile seed 4. Default 0.
	MinLine int `yaml:"min_line" min:"0" max:"1000"`

	// Lines and texts of each conversation that are remembered, 1 to 10000. Default
	// 240.
	Entries int `yaml:"entries" min:"1" max:"10000"`
}

// LedgerRules is about the known end of each conversation; see also the
// section dedup of [Config].
type LedgerRules struct {
	// Messages of a conversation never seen before that count as new at most, where
	// dedup.first_sight is unanswered, 1 to 100. Default 5.
	FirstAtMost int `yaml:"first_at_most" min:"1" max:"100"`

	// How long a message may stay unreadable, or without a side, before it is
	// passed on so, 1ms to 1m. Default 2s.
	Patience Duration `yaml:"patience" min:"1ms" max:"1m"`

	// Or until it was seen so often, 1 to 100. Default 3.
	Tries int `yaml:"tries" min:"1" max:"100"`

	// Messages that are kept while somebody scrolls back, 20 to 20000. Default 2000.
	History int `yaml:"history" min:"20" max:"20000"`
}

// IngressRules is about the last gate before a message counts.
type IngressRules struct {
	// How long what was sent is not a message, 1s to 24h. Default 10m.
	EchoWindow Duration `yaml:"echo_window" min:"1s" max:"24h"`

	// Texts sent into each conversation that are remembered, 1 to 1000. Default 128.
	Sends int `yaml:"sends" min:"1" max:"1000"`

	// How long an equal short text of one line is the same one, 1ms to 24h. Default
	// 20s.
	Short Duration `yaml:"short" min:"1ms" max:"24h"`

	// Shortest of these texts, in characters without spaces and punctuation, 1 to
	// 1000. Default 2.
	ShortMin int `yaml:"short_min" min:"1" max:"1000"`

	// Longest of them, 1 to 1000, at least short_min. Default 24.
	ShortMax int `yaml:"short_max" min:"1" max:"1000"`

	// How long any text that is equal or similar is the same one, 1ms to 24h.
	// Default 20s.
	Common Duration `yaml:"common" min:"1ms" max:"24h"`

	// Shortest of these texts, in characters without spaces and punctuation, 3 to
	// 1000. Default 10.
	CommonMin int `yaml:"common_min" min:"3" max:"1000"`

	// Longest that is compared for similarity, 3 to 4000, at least common_min.
	// Default 400.
	CommonMax int `yaml:"common_max" min:"3" max:"4000"`

	// Similarity by groups of three characters, 0.01 to 1. Default 0.93.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`

	// Texts of each conversation that are remembered, 1 to 2000. Default 2000.
	Entries int `yaml:"entries" min:"1" max:"2000"`
}

// BurstRules says which lines of a burst are not repeated.
type BurstRules struct {
	// Shortest line that is the same as one it stands in, or that stands in it, 1 to
	// 1000. Default 6.
	Min int `yaml:"min" min:"1" max:"1000"`

	// Percent of the longer line that the shorter covers, 1 to 100. Default 82.
	Cover int `yaml:"cover" min:"1" max:"100"`

	// Or similarity by groups of three characters, 0.01 to 1. Default 0.9.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`
}

// defaultRules takes the numbers from those who use them.
func defaultRules() Rules {
	look, belief, fuse := poller.Options{}.WithDefaults(), ocr.DefaultThresholds(), fusion.DefaultRules()
	window, ledger, gate := recent.DefaultRules(), dedup.DefaultRules(), ingress.Options{}.WithDefaults()
	return Rules{
		Capture: CaptureRules{
			Deadline: Duration(look.Deadline), Late: look.Late, Backoff: Duration(look.MaxBackoff), Gap: Duration(look.Gap), Tries: look.Tries,
		},
		OCR: OCRRules{Accept: belief.Accept, Fallback: belief.Fallback, Title: fuse.Title, TitleNew: fuse.TitleNew},
		Fusion: FusionRules{
			Threshold: fuse.Threshold, Changed: fuse.Changed, Unchanged: fuse.Unchanged, Grew: fuse.Grew, Shrank: fuse.Shrank, Same: fuse.Same,
			High: fuse.High, Medium: fuse.Medium, EchoWindow: Duration(fuse.EchoWindow), Cursor: fuse.CursorLines,
			Attempts: fuse.Attempts, Within: Duration(fuse.AttemptsWithin), Unknown: Duration(fuse.Unknown),
		},
		Lines: LineRules(text.DefaultLines()),
		Echo: EchoRules{
			Equal: fuse.Echo.MinEqual, Part: fuse.Echo.MinPart, Contains: fuse.Echo.Contains, Contained: fuse.Echo.Contained,
			Line: fuse.Echo.MinLine, Lines: fuse.Echo.MinLines, Match: fuse.Echo.LinesMatch,
		},
		// What the profiles have a number of their own for stays zero.
		Dedup: DedupRules{Lines: Duration(window.Lines), Entries: window.Entries},
		Ledger: LedgerRules{
			FirstAtMost: ledger.FirstAtMost, Patience: Duration(ledger.Timeout), Tries: ledger.Tries, History: ledger.History,
		},
		Ingress: IngressRules{
			EchoWindow: Duration(gate.EchoWindow), Sends: gate.Sends, Short: Duration(gate.ShortWindow), ShortMin: gate.ShortMin, ShortMax: gate.ShortMax,
			Common: Duration(gate.CommonWindow), CommonMin: gate.CommonMin, CommonMax: gate.CommonMax, Similar: gate.Similar, Entries: gate.Entries,
		},
		Burst: BurstRules(text.DefaultRepeats()),
	}
}

// checkRules checks the numbers that must agree with each other.
func (c *Config) checkRules(p *problems) {
	r := &c.Rules
	c.checkOrder(p, "rules.ocr.fallback", "rules.ocr.accept", r.OCR.Fallback <= r.OCR.Accept)
	c.checkOrder(p, "rules.ocr.title", "rules.ocr.title_new", r.OCR.Title <= r.OCR.TitleNew)
	c.checkOrder(p, "rules.fusion.threshold", "rules.fusion.changed", r.Fusion.Threshold <= r.Fusion.Changed)
	c.checkOrder(p, "rules.fusion.medium", "rules.fusion.high", r.Fusion.Medium <= r.Fusion.High)
	c.checkOrder(p, "rules.ingress.short_min", "rules.ingress.short_max", r.Ingress.ShortMin <= r.Ingress.ShortMax)
	c.checkOrder(p, "rules.ingress.common_min", "rules.ingress.common_max", r.Ingress.CommonMin <= r.Ingress.CommonMax)
}

// checkOrder complains about the value of two that somebody set where they are
// not in order.
func (c *Config) checkOrder(p *problems, low, high string, ok bool) {
	if ok {
		return
	}
	text := map[string]string{}
	for _, f := range c.fields() {
		text[f.key] = f.text()
	}
	if c.originOf(high) == (origin{}) {
		p.add(c, low, fmt.Sprintf("%s: want at most %s, which is %s", text[low], high, text[high]))
		return
	}
	p.add(c, high, fmt.Sprintf("%s: want at least %s, which is %s", text[high], low, text[low]))
}

// PollerOptions are how pollers look at their windows.
func (c *Config) PollerOptions() poller.Options {
	r := c.Rules.Capture
	return poller.Options{
		Deadline: time.Duration(r.Deadline), Late: r.Late, MaxBackoff: time.Duration(r.Backoff), Gap: time.Duration(r.Gap), Tries: r.Tries,
		ReadTime: time.Duration(c.OCR.Timeout), ReadRetries: cmp.Or(c.OCR.Retries, -1), Burst: c.OCR.Burst, // to a poller 0 is 1
		TellResets: c.Profile == ProfileSeed,
	}
}

// StructureOptions are how the rows of a window are counted.
func (r Rules) StructureOptions() structure.Options {
	return structure.Options{Deadline: time.Duration(r.Capture.Deadline), MaxBackoff: time.Duration(r.Capture.Backoff)}
}

// OCROptions say how frames are read: by bubbles, or as profile seed reads them.
func (c *Config) OCROptions() ocr.Options {
	o := ocr.Options{Confidence: ocr.Thresholds{Accept: c.Rules.OCR.Accept, Fallback: c.Rules.OCR.Fallback}}
	if c.Profile == ProfileSeed {
		o.Burst, o.WholeFrames = ocr.Longest, true
	}
	return o
}

func (r Rules) lines() text.LineRules { return text.LineRules(r.Lines) }

func (r Rules) echo() text.EchoRules {
	e := r.Echo
	return text.EchoRules{
		MinEqual: e.Equal, MinPart: e.Part, Contains: e.Contains, Contained: e.Contained,
		MinLine: e.Line, MinLines: e.Lines, LinesMatch: e.Match, Lines: r.lines(),
	}
}

// FusionRules are what tells that a window shows something new.
func (r Rules) FusionRules() fusion.Rules {
	f := r.Fusion
	return fusion.Rules{
		Threshold: f.Threshold, Changed: f.Changed, Unchanged: f.Unchanged, Grew: f.Grew, Shrank: f.Shrank, Same: f.Same, High: f.High, Medium: f.Medium,
		EchoWindow: time.Duration(f.EchoWindow), Echo: r.echo(), CursorLines: f.Cursor, Lines: r.lines(),
		Attempts: f.Attempts, AttemptsWithin: time.Duration(f.Within), Unknown: time.Duration(f.Unknown), Title: r.OCR.Title, TitleNew: r.OCR.TitleNew,
	}
}

// DedupOptions are the options of a ledger.
func (c *Config) DedupOptions() dedup.Options {
	r := c.Rules
	profile := recent.DefaultRules()
	if c.Profile == ProfileSeed {
		profile = recent.SeedRules()
	}
	return dedup.Options{
		FirstSight: ledger.FirstSight(c.Dedup.FirstSight), Keep: c.Dedup.Tail,
		FirstAtMost: r.Ledger.FirstAtMost, Patience: time.Duration(r.Ledger.Patience), Tries: r.Ledger.Tries, History: r.Ledger.History,
		Recent: recent.Rules{
			Fingerprint: time.Duration(r.Dedup.Fingerprint), Lines: time.Duration(r.Dedup.Lines),
			MinLine: r.Dedup.MinLine, Entries: r.Dedup.Entries, Same: r.lines(),
		}.Or(profile),
	}
}

// IngressOptions are the options of a gate.
func (c *Config) IngressOptions() ingress.Options {
	r := c.Rules.Ingress
	return ingress.Options{
		Profile: ingress.Profile(c.Profile), EchoWindow: time.Duration(r.EchoWindow), Echo: c.Rules.echo(), Sends: r.Sends,
		ShortWindow: time.Duration(r.Short), ShortMin: r.ShortMin, ShortMax: r.ShortMax,
		CommonWindow: time.Duration(r.Common), CommonMin: r.CommonMin, CommonMax: r.CommonMax, Similar: r.Similar, Entries: r.Entries,
	}
}

// BurstOptions are the options of a coalescer.
func (c *Config) BurstOptions() burst.Options {
	o := burst.Options{Quiet: time.Duration(c.Burst.Quiet), Cap: time.Duration(c.Burst.Cap), Parts: c.Burst.Parts}
	if c.Profile == ProfileSeed {
		o.Repeats = text.LineRules(c.Rules.Burst)
	}
	return o
}

// RulesFor are those of a profile with the thresholds of the configuration. The
// guards of the default profile stay off in profile seed.
func (c Focus) RulesFor(profile string) focus.Rules {
	p := focus.ProfileDefault
	if profile == ProfileSeed {
		p = focus.ProfileSeed
	}
	r, _ := focus.RulesOf(p) // both are known
	own := c.Rules
	r.NoFaceRatio, r.EyesOpen, r.FacingYaw, r.FacingPitch = own.NoFace, own.EyesOpen, own.FacingYaw, own.FacingPitch
	r.IdleAfter, r.TurnedYaw, r.ManySwitches, r.ManyApps = time.Duration(own.Idle), own.Turned, own.Switches, own.Apps
	if p == focus.ProfileDefault {
		r.CoveredKey, r.LongIdle = time.Duration(own.CoveredKey), time.Duration(own.LongIdle)
	}
	return r
}
