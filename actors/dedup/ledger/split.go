package ledger

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Split removes entries that belong to another conversation: those of the occurrences
// and, with each, the entries below it that are not the other side's, up to the next one
// that stays. At the beginning of the transcript it also takes those above. The other
// entries keep their places.
func (l *Ledger) Split(occurrences []messages.Occurrence) (taken []Entry) {
	goes := make([]bool, len(l.entries))
	before := map[messages.ConversationID]bool{} // whether the last of a chat goes
	first := map[messages.ConversationID][]int{} // what comes before anything of the other side
	for i, e := range l.entries {
		switch chosen := slices.Contains(occurrences, e.Occurrence); {
		case chosen || e.Side == messages.SideIncoming && !e.Waiting && !e.Gone:
			goes[i] = chosen
			for _, above := range first[e.Chat] {
				goes[above] = chosen
			}
			before[e.Chat], first[e.Chat] = chosen, nil
		default:
			last, some := before[e.Chat]
			if goes[i] = last; !some {
				first[e.Chat] = append(first[e.Chat], i)
			}
		}
	}
	var kept []Entry
	for i, e := range l.entries {
		if !goes[i] {
			kept = append(kept, e)
			continue
		}
		l.dirty[e.Pos] = true
		e.form, e.Chat = nil, ""
		taken = append(taken, e)
	}
	l.entries = kept
	return taken
}
