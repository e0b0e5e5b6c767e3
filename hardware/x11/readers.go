package x11

import "github.com/jezek/xgb/xproto"

// readers tell the program that pastes from those that read whatever is new on
// the clipboard, such as histories; and when it is done, for a browser reads the
// text as the keys go down and once more, maybe much later, where it pastes.
// Programs are known by the window that asks. The zero value has met none.
type readers struct {
	eager  map[xproto.Window]bool // read the last text before there was a paste
	usual  map[xproto.Window]int  // how often each one reads a text to paste it
	before map[xproto.Window]int  // reads of this text until the paste was asked for
	after  map[xproto.Window]int  // and since
	asked  bool                   // for the paste
}

// offer begins with a new text.
func (r *readers) offer() {
	r.before, r.after, r.asked = map[xproto.Window]int{}, map[xproto.Window]int{}, false
}

// read notes that a program has read the text.
func (r *readers) read(by xproto.Window) {
	switch {
	case r.before == nil: // nothing is lent
	case r.asked:
		r.after[by]++
	default:
		r.before[by]++
	}
}

// late reports that a program has not read the text yet that always did.
func (r *readers) late() bool {
	for by := range r.eager {
		if r.before[by] == 0 {
			return true
		}
	}
	return false
}

// paste says that from now on a window may paste.
func (r *readers) paste() { r.asked = true }

// progress is how far a paste has come.
type progress int

const (
	unread   progress = iota // no program has read more than it does without a paste
	halfRead                 // one has, but usually reads more often
	newRead                  // one has, of which it is not known how often it reads
	allRead                  // one has, as often as usual
)

// progress is that of the program that is furthest.
func (r *readers) progress() (far progress) {
	for by, n := range r.after {
		usual := r.usual[by]
		switch {
		case r.eager[by] && r.before[by] == 0 && n == 1:
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

// seen reports that any program has the text.
func (r *readers) seen() bool { return len(r.before)+len(r.after) > 0 }

// end learns who is eager, and how often each one reads. What is read from now
// on has nothing to do with the loan.
func (r *readers) end() {
	if r.usual == nil {
		r.usual = map[xproto.Window]int{}
	}
	for by, n := range r.after {
		r.usual[by] = max(r.usual[by], n)
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
