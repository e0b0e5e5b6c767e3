package config

import (
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/actors/text"
)

// Rules holds the numbers by which messages are told. Each is declared once, by
// the actor that uses it.
type Rules struct {
	// Looking at windows.
	Capture poller.Rules `yaml:"capture"`

	// Believing what is read.
	OCR OCRRules `yaml:"ocr"`

	// Deciding whether a window shows anything new.
	Fusion fusion.Rules `yaml:"fusion"`

	// When two lines are the same though not equal.
	Lines text.LineRules `yaml:"lines"`

	// When what is read is what was sent. Lengths are characters without spaces.
	Echo text.EchoRules `yaml:"echo"`

	// Texts that were seen a moment ago in the same conversation, and whose place
	// does not tell that they are new.
	Dedup recent.Rules `yaml:"dedup"`

	// The known end of each conversation.
	Ledger ledger.Rules `yaml:"ledger"`

	// The last gate before a message counts.
	Ingress ingress.Rules `yaml:"ingress"`

	// Lines that a burst has already, in profile seed. Lengths are characters
	// without spaces and punctuation.
	Burst text.RepeatRules `yaml:"burst"`

	// Typing replies into windows.
	Send outbound.Rules `yaml:"send"`
}

// OCRRules says what is believed of what is read. A confidence is the engine's
// own.
type OCRRules struct {
	ocr.Thresholds  `yaml:",inline"`
	directory.Rules `yaml:",inline"`
}

// defaultRules are the numbers of a profile.
func defaultRules(profile string) Rules {
	window := recent.DefaultRules()
	if profile == ProfileSeed {
		window = recent.SeedRules()
	}
	return Rules{
		Capture: poller.DefaultRules(), OCR: OCRRules{ocr.DefaultThresholds(), directory.DefaultRules()},
		Fusion: fusion.DefaultRules(),
		Lines:  text.DefaultLines(), Echo: text.DefaultEcho(), Dedup: window, Ledger: ledger.DefaultRules(),
		Ingress: ingress.DefaultRules(), Burst: text.DefaultRepeats(),
		Send: outbound.DefaultRules(),
	}
}

// SetProfile chooses a profile. A number that it has another default for follows, unless
// somebody has set it.
func (c *Config) SetProfile(profile string) {
	before := c.Profile
	c.Profile = profile
	c.follow(before)
}

// follow gives the numbers that still are the defaults of another profile those of
// the present one.
func (c *Config) follow(before string) {
	old, now := root(defaultRules(before)).values(), root(defaultRules(c.Profile)).values()
	for i, f := range root(&c.Rules).values() {
		if !c.IsSet("rules."+f.key) && f.text() == old[i].text() {
			f.value.Set(now[i].value)
		}
	}
}

// Variant is where the profiles differ. All else is the configuration's, the same in
// both.
type Variant struct {
	Fusion    fusion.Strategy // how frames are judged
	Attention attention.Rules // without the guards of profile default in profile seed
	Literal   bool            // attention takes what it measures as it is

	tellResets bool             // pollers tell fusion of them
	byPlace    bool             // place and side decide at the gate, text where they are silent
	reading    ocr.Options      // by which a burst is decided, and of what
	recent     recent.Rules     // what texts that were seen before count for
	repeats    text.RepeatRules // of lines in a burst
}

// Variant is that of the configured profile.
func (c *Config) Variant() Variant {
	if c.Profile == ProfileSeed {
		return Variant{
			Fusion: fusion.ByText{}, Attention: c.Focus.Rules.Plain(), Literal: true, tellResets: true,
			reading: ocr.Options{Burst: ocr.Longest, WholeFrames: true}, recent: recent.SeedRules(),
			repeats: c.Rules.Burst,
		}
	}
	return Variant{
		Fusion: fusion.ByViews{}, Attention: c.Focus.Rules, byPlace: true, recent: recent.DefaultRules(),
	}
}

// The options of the actors. What differs from one window to another is left to
// the caller.

// PollerOptions are how pollers look at their windows.
func (c *Config) PollerOptions() poller.Options {
	o := poller.DefaultOptions()
	o.Rules, o.ReadTime, o.ReadRetries, o.Burst = c.Rules.Capture, c.OCR.Timeout, c.OCR.Retries, c.OCR.Burst
	o.TellResets = c.Variant().tellResets
	return o
}

// StructureOptions are how the rows of a window are counted: as it is looked at.
func (r Rules) StructureOptions() structure.Options {
	return structure.Options{Deadline: r.Capture.Deadline, Backoff: r.Capture.Backoff}
}

// OCROptions say how frames are read: by bubbles, or as profile seed reads them.
func (c *Config) OCROptions() ocr.Options {
	o := c.Variant().reading
	o.Confidence = c.Rules.OCR.Thresholds
	return o
}

func (r Rules) echo() text.EchoRules {
	r.Echo.Lines = r.Lines
	return r.Echo
}

// FusionRules are what tells that a window shows something new.
func (r Rules) FusionRules() fusion.Rules {
	f := r.Fusion
	f.Echo, f.Lines = r.echo(), r.Lines
	return f
}

// DedupOptions are the options of a ledger.
func (c *Config) DedupOptions() dedup.Options {
	o := dedup.DefaultOptions()
	o.Rules, o.Recent = c.Rules.Ledger, c.Rules.Dedup.Of(c.Variant().recent)
	o.FirstSight, o.Keep, o.Recent.Same = c.Dedup.FirstSight, c.Dedup.Tail, c.Rules.Lines
	return o
}

// IngressRules are the rules of a gate.
func (c *Config) IngressRules() ingress.Rules {
	r := c.Rules.Ingress
	place := c.Variant().byPlace
	r.ByPlace, r.BySide, r.Echo = place, place, c.Rules.echo()
	return r
}

// JudgeRules are the rules of judging; those of profile seed have no guards.
func (c *Config) JudgeRules() (judge.Rules, error) {
	r := c.Judge
	r.Plain = c.Profile == ProfileSeed
	return r.Check()
}

// BurstRules are the rules of a coalescer.
func (c *Config) BurstRules() burst.Rules {
	r := c.Burst
	r.Repeats = c.Variant().repeats
	return r
}
