package fusion

import "github.com/kehai-run/kehai/messages"

// proof counts what a frame shows with and without the fill of a bubble around
// it. A fill proves that a text is a message.
type proof struct {
	filled int // bubbles with a fill
	bare   int // blocks of text without one
}

func proofOf(m messages.FrameRead) proof {
	p := proof{bare: m.Bare}
	for _, b := range m.Bubbles {
		if b.Kind != messages.KindImage && b.Kind != messages.KindSticker {
			p.filled++
		}
	}
	return p
}

// bareJump is how much the share of bare blocks may grow from one frame to the
// next. A larger jump is no new message: the window has lost the focus or changed
// its theme, shows a list of chats, or fits no layout. A window that always
// writes some lines on the background keeps its share.
const bareJump = 0.35

// share is the share of bare blocks.
func (p proof) share() float64 {
	if p.bare == 0 {
		return 0
	}
	return float64(p.bare) / float64(p.bare+p.filled)
}

// insufficient reports whether a frame proves too little. usual is the share of bare
// blocks in the frames before.
func (p proof) insufficient(usual float64) bool {
	return p.bare > 0 && (p.filled == 0 || p.share() > usual+bareJump)
}

// showsMessages reports whether what is seen can only be messages. A single bare
// text may be a notice in an empty conversation.
func (p proof) showsMessages() bool { return p.filled > 0 || p.bare > 1 }
