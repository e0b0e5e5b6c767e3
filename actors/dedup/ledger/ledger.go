package ledger

import (
	"math"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// FirstSight says what is passed on of a conversation that was never seen.
type FirstSight string

// Policies of the first sight.
const (
	Unanswered FirstSight = "unanswered" // incoming ones after the last own one
	All        FirstSight = "all"        // all incoming ones
	None       FirstSight = "none"       // nothing: it is history
)

// Rules of a ledger.
type Rules struct {
	// What counts as new in a conversation never seen before.
	FirstSight FirstSight `yaml:"-"`

	// Messages of a conversation never seen before that count as new at most, where
	// dedup.first_sight is unanswered, 1 to 100. Default 5.
	FirstAtMost int `yaml:"first_at_most" min:"1" max:"100"`

	// Messages of the transcript's tail that are kept.
	Keep int `yaml:"-"`

	// How long a message may stay unreadable, or without a side, before it is
	// passed on so, 1ms to 1m. Default 2s.
	Timeout time.Duration `yaml:"patience" min:"1ms" max:"1m"`

	// Or until it was seen so often, 1 to 100. Default 3.
	Tries int `yaml:"tries" min:"1" max:"100"`

	// Messages that are kept while somebody scrolls back, 20 to 20000. Default 2000.
	History int `yaml:"history" min:"20" max:"20000"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{FirstSight: Unanswered, FirstAtMost: 5, Keep: 200, Timeout: 2 * time.Second, Tries: 3, History: 2000}
}

// Ledger is the known tail of a transcript. It is not safe for concurrent use.
type Ledger struct {
	rules   Rules
	entries []Entry
	head    Head
	dirty   map[int64]bool  // positions whose rows changed; deleted ones are in no entry
	room    int64           // before the next entry at the end, 0: as always
	moved   map[int64]int64 // by the last view or join: where entries are now, by where they were
}

// Head is what a ledger knows besides its entries.
type Head struct {
	Next   messages.Occurrence `json:"next"`            // the next one to be assigned, from 1
	Title  messages.Text       `json:"title,omitempty"` // of the conversation
	Group  bool                `json:"group,omitempty"` // names were shown beside bubbles
	Window messages.WindowID   `json:"window,omitempty"`
	// Forgotten marks a conversation whose transcript a person had deleted: what is
	// visible next is history, whatever FirstSight says.
	Forgotten bool `json:"forgotten,omitempty"`
	// Whole: the tail has the transcript from its beginning, so nothing unknown is older.
	Whole bool `json:"whole,omitempty"`
	Open  Open `json:"open,omitzero"`
	// Notices: a window leaves one in the place of a message that was taken back.
	Notices bool `json:"notices,omitempty"`
}

// Forget is what remains of a head after a person had the transcript deleted.
func (h Head) Forget() Head { return Head{Next: max(h.Next, 1), Forgotten: true} }

// New makes a ledger from stored entries, which are in order.
func New(rules Rules, head Head, entries []Entry) *Ledger {
	head.Next = max(head.Next, 1)
	return &Ledger{rules: rules, entries: entries, head: head, dirty: map[int64]bool{}}
}

// Head must be stored when it has changed.
func (l *Ledger) Head() Head { return l.head }

// Finding is the result of a view. Notes say what is not passed on and why.
type Finding struct {
	Memory Memory
	Gap    bool
	Whole  int                   // bubbles that are wholly visible
	Passed int                   // of these, new and to be passed on
	Notes  []events.Detail       // rules, and what they count
	Rule   events.Rule           // by which the view was judged
	Known  []messages.Occurrence // what each bubble was recognised as, 0 for nothing; nil unless the view was aligned
	Held   []messages.Occurrence // incoming ones that entered as history
	// Notice tells of another gap, before this one, which can no longer be read. It is zero
	// if there is none.
	Notice messages.TranscriptGap
}

func (f *Finding) note(d events.Detail) { f.Notes = append(f.Notes, d) }

// Observe takes in what a view shows, given the memory of the last view of the
// same window. New messages wait in the ledger for [Ledger.Release].
func (l *Ledger) Observe(v View, mem Memory, now time.Time) Finding {
	f := Finding{Memory: mem}
	if extra := len(v.Bubbles) - maxBubbles; extra > 0 {
		f.note(events.Detail{Rule: events.RuleCutOff, Count: extra, Of: len(v.Bubbles)})
		v.Bubbles = v.Bubbles[extra:]
	}
	chat, last := l.shows(v, mem, now)
	if chat != last { // the other one loses its place
		f.Notice, _ = l.GiveUp(messages.CatchUpLost, false)
	}
	if chat != mem.Chat { // what the window showed before is the other one's
		mem = Memory{Chat: chat, Bottom: -1}
	}
	l.moved = nil
	next, others := l.head.Next, l.alone(chat)
	mem = l.Moved(mem)
	f.Memory = mem
	l.take(v, mem, now, len(others) == 0, &f)
	l.in(chat, next)
	l.entries = append(others, l.entries...)
	if f.Rule != events.RuleScrolled {
		l.trim(2 * len(v.Bubbles))
	}
	return f
}

// take takes in what a view of the only chat in the ledger shows. alone says that the ledger
// has no other.
func (l *Ledger) take(v View, mem Memory, now time.Time, alone bool, f *Finding) {
	l.head.Whole = l.head.Whole && alone // of several it may be another one's
	list, cut := observe(v, now)
	for i := range list {
		if list[i].whole() {
			f.Whole++
		}
		l.head.Notices = l.head.Notices || list[i].Gone
	}
	l.head.Title, l.head.Window = v.Title, v.Window
	l.nameSenders(list)
	gap, newest := bottomGap(v, cut), l.lastPos()
	f.Memory.Top, f.Memory.Bottom = 0, -1 // none, unless the rule says otherwise
	var a alignment
	f.Rule, a = l.judge(list, v, mem, cut, f.Whole)
	if cut {
		l.joinBeginning(v, now)
	}
	switch f.Rule {
	case events.RuleFirstSight, events.RuleForgotten:
		l.begin(list, f)
	case events.RuleAligned:
		if l.follow(list, a, v, mem, f); v.Rows {
			l.sideRows(-1)
		}
	case events.RuleGap:
		if v.Anew || v.CatchUp == 0 { // nobody will scroll back over this one
			f.Notice, _ = l.GiveUp(messages.CatchUpLost, false)
		}
		if v.Anew {
			l.dropTail()
		}
		l.jump(list, v, newer(v, mem, gap), now, f)
	case events.RuleScrolled:
		f.note(events.Detail{Rule: events.RuleScrolled})
		f.Memory.LostGap = gap
		return
	}
	if l.lastPos() != newest {
		// A window shows new messages at its newest position, but somebody may have
		// scrolled a little, once.
		if mem.BottomGap == 0 || sameGap(gap, mem.NewestGap) {
			f.Memory.BottomGap = gap
		}
		f.Memory.NewestGap = gap
	}
	f.Memory.Next, f.Memory.LostGap = l.head.Next, 0
	f.Memory.Width = v.Size.W
	f.Memory.Complete = !f.Memory.Behind && (complete(gap, v) || mem.Complete && len(v.Bubbles) == 0)
	if alone && len(l.entries) > 0 && f.Memory.Complete && f.Memory.Top == l.entries[0].Pos {
		l.head.Whole = true
	}
}

// in records in the notes which chat the entries since an occurrence belong to.
func (l *Ledger) in(chat messages.ConversationID, since messages.Occurrence) {
	for i := range l.entries {
		if e := &l.entries[i]; chat != "" && e.Occurrence >= since {
			e.Chat = chat
		}
	}
}

// judge finds the rule for a view, and where it belongs if that is events.RuleAligned.
//
// A view without a known message shows either what came after a gap, or a part of
// the transcript from before the ledger began, to which somebody scrolled. A window
// at its newest position tells them apart: its last bubble stands where it always
// stands there, or the lower half of the window is empty. Where that is may change;
// two such views in a row with their last bubbles in one place are taken for it.
// Where the last view showed the whole transcript, nothing unknown is older.
func (l *Ledger) judge(list []observation, v View, mem Memory, cut bool, whole int) (events.Rule, alignment) {
	switch {
	case whole == 0 && !(mem.Complete && l.allTakenBack(list)):
		return events.RuleNothing, alignment{}
	case len(l.entries) == 0 && l.head.Forgotten:
		return events.RuleForgotten, alignment{}
	case len(l.entries) == 0:
		return events.RuleFirstSight, alignment{}
	}
	if v.Anew {
		return events.RuleGap, alignment{}
	}
	gap := bottomGap(v, cut)
	newest, all := sameGap(gap, mem.BottomGap), halfEmpty(gap, v)
	at := stance{
		newest: newest, sawEnd: !mem.Behind, complete: all && !v.Bubbles[0].Clipped, whole: l.head.Whole,
		scale: v.Scale, notices: l.head.Notices,
	}
	a := align(list, l.entries, at)
	if at.complete && !a.anchored() { // a panel may take the room below the newest
		at.complete = false
		if b := align(list, l.entries, at); b.anchored() && b.reaches {
			a = b
		}
	}
	switch {
	case a.anchored(), mem.Complete && l.allTakenBack(list) && a.fresh >= len(l.entries),
		mem.Complete && a.score > 0 && a.at[0] == 0 && l.inPlace(list, mem, v.Size.W, complete(gap, v)):
		return events.RuleAligned, a
	case newest || all || sameGap(gap, mem.LostGap), mem.Complete && !mem.Behind:
		return events.RuleGap, alignment{}
	case cut || mem.Behind || gap > 0 && mem.BottomGap > 0:
		return events.RuleScrolled, alignment{}
	}
	return events.RuleGap, alignment{} // nothing shows where the window stands
}

// allTakenBack reports whether a view begins with a notice for each message of the tail.
func (l *Ledger) allTakenBack(list []observation) bool {
	n := len(l.entries)
	return n > 0 && n <= len(list) && !slices.ContainsFunc(list[:n], func(o observation) bool { return !o.Gone })
}

// begin takes a view as the whole transcript so far.
func (l *Ledger) begin(list []observation, f *Finding) {
	from := len(list)
	policy := l.rules.FirstSight
	if l.head.Forgotten {
		policy, l.head.Forgotten = None, false
	}
	switch policy {
	case All:
		from = 0
	case Unanswered:
		left := l.rules.FirstAtMost
		for from > 0 && list[from-1].Side != messages.SideOwn && left > 0 {
			from--
			if list[from].whole() {
				left--
			}
		}
	}
	if held := l.appendAll(list, from, false, f); held > 0 {
		f.note(events.Detail{Rule: f.Rule, Count: held})
	}
	f.Memory.Top, f.Memory.Bottom = l.entries[0].Pos, l.lastPos()
}

// follow takes in a view that was aligned: first the changes in the known part, then the
// new part.
func (l *Ledger) follow(list []observation, a alignment, v View, mem Memory, f *Finding) {
	f.Known = l.known(list, a)
	l.detectChanges(list, a, v, mem, f)
	f.Memory.Top, f.Memory.Bottom = l.shown(list, a)
	l.merge(list, a, f)
	if f.Memory.Behind = !a.reaches; a.reaches {
		f.Memory.Bottom = l.lastPos()
	}
	f.Gap = f.Passed > 0 && countless(list) && !complete(bottomGap(v, false), v)
}

// dropTail drops what is no longer shown, but for what is still to be passed on.
func (l *Ledger) dropTail() {
	l.head.Whole = false
	l.entries = slices.DeleteFunc(l.entries, func(e Entry) bool {
		done := !e.Waiting && !e.Own && e.Change == ""
		if done {
			l.dirty[e.Pos] = true
		}
		return done
	})
}

// countless reports whether a view shows one text again and again. How many of it are new
// then, nothing tells: the least that it can be are taken.
func countless(list []observation) bool {
	whole := slices.DeleteFunc(slices.Clone(list), func(o observation) bool { return o.clipped })
	return len(whole) >= countlessFrom && !slices.ContainsFunc(whole, func(o observation) bool {
		return o.Gone || o.Side != whole[0].Side || o.Kind != whole[0].Kind || !equal(o.text(), whole[0].text(), false)
	})
}

// jump takes in a view without a known bubble as following, after a gap. Bubbles above
// the newest date or unread mark are history; without a mark, those above the last own
// bubble, unless the window is known to show only what is newer.
func (l *Ledger) jump(list []observation, v View, newer bool, now time.Time, f *Finding) {
	from, border := 0, events.BorderOwn
	for i, o := range list {
		if o.Side == messages.SideOwn && !o.clipped && !newer {
			from = i + 1
		}
	}
	for _, m := range v.Marks {
		if m.Kind == messages.MarkDate || m.Kind == messages.MarkUnread {
			border = events.Match(m.Kind)
			from = 0
			for from < len(list) && list[from].y < m.Box.Y {
				from++
			}
		}
	}
	if newer && !countless(list) {
		for i := range list {
			list[i].Fresh = foreign(i, list, l.entries)
		}
	}
	first := len(l.entries)
	if v.CatchUp > 0 {
		l.room = gapSpacing
	}
	if held := l.appendAll(list, from, false, f); held > 0 {
		f.note(events.Detail{Rule: f.Rule, Count: held, Match: border})
	}
	l.entries[first].Gap = true
	if v.CatchUp > 0 {
		l.open(first, f.Held, now.Add(v.CatchUp))
	}
	f.Gap = true
	f.Memory.Top, f.Memory.Bottom, f.Memory.Behind = l.entries[first].Pos, l.lastPos(), false
}

// TakeText gives an occurrence to a text without a position. history reports that the
// transcript was deleted before: then the text gets none.
func (l *Ledger) TakeText(title messages.Text, window messages.WindowID) (o messages.Occurrence, history bool) {
	l.head.Title, l.head.Window = title, window
	if l.head.Forgotten {
		l.head.Forgotten = false
		return 0, true
	}
	o = l.head.Next
	l.head.Next++
	return o, false
}

// lastPos is the position of the newest entry.
func (l *Ledger) lastPos() int64 {
	if len(l.entries) == 0 {
		return math.MinInt64
	}
	return l.entries[len(l.entries)-1].Pos
}

// shown returns the positions of the first and the last known message that an aligned
// view shows whole; none if the last is below the first.
func (l *Ledger) shown(list []observation, a alignment) (top, bottom int64) {
	top, bottom = math.MaxInt64, math.MinInt64
	for i, j := range a.at {
		if j >= 0 && !list[i].clipped {
			top, bottom = min(top, l.entries[j].Pos), max(bottom, l.entries[j].Pos)
		}
	}
	return top, bottom
}

// known says what each bubble of a view was recognised as. A bubble that is waited for is
// no observation.
func (l *Ledger) known(list []observation, a alignment) []messages.Occurrence {
	var out []messages.Occurrence
	for _, o := range list {
		if o.bubble >= 0 {
			out = append(out, 0)
		}
	}
	for i, j := range a.at {
		if at := list[i].bubble; at >= 0 && j >= 0 {
			out[at] = l.entries[j].Occurrence
		}
	}
	return out
}

// trim deletes the oldest entries once new ones have come, since scrolling back may make
// the tail longer for a while. It keeps at least as many as a view needs.
func (l *Ledger) trim(need int) {
	n, keep := len(l.entries), max(l.rules.Keep, need)
	if n <= keep || !l.dirty[l.entries[n-1].Pos] || l.Opened() {
		return
	}
	drop := 0
	for drop < n-keep && !l.entries[drop].Waiting && !l.entries[drop].Own && l.entries[drop].Change == "" {
		l.dirty[l.entries[drop].Pos] = true
		drop++
	}
	l.entries = slices.Delete(l.entries, 0, drop)
	l.head.Whole = l.head.Whole && drop == 0
}

// Changes returns the entries to write and the positions to delete, in order, and clears
// its list of them.
func (l *Ledger) Changes() (put []Entry, gone []int64) {
	for _, e := range l.entries {
		if l.dirty[e.Pos] {
			put = append(put, e)
			delete(l.dirty, e.Pos)
		}
	}
	for pos := range l.dirty {
		gone = append(gone, pos)
	}
	slices.Sort(gone)
	clear(l.dirty)
	return put, gone
}
