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
