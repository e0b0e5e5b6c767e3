package fusion

import "github.com/kehai-run/kehai/messages"

// proof is how much of what a frame shows is proved to be messages: by the fill
// of a bubble around it.
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

// bareJump is by how much the share of bare blocks may grow from one frame to
// the next. More of them is no new message: the window has lost the focus or
// changed its theme, it shows a list of chats, or it fits no layout. A window
// that writes some lines on bare ground all the time keeps its share.
const bareJump = 0.35

// share is the share of bare blocks.
func (p proof) share() float64 {
	if p.bare == 0 {
		return 0
	}
	return float64(p.bare) / float64(p.bare+p.filled)
}

// lacks reports that a frame proves too little to be believed. usual is the
// share of bare blocks in the frames before.
func (p proof) lacks(usual float64) bool {
	return p.bare > 0 && (p.filled == 0 || p.share() > usual+bareJump)
}

// misfits reports that nothing else than messages can be meant by what is seen:
// one bare text alone may be a notice in an empty conversation.
func (p proof) misfits() bool { return p.filled > 0 || p.bare > 1 }
