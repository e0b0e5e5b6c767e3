package fusion

import "github.com/kehai-run/kehai/messages"

// placed is what a window showed of a conversation last, and where. It dies with the activation.
type placed struct {
	conversation messages.ConversationID // "" for none
	bubbles      []messages.Bubble
	size         messages.Rect
}

func placedBy(d messages.Detection) placed { return placed{d.Conversation, d.Bubbles, d.Size} }

// edited reports whether another page shows the same bubbles in their places, and below them what
// is new. A few may say something else now: their texts were edited. Nothing has moved out of view:
// there is room for both texts.
func (p placed) edited(o placed) bool {
	if p.conversation == "" || p.conversation != o.conversation || p.size != o.size ||
		len(p.bubbles) == 0 || len(o.bubbles) < len(p.bubbles) || placeless(o.bubbles) {
		return false
	}
	was, is := viewOf("", p.bubbles), viewOf("", o.bubbles)
	same, others, added := 0, 0, 0
	for i, b := range p.bubbles {
		now := o.bubbles[i]
		switch {
		case b.Side != now.Side || b.Clipped || now.Clipped, !near(b.Box, now.Box, added):
			return false
		case was.Marks[i].is(is.Marks[i]):
			same++
		default:
			others++
		}
		added += now.Box.H - b.Box.H
	}
	last := o.bubbles[len(o.bubbles)-1].Box
	return others <= max(1, same) && last.Y+last.H+p.bubbles[0].Box.H <= p.size.H
}

// near reports whether a bubble stands where another stood, moved down by what was added above.
func near(was, is messages.Rect, added int) bool {
	const slack = 4 // pixels by which a bubble may be found elsewhere
	d := is.Y - was.Y - added
	return -slack <= d && d <= slack
}
