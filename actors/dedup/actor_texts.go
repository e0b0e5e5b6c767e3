package dedup

import (
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Tables of recent texts, whose rows are numbered.
var (
	Lines  = actors.NewTable[recent.Row]("lines")
	Prints = actors.NewTable[recent.Row]("prints")
)

// texts passes on the new lines of a detection without positions.
func (a *actor) texts(turn *actors.Turn, m messages.Detection) error {
	a.load(turn)
	at := seenAt(m.SeenAt, turn.Now())
	detail := events.Detail{Window: m.Window, Conversation: a.conversation, Score: m.Score}
	if ok, err := a.fresh(turn, m.Text, at, detail); err != nil || !ok {
		return err
	}
	if err := a.remember(turn, m.Text, at); err != nil {
		return err
	}
	occurrence, history := a.ledger.TakeText(m.Title, m.Window)
	Heads.Put(turn, HeadRow, a.ledger.Head())
	if history {
		turn.Drop(events.StageDedup, events.RuleForgotten, detail)
		return nil
	}
	h := messages.IncomingBubble{
		Conversation: a.conversation, Occurrence: occurrence, Sender: m.Title, Kind: messages.KindText, Text: m.Text,
		Window: m.Window, SeenAt: m.SeenAt,
	}
	turn.Send(messages.To(messages.ActorIngress, string(a.conversation)), h)
	detail.Occurrences = []messages.Occurrence{h.Occurrence}
	turn.Pass(events.StageDedup, events.RuleNewText, detail)
	return nil
}

// evidence checks a message that the ledger lets through without proof by its place, and
// remembers what passes. Messages of a view below one that has passed are new.
func (a *actor) evidence(turn *actors.Turn, h messages.IncomingBubble) (passes bool, err error) {
	if h.Kind != messages.KindText {
		return true, nil
	}
	at := seenAt(h.SeenAt, turn.Now())
	if !h.Fresh {
		w, err := a.recentTexts(turn)
		if err != nil {
			return false, err
		}
		if !w.Passed(at) {
			detail := events.Detail{Window: h.Window, Conversation: a.conversation,
				Occurrences: []messages.Occurrence{h.Occurrence}}
			if ok, err := a.fresh(turn, h.Text, at, detail); err != nil || !ok {
				return false, err
			}
		}
	}
	return true, a.remember(turn, h.Text, at)
}

// fresh checks a text against recent texts and records the result.
func (a *actor) fresh(turn *actors.Turn, t messages.Text, at time.Time, detail events.Detail) (bool, error) {
	w, err := a.recentTexts(turn)
	if err != nil {
		return false, err
	}
	v := w.Check(a.conversation, t, at)
	for _, hit := range v.Fuzzy {
		turn.Publish(events.FuzzyDedupHit{
			Conversation: a.conversation, Query: a.mark(hit.Query), Matched: a.mark(hit.Matched), At: turn.Now(),
		})
	}
	if v.Rule == "" {
		return true, nil
	}
	detail.Age, detail.Match, detail.Count = v.Age, events.MatchEqual, v.Lines
	if len(v.Fuzzy) > 0 {
		detail.Match = events.MatchSimilar
	}
	turn.Drop(events.StageDedup, v.Rule, detail)
	return false, nil
}

func (a *actor) mark(t messages.Text) events.TextMark {
	return events.TextMark{Hash: text.Hash(a.key, string(t)), Runes: utf8.RuneCountInString(string(t)), Text: t}
}

// recentTexts loads the recent texts from the tables.
func (a *actor) recentTexts(turn *actors.Turn) (*recent.Texts, error) {
	if a.recent != nil {
		return a.recent, nil
	}
	w := recent.New(a.recentRules)
	for key, row := range Lines.All(turn) {
		no, err := actors.RowNumber(key)
		if err != nil {
			return nil, err
		}
		w.LoadLine(no, row)
	}
	for key, row := range Prints.All(turn) {
		no, err := actors.RowNumber(key)
		if err != nil {
			return nil, err
		}
		w.LoadPrint(no, row)
	}
	a.recent = w
	return w, nil
}

func (a *actor) remember(turn *actors.Turn, t messages.Text, at time.Time) error {
	w, err := a.recentTexts(turn)
	if err != nil {
		return err
	}
	w.Remember(a.conversation, t, at)
	c := w.Changes()
	for _, no := range c.LinesGone {
		Lines.Delete(turn, actors.RowKey(no))
	}
	for _, no := range c.PrintsGone {
		Prints.Delete(turn, actors.RowKey(no))
	}
	for _, no := range slices.Sorted(maps.Keys(c.Lines)) {
		Lines.Put(turn, actors.RowKey(no), c.Lines[no])
	}
	for _, no := range slices.Sorted(maps.Keys(c.Prints)) {
		Prints.Put(turn, actors.RowKey(no), c.Prints[no])
	}
	return nil
}

// seenAt is the time of a frame, never later than now.
func seenAt(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		at = now
	}
	return at.UTC().Round(0)
}
