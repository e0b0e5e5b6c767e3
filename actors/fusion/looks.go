package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Look is a header's pixels. Equal pixels are the same name, however it was read, and other
// pixels are another one unless the window is drawn anew. A reader that errs in a name errs
// each time alike, so more readings of the same pixels tell nothing more.
type Look struct {
	Key   messages.PixelKey `json:"key"`
	Votes int               `json:"votes"` // frames that showed the conversation under it, up to looksSure
	At    time.Time         `json:"at"`    // the last vote
}

// Limits of the looks of a conversation.
const (
	looksMost = 4
	looksSure = 3 // an application that draws the header first shows one or two frames of another's
)

// voted is a list with one more frame of a conversation under a look. changed is false if
// that changes nothing. Votes from before since are counted again.
func voted(list []Look, key messages.PixelKey, at, since time.Time) (out []Look, changed bool) {
	i := slices.IndexFunc(list, func(l Look) bool { return l.Key == key })
	switch {
	case i >= 0 && list[i].Votes >= looksSure && !list[i].At.Before(since):
		return list, false
	case i >= 0:
		out = slices.Clone(list)
		out[i].Votes, out[i].At = min(out[i].Votes+1, looksSure), at
		return out, true
	}
	out = append(slices.Clone(list), Look{Key: key, Votes: 1, At: at})
	return out[max(0, len(out)-looksMost):], true
}

// without is a list without a look.
func without(list []Look, key messages.PixelKey) []Look {
	return slices.DeleteFunc(slices.Clone(list), func(l Look) bool { return l.Key == key })
}

// headed reports whether a view's conversation was shown so often under a header.
func (l View) headed(key messages.PixelKey, votes int) bool {
	return slices.ContainsFunc(l.Looks, func(o Look) bool { return o.Key == key && o.Votes >= votes })
}

// headedOtherwise reports whether a conversation was shown under other headers only, since the window
// was drawn anew.
func (l View) headedOtherwise(key messages.PixelKey, since time.Time) bool {
	return !l.headed(key, 1) &&
		slices.ContainsFunc(l.Looks, func(o Look) bool { return !o.At.Before(since) })
}

// header is what the header of a window looked like in the last frame whose conversation was
// known. It dies with the activation.
type header struct {
	conversation messages.ConversationID // "" for none
	key          messages.PixelKey
	at           time.Time
	anew         time.Time // when headers were last seen to change their looks, zero for never
}

// note takes in a frame, and reports whether it is the second of a conversation in a row
// under this header.
func (h *header) note(c messages.ConversationID, m messages.FrameRead) (again bool) {
	again = h.is(c, m) && h.at.Before(m.At)
	h.conversation, h.key, h.at = c, m.Name, m.At
	return again
}

// is reports whether a frame has the header under which a conversation was shown last.
func (h *header) is(c messages.ConversationID, m messages.FrameRead) bool {
	return c != "" && h.conversation == c && h.key == m.Name && h.key != 0
}
