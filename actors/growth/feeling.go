package growth

import (
	"math"
	"regexp"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// feelings are the words that show a feeling, with its place between -1 and 1: how
// pleasant, how excited, how much in control.
var feelings = []struct {
	label                       string
	valence, arousal, dominance float64
	re                          *regexp.Regexp
}{
	{"tired", -0.5, -0.6, -0.3, re(`疲れ|つかれ|眠い|ねむい|くたくた|ヘトヘト|しんどい|(?i)\b(?:tired|exhausted|worn out|sleepy)\b`)},
	{"sad", -0.8, -0.3, -0.5, re(`悲し|かなし|寂し|さみし|泣い|泣き|つらい|辛かった|落ち込|` +
		`(?i)\b(?:sad|lonely|crying|heartbroken|depressed)\b`)},
	{"worried", -0.5, 0.4, -0.5, re(`不安|心配|緊張|焦っ|怖い|こわい|(?i)\b(?:worried|anxious|nervous|scared|afraid)\b`)},
	{"angry", -0.7, 0.7, 0.3, re(`怒っ|ムカつ|むかつ|腹が立|イライラ|許せな|(?i)\b(?:angry|furious|annoyed|fed up)\b`)},
	{"happy", 0.8, 0.5, 0.4, re(`嬉し|うれし|楽し|たのし|最高|幸せ|ワクワク|わくわく|(?i)\b(?:happy|glad|delighted|excited|thrilled)\b`)},
	{"relieved", 0.6, -0.4, 0.3, re(`ほっとし|安心し|よかった|良かった|(?i)\b(?:relieved|thank goodness)\b`)},
	{"calm", 0.4, -0.5, 0.2, re(`のんびり|落ち着い|まったり|(?i)\b(?:calm|relaxed|peaceful)\b`)},
}

// Feel returns the feeling that an event shows; false if it shows none.
func Feel(e messages.Event) (memory.Moment, bool) {
	for _, s := range sentences(string(e.Text)) {
		for _, f := range feelings {
			if f.re.MatchString(s) && !asks(s) {
				return memory.Moment{Event: e.ID, Subject: subject(e), At: e.At, Label: f.label, Valence: f.valence,
					Arousal: f.arousal, Dominance: f.dominance}, true
			}
		}
	}
	return memory.Moment{}, false
}

// How fast a mood follows: the shock of a moment is half gone after shock, the baseline
// follows over weeks.
const (
	shock    = 12 * time.Hour
	baseline = 14 * 24 * time.Hour
)

// Felt is how somebody has been of late, in a word.
type Felt struct {
	Subject messages.Text // "" is our side
	Word    string
}

// Moods says how those have been of late who showed a feeling, in the order of the moments.
func Moods(moments []memory.Moment, now time.Time) (list []Felt) {
	seen := map[messages.Text]bool{}
	for _, m := range moments {
		if seen[m.Subject] {
			continue
		}
		seen[m.Subject] = true
		if word := Mood(moments, m.Subject, now); word != "" {
			list = append(list, Felt{m.Subject, word})
		}
	}
	return list
}

// Mood says in a word how somebody has been of late: the label of the moments that weigh
// most, "" where nothing weighs. A moment counts as a shock that decays and, with less
// weight, for the slow baseline.
func Mood(moments []memory.Moment, whose messages.Text, now time.Time) string {
	weights, best := map[string]float64{}, ""
	for _, m := range moments {
		age := now.Sub(m.At)
		if m.Subject != whose || age < 0 {
			continue
		}
		weights[m.Label] += math.Exp2(-float64(age)/float64(shock)) + 0.25*math.Exp2(-float64(age)/float64(baseline))
	}
	for _, f := range feelings {
		if w := weights[f.label]; w > 0.1 && w > weights[best] {
			best = f.label
		}
	}
	return best
}
