package config

import (
	"github.com/kehai-run/kehai/actors/catchup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/stall"
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

	// Scrolling windows back to what went by unseen.
	CatchUp catchup.Rules `yaml:"catch_up"`

	// Seeing that replies go out.
	Stall stall.Rules `yaml:"stall"`

	// When a theme of interviews is sure: its confidence is 0.7 times the part of
	// these interviews plus 0.3 times the part of these quotes.
	Insight insight.Rules `yaml:"insight"`
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
		Send: outbound.DefaultRules(), CatchUp: catchup.DefaultRules(), Stall: stall.DefaultRules(),
		Insight: insight.DefaultRules(),
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
	c.tree().Follow("rules", defaultRules(before), defaultRules(c.Profile))
}

// JudgeRules are the rules of judging; those of profile seed have no guards.
func (c *Config) JudgeRules() (judge.Rules, error) {
	r := c.Judge
	r.Plain = c.Profile == ProfileSeed
	return r.Check()
}
