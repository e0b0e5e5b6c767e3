// Package describe says in sentences what happened: to a person who asks what
// became of a message, in the log and on the page. Everything else compares
// stages, rules and outcomes, never these words.
//
// No sentence holds anything that was said. What others wrote is shown with a sign in place of what
// [Steers].
package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Verdict describes what a stage decided, and why. A verdict that was stored with its
// sentence, before rules had names, keeps it.
func Verdict(v events.Verdict) string {
	switch {
	case v.Reason != "":
		return v.Reason
	case v.Passed():
		return pass(v.Stage, v.Detail)
	}
	if say, ok := drops[v.Detail.Rule]; ok {
		return say(v)
	}
	return strings.TrimSuffix(fmt.Sprintf("dropped by rule %s: %s", v.Detail.Rule, v.Detail.Note), ": ")
}

// drops has the sentence for each rule that drops.
var drops = map[events.Rule]func(events.Verdict) string{
	events.RuleTyping:      fixed("typing"),
	events.RuleCaptureBusy: fixed("poll skipped: the last capture is still under way"),
	events.RuleReadingBusy: fixed("poll skipped: the last change is still being read"),
	events.RuleCountBusy:   fixed("poll skipped: the last count is still under way"),
	events.RuleUnsettled: func(v events.Verdict) string {
		return fmt.Sprintf("frame given up: fusion did not settle it in %d polls", v.Detail.Count)
	},
	events.RuleBaselineReset: func(v events.Verdict) string {
		return fmt.Sprintf("baseline reset: %d captures in a row missed their deadline", v.Detail.Count)
	},
	events.RuleGivenUp: func(v events.Verdict) string {
		return fmt.Sprintf("frame given up after %d calls: %s", v.Detail.Count, v.Detail.Code)
	},
	events.RuleTriedAgain: func(v events.Verdict) string {
		return fmt.Sprintf("reading failed after %d attempts and is tried again: %s", v.Detail.Count, v.Detail.Code)
	},
	events.RuleUnread:  omitted,
	events.RuleLeftOut: omitted,

	events.RuleUnchanged: func(v events.Verdict) string {
		if v.Detail.Score >= v.Detail.Of {
			return fmt.Sprintf("score %d, but the same content: another reading is waited for", v.Detail.Score)
		}
		return fmt.Sprintf("score %d is below %d: other pixels, the same content", v.Detail.Score, v.Detail.Of)
	},
	events.RuleResized:     fixed("the window has just changed its size, and may not be drawn yet; it is read again"),
	events.RuleTorn:        fixed("torn frame: another title over the same bubbles; it is read again"),
	events.RuleTornHeld:    fixed("torn frame: its bubbles were another conversation's; they were read again"),
	events.RuleUnlisted:    fixed("a conversation that is not listed in read.only"),
	events.RuleUnknown:     fixed("unknown conversation"),
	events.RuleHeldKnown:   fixed("a reading that was held: it is known whose it is"),
	events.RuleHeldTooMany: fixed("a reading whose conversation nobody knows made room for newer ones"),
	events.RuleBare: func(v events.Verdict) string {
		return fmt.Sprintf("%d blocks of text stand in no bubble: nothing shows that they are messages", v.Detail.Count)
	},
	events.RuleUnreadable: fixed("rows came, but nothing new could be read"),
	events.RuleBaseline:   fixed("baseline: the first look at the window; it is read again"),
	events.RuleNoNews:     fixed("no text is new"),
	events.RuleTokens:     fixed("nothing but the application's own words"),
	events.RuleEcho: func(v events.Verdict) string {
		return fmt.Sprintf("echo: %s a text sent %v before", v.Detail.Match, age(v.Detail))
	},

	events.RuleNobody: fixed("no such conversation is known"),

	events.RuleDivided:  fixed("whose this view is was told before the conversation was split; it is read again"),
	events.RuleSameView: fixed("the same view again: nothing in it is new"),
	events.RuleFirstSight: func(v events.Verdict) string {
		return fmt.Sprintf("first sight: %d incoming bubbles are history", v.Detail.Count)
	},
	events.RuleForgotten: func(v events.Verdict) string {
		if v.Stage == events.StageDeliver {
			return "it is about a conversation that is being forgotten"
		}
		return "what is visible after the transcript was deleted is history"
	},
	events.RuleGap: func(v events.Verdict) string {
		return fmt.Sprintf("gap: %d incoming bubbles stand before %s", v.Detail.Count, border(v.Detail.Match))
	},
	events.RuleScrolled: fixed("scrolled to an unknown part of the transcript"),
	events.RuleCutOff: func(v events.Verdict) string {
		return fmt.Sprintf("%d bubbles in one view: the upper %d are left out", v.Detail.Of, v.Detail.Count)
	},
	events.RuleAfterKnown:  fixed("an unknown bubble stands after known ones while scrolled back"),
	events.RuleBeyondReach: fixed("scrolled back further than the ledger reaches"),
	events.RuleOlder:       fixed("scrolled back: an older bubble is history"),
	events.RuleBack: func(v events.Verdict) string {
		return "scrolled back to read what went by unseen: " + string(v.Detail.Match)
	},
	events.RulePaused: func(v events.Verdict) string {
		return "what went by unseen is read later: " + CatchUp(messages.CatchUpEnd(v.Detail.Code))
	},
	events.RuleStopped: func(v events.Verdict) string {
		return fmt.Sprintf("scrolled back over %d screens: %s", v.Detail.Count,
			CatchUp(messages.CatchUpEnd(v.Detail.Code)))
	},
	events.RuleBetween:        fixed("an unknown bubble stands between known ones"),
	events.RuleNoPlace:        fixed("no place left between known bubbles"),
	events.RuleReadsDifferent: fixed("a known bubble reads differently: edited, or misread"),
	events.RuleTakenBack:      fixed("a known bubble is gone: it was taken back"),
	events.RuleSide:           fixed("a bubble whose side stayed unknown"),
	events.RuleFingerprint: func(v events.Verdict) string {
		return fmt.Sprintf("fingerprint: equal to a text seen %v before", age(v.Detail))
	},
	events.RuleLineMemory: func(v events.Verdict) string {
		if v.Detail.Count == 0 {
			return "line memory: it has no line that is long enough to be new"
		}
		return fmt.Sprintf("line memory: all %d lines were seen, the newest %v before", v.Detail.Count, age(v.Detail))
	},

	events.RulePutOff: func(v events.Verdict) string {
		return fmt.Sprintf("attempt %d to type a reply was put off: %s", v.Detail.Count,
			NotSent(messages.SendReason(v.Detail.Code)))
	},
	events.RuleNotConfirmed: func(v events.Verdict) string {
		return fmt.Sprintf("a reply ended as %s: %s", v.Detail.Match, v.Detail.Code)
	},
	events.RuleLateConfirmed: func(v events.Verdict) string {
		return occurrences(v.Detail.Occurrences) + " shows a reply that was given up before"
	},

	events.RuleRepeat: func(v events.Verdict) string {
		switch v.Stage {
		case events.StageBurst:
			return occurrences(v.Detail.Occurrences) + " was taken before"
		case events.StageConversation:
			return fmt.Sprintf("message %s was delivered before", v.Detail.Message)
		}
		return "repeat: this occurrence was taken before"
	},
	events.RuleShort: func(v events.Verdict) string {
		return fmt.Sprintf("short: %s a text heard %v before", match(v.Detail.Match), age(v.Detail))
	},
	events.RuleCommon: func(v events.Verdict) string {
		return fmt.Sprintf("common: %s a text heard %v before", match(v.Detail.Match), age(v.Detail))
	},
	events.RuleSameLine: func(v events.Verdict) string {
		if v.Detail.Count == 0 {
			return "the burst says the same already"
		}
		return fmt.Sprintf("the burst has %d of its lines already", v.Detail.Count)
	},
	events.RuleNotDelivered: func(v events.Verdict) string {
		return fmt.Sprintf("%s: %s was not delivered, or so long ago that it is not kept", v.Detail.Match,
			occurrences(v.Detail.Occurrences))
	},
	events.RuleSaidAlready: func(v events.Verdict) string {
		return fmt.Sprintf("%s: the message %s says so already", v.Detail.Match, v.Detail.Message)
	},
	events.RuleLate: func(events.Verdict) string {
		return "it is about something that has become another meanwhile"
	},

	events.RuleUnavailable: func(v events.Verdict) string {
		what := "the computer's use cannot be read"
		if v.Stage == events.StageNotifier {
			what = "the desktop does not show notices"
		}
		return fmt.Sprintf("%s (%s): %s", what, v.Detail.Code, v.Detail.Note)
	},
	events.RuleNoFace:        note,
	events.RuleTimeBack:      fixed("the tracker's time went back"),
	events.RuleTooLate:       fixed("a notice is too late: the state must last anew"),
	events.RuleNoAsker:       fixed("a question of nobody: only actors can be answered"),
	events.RuleNotAsked:      fixed("an answer that nobody waits for"),
	events.RuleNotCalled:     fixed("a failed call that nobody made"),
	events.RuleNextJudgement: fixed("the language model answered after the next judgement"),
	events.RuleBadAnswer:     note,

	events.RuleNoActor: func(v events.Verdict) string {
		return fmt.Sprintf("no actor kind %q in this runtime; durable mail waits in the store", v.Actor.Kind())
	},
	events.RuleNewerType: fixed("a message of a type that this program does not know waits, with all behind it: " +
		"upgrade Kehai here"),
	events.RuleNoWorker: func(v events.Verdict) string {
		return fmt.Sprintf("no workers of kind %q in this runtime; whoever asked is told", v.Actor.Kind())
	},
}

