package config

import (
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/ocr"
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
}

// OCRRules says what is believed of what is read. A confidence is the engine's
// own.
type OCRRules struct {
	ocr.Thresholds `yaml:",inline"`
	fusion.Titles  `yaml:",inline"`
}

func defaultRules() Rules {
	fuse, window := fusion.DefaultRules(), recent.DefaultRules()
	window.Fingerprint, window.MinLine = 0, 0 // the profile's own
	return Rules{
		Capture: poller.DefaultRules(), OCR: OCRRules{ocr.DefaultThresholds(), fuse.Titles}, Fusion: fuse,
		Lines: text.DefaultLines(), Echo: text.DefaultEcho(), Dedup: window, Ledger: ledger.DefaultRules(),
		Ingress: ingress.DefaultRules(), Burst: text.DefaultRepeats(),
	}
}

// The options of the actors. What differs from one window to another is left to
// the caller.

// PollerOptions are how pollers look at their windows.
func (c *Config) PollerOptions() poller.Options {
	o := poller.DefaultOptions()
	o.Rules, o.ReadTime, o.ReadRetries, o.Burst = c.Rules.Capture, c.OCR.Timeout, c.OCR.Retries, c.OCR.Burst
	o.TellResets = c.Profile == ProfileSeed
	return o
}

// StructureOptions are how the rows of a window are counted.
func (r Rules) StructureOptions() structure.Options {
	o := structure.DefaultOptions()
	o.Deadline, o.Backoff = r.Capture.Deadline, r.Capture.Backoff
	return o
}

// OCROptions say how frames are read: by bubbles, or as profile seed reads them.
func (c *Config) OCROptions() ocr.Options {
	o := ocr.Options{Confidence: c.Rules.OCR.Thresholds}
	if c.Profile == ProfileSeed {
		o.Burst, o.WholeFrames = ocr.Longest, true
	}
	return o
}

func (r Rules) echo() text.EchoRules {
	r.Echo.Lines = r.Lines
	return r.Echo
}

// FusionRules are what tells that a window shows something new.
func (r Rules) FusionRules() fusion.Rules {
	f := r.Fusion
	f.Titles, f.Echo, f.Lines = r.OCR.Titles, r.echo(), r.Lines
	return f
}

// DedupOptions are the options of a ledger.
func (c *Config) DedupOptions() dedup.Options {
	o := dedup.DefaultOptions()
	o.Rules, o.Recent = c.Rules.Ledger, c.Rules.Dedup.Of(recent.DefaultRules())
	if c.Profile == ProfileSeed {
		o.Recent = c.Rules.Dedup.Of(recent.SeedRules())
	}
	o.FirstSight, o.Keep, o.Recent.Same = c.Dedup.FirstSight, c.Dedup.Tail, c.Rules.Lines
	return o
}

// IngressRules are the rules of a gate.
func (c *Config) IngressRules() ingress.Rules {
	r := c.Rules.Ingress
	r.Profile, r.Echo = ingress.Profile(c.Profile), c.Rules.echo()
	return r
}

// BurstRules are the rules of a coalescer.
func (c *Config) BurstRules() burst.Rules {
	r := c.Burst
	if c.Profile == ProfileSeed {
		r.Repeats = c.Rules.Burst
	}
	return r
}

// RulesFor are those of a profile with the thresholds of the configuration. The
// guards of the default profile stay off in profile seed.
func (c Focus) RulesFor(profile string) attention.Rules {
	if profile == ProfileSeed {
		return c.Rules.Plain()
	}
	return c.Rules
}
