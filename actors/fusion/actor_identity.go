package fusion

import (
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// comparison is a reading that waits for what conversations have shown of it.
type comparison struct {
	read   messages.FrameRead
	shared []messages.Shared
	left   []messages.ConversationID // that have not answered yet
	asked  int                       // of the answer that asked for it
}

func (c *comparison) of(frame messages.FrameHash, at time.Time) bool {
	return c.read.Hash == frame && c.read.At.Equal(at)
}

// ask asks whose conversation a frame shows, and keeps the frame until the answer
// is there. The poller sends it again if that takes long.
func (a *actor) ask(turn *actors.Turn, m messages.FrameRead) {
	a.asked = &m
	a.question(turn, m, messages.Identify{})
}

// identified goes on with the frame that waits, once its conversation is known.
func (a *actor) identified(turn *actors.Turn, answer messages.Identified) {
	if a.wanted != nil && a.wanted.Read.Hash == answer.Frame && a.wanted.Read.At.Equal(answer.At) {
		a.wantedIdentified(turn, answer)
		return
	}
	if a.asked == nil || a.asked.Hash != answer.Frame || !a.asked.At.Equal(answer.At) {
		return // that of an older frame
	}
	m := *a.asked
	if a.compare(turn, m, answer) {
		return
	}
	a.asked = nil
	a.streak.note(m, answer)
	a.steady.note(m, answer.Unlisted, func() time.Time { return a.steadySince(turn, m) })
	if answer.Why != "" {
		a.contestUnknown(turn, m, answer.Why)
		a.keep(turn, m, answer)
		a.hold(turn, m, answer.Why)
		return
	}
	k := known{current: a.latest(turn), title: answer.Name, unlisted: answer.Unlisted}
	a.watched = m.Watched
	a.reopened.identified(answer.Conversation)
	a.endUnknown(turn)
	for _, from := range answer.Merged {
		a.join(turn, from, answer.Conversation)
	}
	view := viewOf(answer.Conversation, m.Bubbles)
	view.Moves = answer.Moves
	switch {
	case answer.Unlisted:
		// It has no id. This one is never stored.
		view.Conversation = messages.ConversationID("-" + answer.Name)
	case answer.Conversation == "": // an empty window of nobody's
		a.settle(turn, m)
		return
	}
	a.o.Strategy.take(a, turn, m, view, k)
}

// join takes what was shown last of a conversation for that of the one that it went
// into.
func (a *actor) join(turn *actors.Turn, from, into messages.ConversationID) {
	if view, ok := lastViews.Get(turn, string(from)); ok {
		lastViews.Delete(turn, string(from))
		own, _ := lastViews.Get(turn, string(into))
		looks := append(slices.Clone(own.Looks), view.Looks...)
		if own.Conversation == "" || own.At.Before(view.At) {
			own, own.Conversation = view, into
		}
		own.Looks = looks[max(0, len(looks)-looksMost):]
		lastViews.Put(turn, string(into), own)
	}
	if sent, ok := echoes.Get(turn, string(from)); ok {
		echoes.Delete(turn, string(from))
		if _, own := echoes.Get(turn, string(into)); !own {
			echoes.Put(turn, string(into), sent.of(into))
		}
	}
	if now, _ := current.Get(turn, "current"); now == from {
		current.Put(turn, "current", into)
	}
	if p, ok := pendings.Get(turn, "held"); ok && p.View.Conversation == from {
		pendings.Delete(turn, "held") // the frame comes again
	}
}

// of are the same texts as those of another conversation.
func (e Echoes) of(c messages.ConversationID) Echoes {
	e.Sends, e.Claims = slices.Clone(e.Sends), slices.Clone(e.Claims)
	for i := range e.Sends {
		e.Sends[i].Conversation = c
	}
	for i := range e.Claims {
		e.Claims[i].Conversation = c
	}
	return e
}

// compare finds out what conversations have shown of a reading, if an answer asks
// for that. Those that the answer names are compared by their transcripts;
// otherwise all are, by their last views.
func (a *actor) compare(turn *actors.Turn, m messages.FrameRead, answer messages.Identified) bool {
	switch {
	case answer.Search:
		shared := joined(a.search(turn, m), a.searchHeld(turn, m), false)
		a.question(turn, m, messages.Identify{Searched: true, Shared: shared})
	case len(answer.Compare) == 0:
		return false
	case !a.o.Strategy.needsProof() || placeless(m.Bubbles):
		var shared []messages.Shared
		for _, c := range answer.Compare {
			shared = append(shared, messages.Shared{Conversation: c, Overlap: a.byText(turn, c, m)})
		}
		a.compared(turn, m, shared, answer.Asked)
	default:
		a.comparing = slices.DeleteFunc(a.comparing, func(c *comparison) bool {
			return a.asked == nil || !c.of(a.asked.Hash, a.asked.At)
		})
		a.comparing = append(a.comparing, &comparison{read: m, left: slices.Clone(answer.Compare),
			asked: answer.Asked})
		for _, c := range answer.Compare {
			bubbles, _ := a.claimed(turn, m, View{Conversation: c})
			turn.Send(messages.To(messages.ActorDedup, string(c)), messages.AskOverlap{
				Window: a.window, Frame: m.Hash, At: m.At, Bubbles: bubbles, Marks: m.Marks, Size: m.Size,
				Scale: m.Scale, Watched: a.unwatched(turn, c, m) < time.Second*time.Duration(len(m.Bubbles)),
				Unbroken: a.streak.until(m, c),
			})
		}
	}
	return true
}

// byText compares a reading with a conversation when the bubbles have no positions. Text
// alone cannot show that there is a gap.
func (a *actor) byText(turn *actors.Turn, c messages.ConversationID, m messages.FrameRead) messages.Overlap {
	last, _ := lastViews.Get(turn, string(c))
	if last.run(viewOf(c, m.Bubbles)) >= runProof {
		return messages.OverlapSame
	}
	return messages.OverlapNone
}

// overlapAnswered takes what a conversation has shown of a reading that waits. Once all
// have told, the directory is asked again.
func (a *actor) overlapAnswered(turn *actors.Turn, m messages.OverlapAnswer) {
	i := slices.IndexFunc(a.comparing, func(c *comparison) bool {
		return c.of(m.Frame, m.At) && slices.Contains(c.left, m.Conversation)
	})
	if i < 0 {
		return
	}
	c := a.comparing[i]
	c.left = slices.DeleteFunc(c.left, func(id messages.ConversationID) bool { return id == m.Conversation })
	c.shared = append(c.shared, messages.Shared{
		Conversation: m.Conversation, Overlap: a.overlap(turn, c.read, m.Conversation, m.Overlap),
	})
	if len(c.left) > 0 {
		return
	}
	a.comparing = slices.Delete(a.comparing, i, i+1)
	a.compared(turn, c.read, c.shared, c.asked)
}

// compared asks again, now with what each conversation that the title may mean has shown of
// the reading. If that proves none of them, other conversations may have shown it too.
func (a *actor) compared(turn *actors.Turn, m messages.FrameRead, shared []messages.Shared, asked int) {
	for i, s := range shared {
		if s.Overlap == messages.OverlapWeak && a.alone(turn, m, s.Conversation, shared) {
			shared[i].Overlap = messages.OverlapSame // its header too
		}
		a.parted.note(s, m.At)
	}
	q := messages.Identify{Compared: true, Asked: asked, Shared: shared}
	if !slices.ContainsFunc(shared, func(s messages.Shared) bool { return s.Overlap == messages.OverlapSame }) {
		q.Searched = true
		q.Shared = joined(q.Shared, a.search(turn, m), false)
		q.Shared = joined(q.Shared, a.searchBehind(turn, m), true)
	}
	a.question(turn, m, q)
}

// drawnWhole is how many readings of a title in a row are no longer of a moment in which the header is new and
// the bubbles are those of the one before.
const drawnWhole = 3

// overlap refines what the transcript of a conversation says about a reading by what the
// window has shown in the meantime.
func (a *actor) overlap(turn *actors.Turn, m messages.FrameRead, c messages.ConversationID,
	answer messages.Overlap) messages.Overlap {
	bubbles, _ := a.claimed(turn, m, View{Conversation: c})
	view, latest := viewOf(c, bubbles), a.latest(turn)
	own, _ := lastViews.Get(turn, string(c))
	if answer == messages.OverlapSame || answer == messages.OverlapNone || answer == messages.OverlapWeak {
		return answer
	}
	first := m
	for _, row := range trail(heldRows(turn), viewOf("", m.Bubbles)) {
		if text.Normalize(string(row.Detection.Title)) != titleOf(m) {
			first.At = row.Detection.SeenAt // a stranger's then, a stranger's now
			break
		}
	}
	switch pause := a.unwatched(turn, c, first); {
	case latest.Conversation == c && own.edited(view):
		return messages.OverlapWeak
	case latest.Conversation != c && latest.claims(view) && a.unknown.with(m) < drawnWhole:
		return messages.OverlapApart // the header was drawn before the bubbles: see consistency
	case answer == messages.OverlapOther && own.lessened(view):
		return messages.OverlapApart // a panel may hide what is missing, or its last message was deleted
	case answer != messages.OverlapBack && a.emptied(turn, m, c):
		a.reopened.anew = true
		return messages.OverlapGap
	case answer != messages.OverlapGap:
		return answer
	case whole(m): // what the conversation has shown would be there too
		if a.unknown.title == titleOf(m) && a.unknown.first.grown(view) {
			return messages.OverlapOther
		}
		return messages.OverlapApart
	case pause >= time.Second*time.Duration(len(m.Bubbles)):
		return messages.OverlapGap
	case a.unknown.title == titleOf(m) && a.unknown.first.grown(view):
		return messages.OverlapOther
	}
	return messages.OverlapApart
}

// unwatched is for how long a reading's window has not been seen to show what a
// conversation showed last.
func (a *actor) unwatched(turn *actors.Turn, c messages.ConversationID, m messages.FrameRead) time.Duration {
	own, _ := lastViews.Get(turn, string(c))
	since := own.Left
	if a.latest(turn).Conversation == c {
		since = m.Watched
	}
	if since.IsZero() {
		since = own.At
	}
	return m.At.Sub(since)
}

// goesOn reports whether v shows l after scrolling: from some bubble of l on, all bubbles that
// both show agree. These must be telling enough, and at least half of the smaller view. A view of a
// whole transcript shows all that l does. It may only look whole, because a panel or a picture that is no
// bubble takes the room: then as many texts must agree as prove a conversation.
func (l View) goesOn(v View, whole bool) bool {
	if l.Digest == v.Digest {
		return len(v.Marks) > 0
	}
	for by := range l.Marks {
		n, weight := min(len(l.Marks)-by, len(v.Marks)), 0
		same := common{texts: map[messages.Text]bool{}}
		for i := range n {
			if !v.Marks[i].is(l.Marks[by+i]) {
				n = 0
				break
			}
			weight += v.Marks[i].weight()
			same.texts[v.Marks[i].Text], same.own = true, same.own || v.Marks[i].Side == messages.SideOwn
		}
		less := by > 0 || len(l.Marks) > len(v.Marks)
		if whole && less && !same.proves() {
			continue
		}
		if weight >= runProof && 2*n >= min(len(l.Marks), len(v.Marks)) {
			return true
		}
	}
	return false
}

// lessened reports whether v goes on from l without its beginning, or from all of it but the last message:
// an application deletes that without a notice.
func (l View) lessened(v View) bool {
	begins := func(n int) bool {
		return n > 0 && len(v.Marks) >= n && slices.EqualFunc(l.Marks[:n], v.Marks[:n], Mark.is)
	}
	n := len(l.Marks)
	return !begins(n) && (begins(n-1) || l.goesOn(v, false))
}

// What is empty above the first bubble of a whole transcript, or below its last one: one part in so many of the
// window, and below more than an input field, in logical pixels.
const (
	roomShare   = 4
	fieldAtMost = 120
)

// whole reports whether a reading shows a whole transcript: it does not fill the window.
func whole(m messages.FrameRead) bool {
	if placeless(m.Bubbles) || m.Bubbles[0].Clipped || m.Size.H <= 0 || m.Scale <= 0 {
		return false
	}
	last := m.Bubbles[len(m.Bubbles)-1].Box
	end := m.Size.H
	if m.Input.H > 0 && m.Input.Y >= last.Y+last.H {
		end = m.Input.Y // a long draft makes it high
	}
	below := end - last.Y - last.H
	return roomShare*m.Bubbles[0].Box.Y >= m.Size.H ||
		last.H > 0 && roomShare*below > m.Size.H && float64(below) > fieldAtMost*m.Scale
}

// grown reports whether v goes on from l at its end: nobody has scrolled back.
func (l View) grown(v View) bool {
	if len(l.Marks) == 0 || !l.leads(v) {
		return false
	}
	last := l.Marks[len(l.Marks)-1]
	for i, m := range v.Marks {
		before := len(l.Marks) == 1 || i > 0 && v.Marks[i-1].is(l.Marks[len(l.Marks)-2])
		if before && m.is(last) && i < len(v.Marks)-1 {
			return true
		}
	}
	return false
}

// How many different texts in a row must be the same before they prove a conversation under
// any title: others may get the same few messages, and some of ours, again and again.
const (
	sameEnough    = 4
	sameEnoughOwn = 3 // if one of them is our side's
)

// search lists the conversations that have shown what a reading shows: half of it, or
// something that ends in all that they have shown.
func (a *actor) search(turn *actors.Turn, m messages.FrameRead) []messages.Shared {
	return a.shownBy(turn, viewOf("", m.Bubbles))
}

func (a *actor) shownBy(turn *actors.Turn, view View) (out []messages.Shared) {
	for _, l := range lastViews.All(turn) {
		n := l.shared(view)
		if l.run(view) < runProof || 2*n < len(view.Marks) && n < len(l.Marks) {
			continue
		}
		found := messages.Shared{Conversation: l.Conversation, Overlap: messages.OverlapWeak}
		if l.proves(view) {
			found.Overlap = messages.OverlapSame
		} else if n > 1 && n == len(l.Marks) {
			found.Overlap = messages.OverlapAll
		}
		out = append(out, found)
	}
	slices.SortFunc(out, func(x, y messages.Shared) int {
		return strings.Compare(string(x.Conversation), string(y.Conversation))
	})
	return out
}

// proves reports whether a run of both views proves that one conversation shows them.
func (l View) proves(v View) bool {
	for by := 1 - len(v.Marks); by < len(l.Marks); by++ {
		texts, own := map[messages.Text]bool{}, false
		for i, m := range v.Marks {
			if i+by < 0 || i+by >= len(l.Marks) {
				continue
			}
			if !m.looks(l.Marks[i+by]) {
				clear(texts)
				own = false
				continue
			}
			texts[m.Text], own = true, own || m.Side == messages.SideOwn
			if n := len(texts); n >= sameEnough || own && n >= sameEnoughOwn {
				return true
			}
		}
	}
	return false
}

// searchHeld lists the conversations that have shown what is held and continues in a reading.
// That proves none of them: only their common messages connect the two.
func (a *actor) searchHeld(turn *actors.Turn, m messages.FrameRead) (out []messages.Shared) {
	return a.shownByRows(turn, trail(heldRows(turn), viewOf("", m.Bubbles)))
}

// searchBehind is searchHeld without what the reading shows itself: that was compared with the transcripts.
func (a *actor) searchBehind(turn *actors.Turn, m messages.FrameRead) (out []messages.Shared) {
	view := viewOf("", m.Bubbles)
	return a.shownByRows(turn, slices.DeleteFunc(trail(heldRows(turn), view), func(r heldRow) bool {
		return viewOf("", r.Detection.Bubbles).shared(view) == len(r.Detection.Bubbles)
	}))
}

func (a *actor) shownByRows(turn *actors.Turn, rows []heldRow) (out []messages.Shared) {
	for _, row := range rows {
		found := a.shownBy(turn, viewOf("", row.Detection.Bubbles))
		for i := range found {
			if found[i].Overlap == messages.OverlapSame {
				found[i].Overlap = messages.OverlapWeak
			}
		}
		out = joined(out, found, false)
	}
	return out
}

// shows are the overlaps with a conversation that has shown something of a reading.
var shows = []messages.Overlap{messages.OverlapSame, messages.OverlapAll, messages.OverlapWeak}

// joined is a list with what else was found. Where the list says that a conversation shows
// nothing of a reading, over says that what was found counts instead.
func joined(list, found []messages.Shared, over bool) []messages.Shared {
	for _, s := range found {
		i := slices.IndexFunc(list, func(o messages.Shared) bool { return o.Conversation == s.Conversation })
		switch {
		case i < 0:
			list = append(list, s)
		case over && !slices.Contains(shows, list[i].Overlap):
			list[i] = s
		}
	}
	return list
}

func (a *actor) question(turn *actors.Turn, m messages.FrameRead, q messages.Identify) {
	q.Window, q.Frame, q.At, q.Title = a.window, m.Hash, m.At, m.Title
	q.Empty = a.o.Strategy.needsProof() && len(m.Bubbles) == 0
	q.Blank = a.o.Strategy.needsProof() && a.blank.long(m)
	showing := func(l View) {
		if bubbles, _ := a.claimed(turn, m, l); l.Conversation != "" && l.goesOn(viewOf("", bubbles), whole(m)) {
			q.Shows, q.Moves = l.Conversation, l.Moves
		}
	}
	if a.ignored.Conversation == "" {
		showing(a.latest(turn))
	}
	pending, _ := pendings.Get(turn, "held")
	showing(pending.View)
	q.Unlike = a.otherHeaders(turn, m, q.Shared)
	q.Beside = beside(heldRows(turn), m.Name)
	if a.asked != nil && a.asked.Hash == m.Hash && a.asked.At.Equal(m.At) { // a sender has the title read
		q.Still, q.Look = a.header.is(q.Shows, m), a.look(turn, m)
	}
	for i := range a.namers {
		a.namers[i].shown(titleOf(m))
	}
	q.Names = names(a.namers, a.unknown, titleOf(m), viewOf("", m.Bubbles))
	q.Readings = a.unknown.with(m)
	turn.Send(messages.To(messages.ActorDirectory, a.o.App), q)
}

// titleOf is the title of a reading, for comparing.
func titleOf(m messages.FrameRead) string { return text.Normalize(string(m.Title.Text)) }

// forgetView forgets what this window has shown of a conversation, because some of it belongs
// to another now. The next frame is compared with the transcripts of both.
func (a *actor) forgetView(turn *actors.Turn, c messages.ConversationID) {
	lastViews.Delete(turn, string(c))
	if now, _ := current.Get(turn, "current"); now == c {
		current.Delete(turn, "current")
	}
	if p, ok := pendings.Get(turn, "held"); ok && (p.View.Conversation == c || p.Detection.Conversation == c) {
		pendings.Delete(turn, "held")
	}
	a.readAgain(turn)
}
