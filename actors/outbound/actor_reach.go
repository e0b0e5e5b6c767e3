package outbound

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// The key of a conversation may be out of reach for now, and with it its replies. Those of others go on, unless the
// one that has the keyboard is among them: its text may stand in the field. What is withdrawn meanwhile is not sent
// once it is back.

// working has one row, "now": the row of the reply that has the keyboard or asks for it, "" for none. A sender of an
// older version has none.
var working = actors.NewTable[string]("working")

// stops holds what was withdrawn while replies were out of reach that it may mean, by arbitrary keys.
var stops = actors.NewTable[messages.StopSending]("stops")

const (
	readAgain = time.Second      // after a look the replies are looked at again that could not be read
	ownAgain  = 10 * time.Second // after which a bubble is looked for again that may be that of such a reply
)

// reach takes up the replies that are in reach again. If nothing may be sent without one that is not, it fails the
// turn, whose message waits.
func (a *actor) reach(turn *actors.Turn) bool {
	away := Replies.Away(turn)
	for _, row := range slices.Sorted(maps.Keys(away)) {
		if now, known := working.Get(turn, "now"); !known || now == row {
			turn.Fail(fmt.Errorf("outbound: a reply that may have the keyboard: %w", away[row]))
			return false
		}
	}
	before := a.unread
	a.unread = slices.Sorted(maps.Keys(away))
	for _, row := range before {
		if away[row] != nil {
			continue
		}
		if s, there := Replies.Get(turn, row); there {
			a.takeUp(turn, row, s)
		}
	}
	if len(before) > 0 && len(away) == 0 {
		stops.Clear(turn)
	}
	return true
}

// takeUp continues a reply that an earlier activation left behind, or that was out of reach.
func (a *actor) takeUp(turn *actors.Turn, row string, s Reply) {
	if s.Notified {
		a.tell(turn, true, s.Busy)
	}
	for _, m := range stops.All(turn) {
		if s.meant(m) {
			a.happened(turn, row, Event{Kind: OnStop})
		}
	}
	a.happened(turn, row, Event{Kind: OnRestart})
}

// meant reports whether a withdrawal means a reply.
func (s Reply) meant(m messages.StopSending) bool {
	return s.Conversation == m.Conversation && s.Turn == m.Turn && s.Epoch == m.Epoch && s.Key == m.Key
}

// works notes whether a reply has the keyboard or asks for it.
func works(turn *actors.Turn, row string, now Reply) {
	if !now.State.Works() {
		row = ""
	}
	working.Put(turn, "now", row)
}
