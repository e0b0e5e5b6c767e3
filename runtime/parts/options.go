package parts

import (
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/config"
)

// variant is where the profiles differ. Everything else comes from the configuration and
// is the same in both.
type variant struct {
	fusion    fusion.Strategy // how frames are judged
	attention attention.Rules // without the guards of profile default in profile seed
	literal   bool            // attention takes what it measures as it is

	tellResets bool             // pollers tell fusion about resets
	byPlace    bool             // place and side decide at the gate, text only where they do not
	reading    ocr.Options      // how a burst is read
	recent     recent.Rules     // how much texts seen before count
	repeats    text.RepeatRules // of lines in a burst
}

// variantOf returns the variant of the configured profile.
func variantOf(c *config.Config) variant {
	if c.Profile == config.ProfileSeed {
		return variant{
			fusion: fusion.ByText{}, attention: c.Focus.Rules.Plain(), literal: true, tellResets: true,
			reading: ocr.Options{Burst: ocr.Longest, WholeFrames: true}, recent: recent.SeedRules(),
			repeats: c.Rules.Burst,
		}
	}
	return variant{
		fusion: fusion.ByViews{}, attention: c.Focus.Rules, byPlace: true, recent: recent.DefaultRules(),
	}
}

// pollerOptions says how pollers look at their windows.
func pollerOptions(c *config.Config) poller.Options {
	o := poller.DefaultOptions()
	o.Rules, o.ReadTime, o.ReadRetries, o.Burst = c.Rules.Capture, c.OCR.Timeout, c.OCR.Retries, c.OCR.Burst
	o.TellResets = variantOf(c).tellResets
	return o
}

// structureOptions says how the rows of a window are counted, with the timing of its
// poller.
func structureOptions(r config.Rules) structure.Options {
	return structure.Options{Deadline: r.Capture.Deadline, Backoff: r.Capture.Backoff}
}

// ocrOptions says how frames are read: by bubbles, or as profile seed reads them.
func ocrOptions(c *config.Config) ocr.Options {
	o := variantOf(c).reading
	o.Confidence = c.Rules.OCR.Thresholds
	return o
}

// echoRules recognises lines the way all rules do.
func echoRules(r config.Rules) text.EchoRules {
	r.Echo.Lines = r.Lines
	return r.Echo
}

// fusionRules decides when a window shows something new.
func fusionRules(r config.Rules) fusion.Rules {
	f := r.Fusion
	f.Echo, f.Lines = echoRules(r), r.Lines
	return f
}

// dedupOptions are the options of a ledger.
func dedupOptions(c *config.Config) dedup.Options {
	o := dedup.DefaultOptions()
	o.Rules, o.Recent = c.Rules.Ledger, c.Rules.Dedup.Of(variantOf(c).recent)
	o.FirstSight, o.Keep, o.Recent.Same = c.Dedup.FirstSight, c.Dedup.Tail, c.Rules.Lines
	return o
}

// ingressRules are the rules of a gate.
func ingressRules(c *config.Config) ingress.Rules {
	r := c.Rules.Ingress
	place := variantOf(c).byPlace
	r.ByPlace, r.BySide, r.Echo = place, place, echoRules(c.Rules)
	return r
}

// burstRules are the rules of a coalescer.
func burstRules(c *config.Config) burst.Rules {
	r := c.Burst
	r.Repeats = variantOf(c).repeats
	return r
}
