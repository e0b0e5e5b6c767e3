package describe

import (
	"fmt"

	"github.com/kehai-run/kehai/messages"
)

// Sure is how sure a judgement is. Only a model's has a confidence.
func Sure(source messages.JudgeSource, confidence float64) string {
	if source != messages.JudgedByModel {
		return "by rule"
	}
	return fmt.Sprintf("%.0f %% sure", 100*confidence)
}

// Sending is how the sending of a text ended.
func Sending(outcome messages.SendOutcome, reason messages.SendReason) string {
	why := ""
	if reason != "" {
		why = ": " + NotSent(reason)
	}
	switch outcome {
	case messages.SendConfirmed:
		return "its bubble was seen in the window"
	case messages.SendUnknown:
		return "it is not known whether it went out" + why + "; Kehai does not send it again"
	}
	return "nothing of it was sent" + why
}

// Rule is why a reply waits, is held or goes out, for a person. fallback is why it is a
// fixed text, "" if a model wrote it.
func Rule(r messages.ReplyRule, fallback string) string {
	if r == "no_model" {
		return Fallback(fallback)
	}
	if s, ok := rules[r]; ok {
		return s
	}
	return string(r) // of a newer Kehai
}

// rules are those of package conversation/reply.
var rules = map[messages.ReplyRule]string{
	"observe":     "this conversation is only read",
	"off":         "no replies are written here",
	"policy":      "you decide on each reply here",
	"not_listed":  "not listed in replies.auto",
	"no_typist":   "nothing can type into the window",
	"command":     "the window may take it for a command",
	"language":    "not in the conversation's language",
	"unsure":      "the model is not sure that you should answer",
	"attention":   "it would disturb you now",
	"paused":      "sending is paused",
	"quiet_hours": "these are quiet hours",
	"per_hour":    "enough replies were sent this hour",
	"in_a_row":    "enough replies were sent in a row",
	"auto":        "it may go out by itself",
}

// Fallback is why a reply is a fixed text, for a person.
func Fallback(code string) string {
	if s, ok := fallbacks[code]; ok {
		return s
	}
	return "the language model failed (" + code + ")"
}

// fallbacks are the codes of models, and those of package conversation/reply.
var fallbacks = map[string]string{
	"":                              "no language model wrote it",
	string(messages.LLMNoModel):     "no language model is set up",
	string(messages.LLMRefused):     "the model's server refused",
	string(messages.LLMRateLimited): "the model's server asks to wait",
	string(messages.LLMTimeout):     "the model did not answer in time",
	string(messages.LLMUnavailable): "the model could not be reached",
	string(messages.LLMMalformed):   "the model's answer could not be read",
	string(messages.LLMBreakerOpen): "the model fails and is left alone for a while",
	string(messages.LLMSimulated):   "the model is made to fail",
	"unusable":                      "the model's answer was no reply",
	"too_many_questions":            "the model was asked too often this hour",
}

// HandedOut is how the sending of a text on a channel without a screen ended.
func HandedOut(c messages.Channel) string { return "it was handed out on the channel " + string(c) }

// NotSent is why a text does not go out.
func NotSent(r messages.SendReason) string {
	if s, ok := notSent[r]; ok {
		return s
	}
	return string(r) // a code of a driver
}

var notSent = map[messages.SendReason]string{
	messages.SendBusy:      "a person types, or unsent text stands in the field",
	messages.SendElsewhere: "the window does not show this conversation",
	messages.SendMovedOn: "the chat went on out of view: scroll back until its earlier messages show; " +
		"where the window was watched all the while, three more do too",
	messages.SendNoField:     "no input field was found, or it did not take the text",
	messages.SendChanged:     "the window changed before a key was pressed",
	messages.SendStopped:     "it was stopped",
	messages.SendEnding:      "Kehai ended; it goes on at the next start",
	messages.SendNoTypist:    "nothing can type into the window",
	messages.SendBlind:       "nothing tells whether a person uses the keyboard",
	messages.SendNoLease:     "no majority of the cluster confirms that it is to be sent here",
	messages.SendUnconfirmed: "its bubble was not seen in time",
	messages.SendFailed:      "typing failed",
	messages.SendSilent: "the machine with the window has not said what became of it: look there before you send " +
		"it again",
	messages.SendReason(messages.CodePaused): "sending is paused",
}
