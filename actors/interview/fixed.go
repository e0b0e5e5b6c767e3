package interview

import "github.com/kehai-run/kehai/actors/text"

// fixed are the texts that need no language model.
var fixed = map[text.Language]struct {
	questions       [FixedQuestions]string
	thanks, closing string
}{
	text.Japanese: {
		[FixedQuestions]string{
			"いま困っていることや気になっていることを、思いつくまま教えてください。",
			"そのなかで、いちばん大きいのはどれですか。どんなときにそう感じますか。",
			"それがどうなっていたら、いちばんうれしいですか。",
		},
		"お話しくださり、ありがとうございました。うかがった内容は大切に使わせていただきます。",
		"これでインタビューは終わりです。ご協力ありがとうございました。",
	},
	text.English: {
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
func (r Result) Text(s State, l text.Language) string {
	t, ok := fixed[l]
	if !ok {
		t = fixed[text.Japanese]
	}
	switch r.Reply {
	case Question:
		if r.Ask != "" {
			return r.Ask
		}
		return t.questions[min(max(s.Asked, 1), FixedQuestions)-1]
	case Thanks:
		return t.thanks
	case Closing:
		return t.closing
	}
	return ""
}
