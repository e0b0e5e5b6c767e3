package fusion

import (
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// page is what a window showed at one time, and under which header.
type page struct {
	title string            // normalised; "" if it could not be read
	name  messages.PixelKey // of its header, 0 if unknown
	view  View
	// several: more than one conversation may have this header, so it does not tell them apart.
	several bool
}

// pageOf is the page of a reading. What a border cuts off is no text to compare.
func pageOf(title messages.Text, name messages.PixelKey, bubbles []messages.Bubble) page {
	whole := make([]messages.Bubble, 0, len(bubbles))
	for _, b := range bubbles {
		if !b.Clipped {
			whole = append(whole, b)
		}
	}
	return page{title: text.Normalize(string(title)), name: name, view: viewOf("", whole)}
}

// under is how far two pages have the same header.
type under int

const (
	otherHeader under = iota
	unreadHeader
	likeHeader
	sameHeader
)

// header compares two headers: by their pixels where both are known, and by what was read. Names that
// are alike and drawn otherwise are two.
func (p page) header(o page) under {
	pixels := p.name != 0 && o.name != 0
	switch {
	case pixels && p.name == o.name:
		return sameHeader
	case p.title == "" || o.title == "":
		return unreadHeader
	case p.title == o.title && !pixels:
		return sameHeader
	case text.OCREqual(p.title, o.title) && !pixels:
		return likeHeader
	}
	return otherHeader
}

// titled reports whether both have one title, which may be none, and no other header.
func (p page) titled(o page) bool {
	return p.title == o.title && (p.name == 0 || o.name == 0 || p.name == o.name)
}

// isOf reports whether a page is certainly of the conversation that shows another one. One text
// that both show does not tell: strangers ask for an answer in the same words. From the
// first bubble that both show to the last all must agree; the less the headers say, the more
// of them are needed, and by their pixels: a text that is like another may be a stranger's, who says
// his own name in it. A header that namesakes have says nothing. What agrees long enough may have
// been edited elsewhere, under the same header. A page that the other shows bubble by bubble, our
// own texts too, brings nothing that is not there, unless the headers are two: see idle. What an older
// page shows below the end of a newer one is hardly the same conversation's.
func (p page) isOf(o page) bool {
	header, unread := p.header(o), p.name == 0 || o.name == 0
	switch {
	case p.several && header != unreadHeader:
		return p.view.agreed(o.view, Mark.looks, common.proves)
	case header == sameHeader:
		return p.view.agreed(o.view, Mark.is, func(c common) bool { return p.view.enough(c) && !c.beyond }) ||
			p.view.proves(o.view)
	case header == likeHeader:
		return p.view.agreed(o.view, Mark.looks, func(c common) bool { return c.weight >= runProof && !c.beyond })
	case header == unreadHeader:
		return p.view.agreed(o.view, Mark.looks, func(c common) bool {
			covered := unread && len(c.texts) > 1 && c.bubbles == len(p.view.Marks)
			return covered || c.proves()
		})
	default:
		return p.view.agreed(o.view, Mark.looks, func(c common) bool {
			return unread && p.whole(c) || c.proves()
		})
	}
}

// idle reports whether a page is of another header than one that shows all of it. Somebody else may
// have said and been told the same. It stays held, and makes nothing that follows doubtful.
func (p page) idle(o page) bool {
	return p.header(o) == otherHeader && !p.several && p.view.agreed(o.view, Mark.looks, p.whole)
}

// shownBy reports whether another page shows all of this one, and its header is not another.
func (p page) shownBy(o page) bool {
	return p.header(o) != otherHeader &&
		p.view.agreed(o.view, Mark.looks, func(c common) bool { return c.bubbles == len(p.view.Marks) })
}

// whole reports whether what a page has in common with another one is all of it, and an own text is in it.
func (p page) whole(c common) bool {
	return len(c.texts) > 1 && c.own && c.bubbles == len(p.view.Marks)
}

// common is what two views show in one place of a transcript.
type common struct {
	bubbles, weight int
	own             bool // some are our side's
	beyond          bool // the first view goes on below the end of the other one
	texts           map[messages.Text]bool
}

// proves reports whether that is enough under any title.
func (c common) proves() bool {
	n := len(c.texts)
	return n >= sameEnough || c.own && n >= sameEnoughOwn
}

// enough reports whether l and what it has in common with another view of the same header are
// one conversation's.
func (l View) enough(c common) bool {
	all := 0
	for _, m := range l.Marks {
		all += m.weight()
	}
	return c.weight >= min(runProof, max(all, 1))
}

// agreed reports whether v can be laid along l so that all bubbles that lie side by side are
// the same, and these are enough. A picture may be drawn differently once it is loaded.
func (l View) agreed(v View, same func(m, o Mark) bool, enough func(common) bool) bool {
	for by := 1 - len(v.Marks); by < len(l.Marks); by++ {
		c, ok := common{texts: map[messages.Text]bool{}, beyond: len(l.Marks) > len(v.Marks)+by}, true
		for i := max(0, -by); ok && i < min(len(v.Marks), len(l.Marks)-by); i++ {
			m, o := v.Marks[i], l.Marks[i+by]
			switch {
			case same(m, o):
				c.bubbles++
				c.weight, c.own = c.weight+m.weight(), c.own || m.Side == messages.SideOwn
				c.texts[m.Text] = true
			case m.Side != o.Side, m.Text != "" && o.Text != "":
				ok = false
			}
		}
		if ok && enough(c) {
			return true
		}
	}
	return false
}
