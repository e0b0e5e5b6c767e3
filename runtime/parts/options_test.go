package parts

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/catchup"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// effective is what the actors of a configuration decide by.
type effective struct {
	Looking  poller.Options
	Counting structure.Options
	Reading  ocr.Options
	Titles   directory.Rules
	Fusion   fusion.Rules
	Dedup    dedup.Options
	Ingress  ingress.Rules
	Joining  burst.Rules
	Sending  outbound.Rules
	CatchUp  catchup.Rules
}

func effectiveOf(c *config.Config) effective {
	looking, counting := pollerOptions(c), structureOptions(c.Rules)
	looking.Interval, counting.Interval = 0, 0 // a window's own
	return effective{
		looking, counting, ocrOptions(c), c.Rules.OCR.Rules, fusionRules(c.Rules), dedupOptions(c),
		ingressRules(c), burstRules(c), c.Rules.Send, c.Rules.CatchUp,
	}
}

// TestEffectiveDefaults: what holds in each profile where nothing is set.
func TestEffectiveDefaults(t *testing.T) {
	lines := text.LineRules{Min: 8, Cover: 84, Similar: 0.88}
	echo := text.EchoRules{MinEqual: 2, MinPart: 6, Contains: 70, Contained: 85, MinLine: 6, MinLines: 2,
		LinesMatch: 60, Lines: lines}
	standard := effective{
		Looking: poller.Options{
			Rules: poller.Rules{
				Deadline: 30 * time.Second, Late: 2, Backoff: 30 * time.Second, Gap: 120 * time.Millisecond, Tries: 5,
			},
			ReadTime: 20 * time.Second, ReadRetries: 1, Burst: 1,
		},
		Counting: structure.Options{Deadline: 30 * time.Second, Backoff: 30 * time.Second},
		Reading:  ocr.Options{Confidence: ocr.Thresholds{Accept: 0.40, Fallback: 0.25}},
		Titles:   directory.Rules{Title: 0.25, TitleNew: 0.40, TitleAlike: 0.60},
		Fusion: fusion.Rules{
			Threshold: 60, Changed: 62, Unchanged: 35, Grew: 70, Shrank: 20, Same: 10, High: 80, Medium: 50,
			EchoWindow: 120 * time.Second, Echo: echo, CursorLines: 4, Lines: lines, Attempts: 3,
			AttemptsWithin: 2 * time.Second,
			Unknown:        5 * time.Second,
		},
		Dedup: dedup.Options{
			Rules: ledger.Rules{
				FirstSight: ledger.Unanswered, FirstAtMost: 5, Keep: 200, Timeout: 2 * time.Second, Tries: 3,
				History: 2000,
			},
			Recent: recent.Rules{Fingerprint: 8 * time.Second, Lines: 75 * time.Second, MinLine: 2, Entries: 240,
				Same: lines, TwicePerView: true},
		},
		Ingress: ingress.Rules{
			ByPlace: true, BySide: true, EchoWindow: 10 * time.Minute, Echo: echo, Sends: 128,
			ShortWindow: 20 * time.Second, ShortMin: 2, ShortMax: 24,
			CommonWindow: 20 * time.Second, CommonMin: 10, CommonMax: 400, Similar: 0.93, Entries: 2000,
		},
		Joining: burst.Rules{
			Quiet: 1500 * time.Millisecond, Cap: 7500 * time.Millisecond, Parts: 36,
		},
		Sending: outbound.Rules{
			Idle: 3 * time.Second, Confirm: 30 * time.Second, Timeout: 10 * time.Minute,
			Retry: 2 * time.Second, RetryCap: 15 * time.Second, Redraw: 400 * time.Millisecond, Looks: 3,
			Streak: 3, StreakTime: time.Minute,
		},
		CatchUp: catchup.Rules{Idle: 30 * time.Second, Screens: 200, Hold: 3 * time.Minute, Wait: 12 * time.Hour},
	}
	seed := standard
	seed.Looking.TellResets, seed.Ingress.ByPlace, seed.Ingress.BySide = true, false, false
	seed.Reading.Burst, seed.Reading.WholeFrames = ocr.Longest, true
	seed.Joining.Repeats = text.DefaultRepeats()
	seed.Dedup.Recent = recent.Rules{Fingerprint: 20 * time.Second, Lines: 75 * time.Second, MinLine: 4, Entries: 240,
		Same: lines, NeedsLine: true}
	for profile, want := range map[string]effective{config.ProfileDefault: standard, config.ProfileSeed: seed} {
		c := config.Default()
		c.SetProfile(profile)
		if got := effectiveOf(&c); !reflect.DeepEqual(got, want) {
			t.Errorf("profile %s decides by %+v, want %+v", profile, got, want)
		}
	}
}

