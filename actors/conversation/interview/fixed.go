package interview

// Language of the fixed texts.
type Language string

// Languages.
const (
	Japanese Language = "ja"
	English  Language = "en"
)

// LanguageOf is Japanese for a text with kana or Chinese characters, English for
// one with Latin letters, and otherwise what was spoken before.
func LanguageOf(text string, before Language) Language {
	latin := false
	for _, r := range text {
		switch {
		case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xFF66 && r <= 0xFF9D:
			return Japanese
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			latin = true
		}
	}
	if latin {
		return English
	}
	if before == "" {
		return Japanese
	}
	return before
}

// fixed are the texts that need no language model.
var fixed = map[Language]struct {
	questions       [FixedQuestions]string
	thanks, closing string
}{
	Japanese: {
		[FixedQuestions]string{
			"いま困っていることや気になっていることを、思いつくまま教えてください。",
			"そのなかで、いちばん大きいのはどれですか。どんなときにそう感じますか。",
			"それがどうなっていたら、いちばんうれしいですか。",
		},
		"お話しくださり、ありがとうございました。うかがった内容は大切に使わせていただきます。",
		"これでインタビューは終わりです。ご協力ありがとうございました。",
	},
	English: {
		[FixedQuestions]string{
			"What bothers you at the moment, or is on your mind? Just tell me what comes up.",
			"Which of these matters most, and when do you notice it?",
			"How would it be if it were as you wish?",
		},
		"Thank you for telling me all this. It will be put to good use.",
		"That is the end of the interview. Thank you very much for your time.",
	},
}

// Text is the fixed text of a reply in a language, "" for a reply that a language
// model writes. s is the state after the step.
func (r Result) Text(s State, l Language) string {
	t, ok := fixed[l]
	if !ok {
		t = fixed[Japanese]
	}
	switch r.Reply {
	case Question:
		return t.questions[min(max(s.Asked, 1), FixedQuestions)-1]
	case Thanks:
		return t.thanks
	case Closing:
		return t.closing
	}
	return ""
}