func fixed(s string) func(events.Verdict) string { return func(events.Verdict) string { return s } }

func note(v events.Verdict) string { return v.Detail.Note }

func age(d events.Detail) time.Duration { return d.Age.Round(time.Millisecond) }

func border(what events.Match) string {
	if what == events.BorderOwn {
		return "the last own one"
	}
	return "the newest " + string(what) + " mark"
}

// pass describes what a stage lets pass.
func pass(s events.Stage, d events.Detail) string {
	switch s {
	case events.StageFusion:
		return fmt.Sprintf("the content of window %s has changed: %s", d.Window, scored(d))
	case events.StageDedup:
		return ledger(d)
	case events.StageIngress:
		if d.Rule == events.RulePlace {
			return fmt.Sprintf("a text %s was heard %v before, but its place proves it new",
				match(d.Match)+" it", age(d))
		}
		return "no echo, and no repeat"
	case events.StageBurst:
		return burst(d)
	case events.StageConversation:
		if d.Rule == events.RuleDelivered {
			return fmt.Sprintf("delivered as message %s", d.Message)
		}
		return change(d) + ", published"
	case events.StageOutbound:
		switch d.Rule {
		case events.RuleConfirmed:
			return "a reply was sent: " + occurrences(d.Occurrences)
		case events.RuleQueued:
			return "a reply is to be typed"
		}
	}
	if d.Rule == events.RuleLowered {
		return "left at an older position for too long: turned to the newest one"
	}
	if d.Rule != "" {
		return "passed by rule " + string(d.Rule)
	}
	return "passed"
}

