package ledger

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Distances between the positions of entries that are laid out again, and before those of
// the chat that is shown.
const (
	room  = 1 << 20
	aside = 1 << 50
)

// Join takes in the entries of the ledger of a conversation that was merged into this
// one, and returns the offset by which their occurrences are moved. An overlap between
// the end of one and the beginning of the other counts once; twice lists the other's
// occurrences in it. Without an overlap that proves that they are one they may be two
// chats, whose transcripts stay apart: everybody ends with an OK, and begins with one.
func (l *Ledger) Join(from messages.ConversationID, next messages.Occurrence,
	entries []Entry) (offset messages.Occurrence, twice []messages.Occurrence) {
	offset = l.head.Next - 1
	l.head.Next = offset + max(next, 1)
	entries = slices.Clone(entries)
	first, after := shared(l.entries, entries)
	before := false
	if first == after {
		if n, m := shared(entries, l.entries); n < m { // the other one continues this one
			first, after, before = len(entries)-m, len(entries), true
		}
	}
	one := first < after || len(l.entries) == 0
	for _, e := range entries[first:after] {
		twice = append(twice, e.Occurrence)
	}
	entries = slices.Delete(entries, first, after)
	for i := range entries {
		if entries[i].Occurrence += offset; !one && entries[i].Chat == "" {
			entries[i].Chat = from
		}
		entries[i].form = nil
	}
	all := append(slices.Clone(l.entries), entries...)
	if before {
		all = append(entries, l.entries...)
	}
	l.lay(all, len(all))
	l.head.Whole = l.head.Whole && one && !before
	return offset, twice
}

// lay gives entries positions in this order; those from an index on are the shown chat's.
func (l *Ledger) lay(all []Entry, shown int) {
	for _, e := range l.entries {
		l.dirty[e.Pos] = true
	}
	l.moved = make(map[int64]int64, len(all))
	for i := range all {
		was := all[i].Pos
		if all[i].Pos = int64(i) * room; i >= shown {
			all[i].Pos += 2 * aside
		}
		l.dirty[all[i].Pos] = true
		l.moved[was] = all[i].Pos
	}
	l.entries = all
}

// Relaid reports whether the last view or join gave entries other places. Then the memory of
// each other window must be replaced by that of [Ledger.Moved].
func (l *Ledger) Relaid() bool { return len(l.moved) > 0 }

// Moved is a memory that names places as they are after the last view or join.
func (l *Ledger) Moved(mem Memory) Memory {
	if !l.Relaid() || mem.Bottom < mem.Top {
		return mem
	}
	top, known := l.moved[mem.Top]
	bottom, all := l.moved[mem.Bottom]
	if mem.Top, mem.Bottom = top, bottom; !known || !all {
		mem.Top, mem.Bottom = 0, -1
	}
	return mem
}

// chats lists the chats whose transcripts are kept; the one shown last comes last.
func (l *Ledger) chats() (list []messages.ConversationID) {
	for _, e := range slices.Backward(l.entries) {
		if !slices.Contains(list, e.Chat) {
			list = append(list, e.Chat)
		}
	}
	slices.Reverse(list)
	return list
}

// only is a ledger with the entries of one chat.
func (l *Ledger) only(chat messages.ConversationID) *Ledger {
	sub := &Ledger{rules: l.rules, head: l.head}
	for _, e := range l.entries {
		if e.Chat == chat {
			sub.entries = append(sub.entries, e)
		}
	}
	return sub
}

// likeliest orders overlaps.
var likeliest = []messages.Overlap{messages.OverlapSame, messages.OverlapWeak, messages.OverlapGap,
	messages.OverlapBack, messages.OverlapApart, messages.OverlapOther, messages.OverlapNone}

// shows finds the chat that a view shows, and the one that the last view showed.
func (l *Ledger) shows(v View, mem Memory, now time.Time) (chat, last messages.ConversationID) {
	list := l.chats()
	if len(list) == 0 {
		return "", ""
	}
	chat = list[len(list)-1]
	if len(list) == 1 {
		return chat, chat
	}
	best := len(likeliest)
	for _, c := range slices.Backward(list) {
		if at := slices.Index(likeliest, l.only(c).overlap(v, mem, Watch{Recent: true}, now)); at < best {
			chat, best = c, at
		}
	}
	return chat, list[len(list)-1]
}

// alone leaves only the transcript of a chat in the ledger, and returns those of the others,
// which would be laid along its views otherwise. Its positions come after theirs, with room
// for what is older.
func (l *Ledger) alone(chat messages.ConversationID) (others []Entry) {
	var shown []Entry
	for _, e := range l.entries {
		if e.Chat == chat {
			shown = append(shown, e)
		} else {
			others = append(others, e)
		}
	}
	n := len(others)
	if n == 0 {
		return nil
	}
	if l.entries[n].Pos != shown[0].Pos || shown[0].Pos-others[n-1].Pos < aside {
		l.lay(append(others, shown...), n)
	}
	others, l.entries = slices.Clone(l.entries[:n]), slices.Clone(l.entries[n:])
	return others
}

// shared returns the length of the longest beginning of b that is the end of a, if it
// proves that both are one transcript.
func shared(a, b []Entry) (from, to int) {
	for n := min(len(a), len(b)); n > 0; n-- {
		weight := 0
		for i := range n {
			o := observation{Entry: b[i]}
			w := sameMessage(&o, &a[len(a)-n+i])
			if weight += w; w == 0 {
				weight = 0
				break
			}
		}
		if weight >= proves {
			return 0, n
		}
	}
	return 0, 0
}

// Entries returns the kept entries, in order.
func (l *Ledger) Entries() []Entry { return slices.Clone(l.entries) }
