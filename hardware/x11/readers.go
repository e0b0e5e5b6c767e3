package x11

import "github.com/jezek/xgb/xproto"

// readers tells the program that pastes from programs that read everything new on
// the clipboard, such as histories. It also tells when the paste is done: a
// browser reads the text when the keys go down, and again, perhaps much later,
// when it pastes. Programs are identified by the window that asks. The zero value
// knows none.
type readers struct {
	eager  map[xproto.Window]bool // read the last text before the paste
	usual  map[xproto.Window]int  // how often each one reads a text to paste it
	before map[xproto.Window]int  // reads of this text before the paste
	after  map[xproto.Window]int  // and after it
	asked  bool                   // the paste was requested
}

// offer starts with a new text.
func (r *readers) offer() {
	r.before, r.after, r.asked = map[xproto.Window]int{}, map[xproto.Window]int{}, false
}

// read notes that a program has read the text.
func (r *readers) read(by xproto.Window) {
	switch {
	case r.before == nil: // nothing is being pasted
	case r.asked:
		r.after[by]++
	default:
		r.before[by]++
	}
}

// late reports whether a program that always reads new text has yet to read it.
func (r *readers) late() bool {
	for by := range r.eager {
		if r.before[by] == 0 {
			return true
		}
	}
	return false
}

// paste notes that a window may paste from now on.
func (r *readers) paste() { r.asked = true }

// progress is how far a paste has come.
type progress int

const (
	unread   progress = iota // no program has read more than it would without a paste
	halfRead                 // one has, but it usually reads more often
	newRead                  // one has; how often it usually reads is unknown
	allRead                  // one has read as often as usual
)

// progress is the progress of the program that has come furthest.
func (r *readers) progress() (far progress) {
	for by := range r.after {
		n, usual := r.pasted(by), r.usual[by]
		switch {
		case n == 0:
		case usual == 0:
			far = max(far, newRead)
		case n < usual:
			far = max(far, halfRead)
		default:
			far = allRead
		}
	}
	return far
}

// pasted is how often a program has read the text to paste it. An eager program reads every
// new text. If it has not done so before, its first read after may be just that, late.
func (r *readers) pasted(by xproto.Window) int {
	if r.eager[by] && r.before[by] == 0 {
		return r.after[by] - 1
	}
	return r.after[by]
}

// seen reports whether any program has read the text.
func (r *readers) seen() bool { return len(r.before)+len(r.after) > 0 }

// end learns which programs are eager and how often each one reads. Later reads
// have nothing to do with this paste.
func (r *readers) end() {
	if r.usual == nil {
		r.usual = map[xproto.Window]int{}
	}
	for by := range r.after {
		r.usual[by] = max(r.usual[by], r.pasted(by))
	}
	eager := map[xproto.Window]bool{}
	for by := range r.before {
		eager[by] = true
	}
	for by, n := range r.after {
		if r.eager[by] && n > 1 {
			eager[by] = true
		}
	}
	r.eager = eager
	r.before, r.after = nil, nil
}
