package interview

import (
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// input is what an event means to the machine.
type input string

const (
	start     input = "start"
	answer    input = "answer"
	ending    input = "ending"
	closing   input = "closing"
	skip      input = "skip"
	stop      input = "stop"
	failed    input = "failed"
	recovered input = "recovered"
)

// Start is the signal that opens an interview.
const Start = "[interview start]"

// Utterances that mean something as a whole. They are compared without white space,
// punctuation and case.
var (
	starts = whole("[インタビュー開始]", Start, "[start interview]", "[start]")
	skips  = whole("[スキップ]", "[skip]", "スキップ", "スキップします", "スキップで", "パス", "パスします", "パスで", "次へ", "次の質問", "次の質問へ",
		"次お願いします", "skip", "skip it", "skip this", "skip this one", "skip please", "pass", "i pass", "next question",
		"next", "next please")
	stops = whole("[終了]", "[stop]", "やめます", "やめたい", "やめる", "中止", "中止して", "インタビューを終わります", "インタビュー終了",
		"もうやめたい", "stop", "stop it", "stop the interview", "quit", "i want to stop", "end the interview", "cancel")

	// closings end an enumeration. They may begin with an opener and end with a
	// closer.
	closings = whole("以上", "それだけ", "これだけ", "それくらい", "それぐらい", "これくらい", "そのくらい", "終わり", "おわり", "おしまい",
		"終了", "ない", "無い", "なし", "無し", "ありません", "思いつかない", "思いつきません", "浮かばない", "浮かびません",
		"that's all", "thats all", "that is all", "that's it", "thats it", "that is it", "that's everything",
		"nothing else",
		"nothing more", "nothing", "done", "i'm done", "im done", "i am done", "finished", "no", "nope",
		"no more", "none",
		"not really", "that would be all", "that'll be all", "that'd be all", "can't think of anything else",
		"i can't think of anything else", "i can't think of any", "no that's all", "no that's it")
	openers = compactAll("特に", "もう", "他には", "他に", "ほかには", "ほかに", "あとは", "あと", "はい", "うん", "いえ", "いいえ", "いや",
		"ううん", "えっと",
		"うーん", "まあ", "とりあえず", "今のところ", "今は", "それで", "これで", "でも", "no", "nope", "well", "ok", "okay", "um",
		"i think", "i guess",
		"and", "so", "for now")
	closers = compactAll("です", "ですね", "ですかね", "ですよ", "だよ", "だね", "だ", "かな", "かも", "と思います", "ね", "よ", "な", "なあ", "ます",
		"でした", "とします", "にします", "thanks", "thank you", "for now", "for me", "really", "i think", "i guess",
		"today", "笑", "w")
)

// whole makes a set of utterances.
func whole(list ...string) map[string]bool {
	known := map[string]bool{}
	for _, s := range list {
		known[compact(s)] = true
	}
	return known
}

func compactAll(list ...string) (out []string) {
	for _, s := range list {
		out = append(out, compact(s))
	}
	return out
}

// compact is the form in which utterances are compared. Brackets mark a signal, so
// that they count.
func compact(s string) string {
	signal := strings.HasPrefix(strings.TrimSpace(text.Normalize(s)), "[")
	s = text.Compact(s)
	if signal {
		return "[" + s
	}
	return s
}

// Commands reports whether a text only says what to do with the interview, in words that are
// the same in every language.
func Commands(s string) bool {
	for _, line := range strings.Split(s, "\n") {
		if in := meant(line); in != start && in != skip && in != stop {
			return false
		}
	}
	return true
}

// Answers reports whether a text says something: it is no signal, skip or closing word.
func Answers(s string) bool { return meant(s) == answer }

// longestIntent bounds what can be an intent, in bytes: longer texts are answers.
const longestIntent = 200

// inputOf is what an event means, and its answers, a line each. Texts that were said together
// are judged one by one: a person who writes in short messages writes the command as one of
// them.
func inputOf(e Event) (in input, said string) {
	switch e.Kind {
	case Stop:
		return stop, ""
	case Failed:
		return failed, ""
	case Recovered:
		return recovered, ""
	}
	var answers []string
	var last input // of those that are neither signals nor skips
	heard := map[input]bool{}
	for _, t := range e.Texts {
		one := meant(t)
		heard[one] = true
		if one == answer {
			answers = append(answers, t)
		}
		if one == answer || one == closing {
			last = one
		}
	}
	switch {
	case heard[stop]:
		in = stop
	case heard[answer] && last == closing:
		in = ending
	case heard[answer]:
		in = answer
	case heard[closing]:
		in = closing
	case heard[start] && !heard[skip]:
		in = start
	default:
		in = skip
	}
	return in, strings.Join(answers, "\n")
}

// meant is what a single text means.
func meant(said string) input {
	if len(said) > longestIntent {
		return answer
	}
	switch s := compact(said); {
	case starts[s]:
		return start
	case s == "", skips[s]: // nothing but punctuation says nothing
		return skip
	case stops[s]:
		return stop
	case closes(s, 3):
		return closing
	}
	return answer
}

// closes reports a closing utterance with at most so many openers and closers around
// it. A word inside of another one, as in 少ない, is none.
func closes(s string, around int) bool {
	if closings[s] {
		return true
	}
	if around == 0 {
		return false
	}
	for _, o := range openers {
		if rest, ok := strings.CutPrefix(s, o); ok && rest != "" && closes(rest, around-1) {
			return true
		}
	}
	for _, c := range closers {
		if rest, ok := strings.CutSuffix(s, c); ok && rest != "" && closes(rest, around-1) {
			return true
		}
	}
	return false
}
