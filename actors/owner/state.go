package owner

import "github.com/kehai-run/kehai/messages"

// tells is the state that a conversation hears. If attention is on but nothing is known yet,
// it is unknown; if attention is off, earlier knowledge does not count.
func (s State) tells(attends bool) messages.OwnerState {
	o := messages.OwnerState{Paused: !s.PausedSince.IsZero()}
	switch {
	case !attends:
	case s.Attention == "":
		o.Attention = messages.Unknown
	default:
		o.Attention = s.Attention
	}
	return o
}