// scored says how sure fusion is, and of what.
func scored(d events.Detail) string {
	text := fmt.Sprintf("score %d", d.Score)
	if d.Confidence != "" {
		text += ", " + d.Confidence
	}
	var parts []string
	for _, s := range d.Signals {
		parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(s.Signal, "_", " "), s.Score))
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, " + ") + ")"
	}
	return text
}

func match(how events.Match) string {
	if how == events.MatchSimilar {
		return "like"
	}
	return "equal to"
}

func ledger(d events.Detail) string {
	known := 0
	for _, o := range d.Known {
		if o > 0 {
			known++
		}
	}
	switch d.Rule {
	case events.RuleReleased:
		return fmt.Sprintf("passed on: %s", occurrences(d.Occurrences))
	case events.RuleOwn:
		return fmt.Sprintf("our side wrote: %s", occurrences(d.Occurrences))
	case events.RuleAligned:
		if len(d.Occurrences) == 0 {
			return fmt.Sprintf("nothing new: %d of %d bubbles are known", known, len(d.Known))
		}
		return fmt.Sprintf("%d of %d bubbles are known; new: %s", known, len(d.Known), occurrences(d.Occurrences))
	case events.RuleFirstSight:
		return fmt.Sprintf("first sight of the conversation; taken in: %s", occurrences(d.Occurrences))
	case events.RuleForgotten:
		return "first sight after everything was forgotten: all is history"
	case events.RuleScrolled:
		return "an unknown part of the transcript is shown"
	case events.RuleNothing:
		return "no bubble is wholly visible"
	case events.RuleNewText:
		return fmt.Sprintf("a new text: %s", occurrences(d.Occurrences))
	case events.RuleGap:
		return fmt.Sprintf("nothing visible was known: messages may be missing before; new: %s",
			occurrences(d.Occurrences))
	case events.RuleCaughtUp:
		return fmt.Sprintf("what went by unseen was read by scrolling back: %s", occurrences(d.Occurrences))
	case events.RuleEdited, events.RuleUnsent, events.RuleCompleted:
		return change(d)
	}
	return fmt.Sprintf("rule %s: %s", d.Rule, occurrences(d.Occurrences))
}

// change says what became of a message that was passed on.
func change(d events.Detail) string {
	what := "was edited"
	switch d.Rule {
	case events.RuleUnsent:
		what = "was taken back"
	case events.RuleCompleted:
		what = "was read whole"
	}
	return occurrences(d.Occurrences) + " " + what
}

func burst(d events.Detail) string {
	why := "rule " + string(d.Rule)
	switch d.Rule {
	case events.RuleJoined:
		return fmt.Sprintf("waits for others to join: %s", occurrences(d.Occurrences))
	case events.RuleQuiet:
		why = "nothing more came"
	case events.RuleCap:
		why = "waited long enough"
	case events.RuleFull:
		why = "as many parts as may be"
	case events.RuleChanged:
		why = "one of it was changed"
	case events.RuleSender:
		why = "somebody else wrote"
	}
	return fmt.Sprintf("%s: passed on as message %s", why, d.Message)
}

// occurrences names places in a transcript.
func occurrences(list []messages.Occurrence) string {
	switch len(list) {
	case 0:
		return "none"
	case 1:
		return fmt.Sprintf("occurrence %d", list[0])
	}
	if n := len(list); int(list[n-1]-list[0]) == n-1 {
		return fmt.Sprintf("occurrences %d to %d", list[0], list[n-1])
	}
	return fmt.Sprintf("occurrences %v", list)
}