// TestRulesReachTheActors: every number of the configuration arrives, each at its
// own place, whatever the profile.
func TestRulesReachTheActors(t *testing.T) {
	lines := text.LineRules{Min: 6, Cover: 80, Similar: 0.8}
	echo := text.EchoRules{MinEqual: 3, MinPart: 7, Contains: 75, Contained: 80, MinLine: 5, MinLines: 3,
		LinesMatch: 50, Lines: lines}
	want := effective{
		Looking: poller.Options{
			Rules: poller.Rules{
				Deadline: 10 * time.Second, Late: 3, Backoff: time.Minute, Gap: 100 * time.Millisecond, Tries: 6,
			},
			ReadTime: 90 * time.Second, ReadRetries: 0, Burst: 3, TellResets: true,
		},
		Counting: structure.Options{Deadline: 10 * time.Second, Backoff: time.Minute},
		Reading: ocr.Options{Confidence: ocr.Thresholds{Accept: 0.5, Fallback: 0.3}, Burst: ocr.Longest,
			WholeFrames: true},
		Titles: directory.Rules{Title: 0.2, TitleNew: 0.6, TitleAlike: 0.7},
		Fusion: fusion.Rules{
			Threshold: 50, Changed: 55, Unchanged: 30, Grew: 60, Shrank: 25, Same: 5, High: 90, Medium: 40,
			EchoWindow: time.Minute, Echo: echo, CursorLines: 5, Lines: lines, Attempts: 2, AttemptsWithin: time.Second,
			Unknown: 20 * time.Second,
		},
		Dedup: dedup.Options{
			Rules: ledger.Rules{
				FirstSight: ledger.None, FirstAtMost: 4, Keep: 20, Timeout: time.Second, Tries: 2, History: 1000,
			},
			Recent: recent.Rules{Fingerprint: 5 * time.Second, Lines: time.Minute, MinLine: 3, Entries: 100,
				Same: lines, NeedsLine: true},
		},
		Ingress: ingress.Rules{
			EchoWindow: 5 * time.Minute, Echo: echo, Sends: 64, ShortWindow: 10 * time.Second,
			ShortMin: 1, ShortMax: 12,
			CommonWindow: 15 * time.Second, CommonMin: 8, CommonMax: 200, Similar: 0.9, Entries: 500,
		},
		Joining: burst.Rules{
			Quiet: 100 * time.Millisecond, Cap: 2 * time.Second, Parts: 2,
			Repeats: text.RepeatRules{Min: 4, Cover: 70, Similar: 0.95},
		},
		Sending: outbound.Rules{
			Idle: 5 * time.Second, Confirm: 20 * time.Second, Timeout: 5 * time.Minute,
			Retry: time.Second, RetryCap: 10 * time.Second, Redraw: 200 * time.Millisecond, Looks: 4,
			Streak: 5, StreakTime: 2 * time.Minute,
		},
		CatchUp: catchup.Rules{Idle: 20 * time.Second, Screens: 50, Hold: time.Minute, Wait: 8 * time.Hour},
	}
	c, err := config.Load(filepath.Join("..", "config", "testdata", "every.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := effectiveOf(&c); !reflect.DeepEqual(got, want) {
		t.Errorf("every decides by %+v, want %+v", got, want)
	}
}

// TestInterviewsGoOnAsTheConfigurationSays: an interview that fell back asks a model again only
// where that is set.
func TestInterviewsGoOnAsTheConfigurationSays(t *testing.T) {
	for set, want := range map[bool]interview.Phase{false: interview.Fallback, true: interview.Enumerate} {
		c := config.Default()
		c.Interviews.Resume = set
		p := &Parts{Config: c, Model: llm.None{}, Prompts: prompt.Default(),
			Called: func(c messages.ConversationID) string { return string(c) }}
		h := actortest.Spawn(t, p.Conversation(), actortest.Address("conversation/c-1"))
		h.Send(messages.InterviewBegins{Project: "p-1", Conversation: "c-1",
			Plan: messages.InterviewPlan{Goal: "mornings", Tone: "casual", MaxTurns: 12, MaxDeep: 2}})
		for i, said := range []messages.Text{"hello", "trains"} {
			h.Send(messages.Say{Conversation: "c-1", Channel: messages.ChannelWeb,
				ID: messages.MessageID(fmt.Sprint(i)), Text: said, At: h.Now()})
			h.Send(messages.OwnerState{})
			if i == 0 {
				h.FailCall(messages.FailureError, "no_model", "none")
			}
		}
		v, _ := actortest.Stored(h, conversation.Interviews, conversation.DeskKey)
		if v.State.Phase != want || !v.State.FallbackMode {
			t.Errorf("interviews.resume %v: the second answer leads to %s, want %s", set, v.State.Phase, want)
		}
	}
}

// The thresholds of the configuration are those of the profiles, and reach the
// rules.
func TestFocusRulesOfTheConfiguration(t *testing.T) {
	c := config.Default()
	for profile, want := range map[string]attention.Rules{
		config.ProfileDefault: attention.DefaultRules(), config.ProfileSeed: attention.DefaultRules().Plain(),
	} {
		c.Profile = profile
		if got := variantOf(&c); got.attention != want || got.literal != (profile == config.ProfileSeed) {
			t.Errorf("variant %s = %+v, want %+v", profile, got, want)
		}
	}
	c.Profile = config.ProfileSeed
	c.Focus.Rules.NoFaceRatio, c.Focus.Rules.CoveredKey = 0.1, time.Second
	want := attention.DefaultRules()
	want.NoFaceRatio, want.CoveredKey = 0.1, time.Second
	if got := variantOf(&c).attention; got != want.Plain() {
		t.Errorf("rules(changed, seed) = %+v, want %+v", got, want.Plain())
	}
	c.Profile = config.ProfileDefault
	if got := variantOf(&c).attention; got != want {
		t.Errorf("rules(changed) = %+v, want %+v", got, want)
	}
}
