package runtime

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// ears keep what comes out of a replay.
type ears struct {
	got   []heard
	place []messages.Occurrence     // of each in got
	heard map[string]messages.Heard // that went into ingress, by the message's id
	sent  []said
	// changed holds what was published of messages after their delivery.
	changed []messages.MessageChanged
	lines   bool // each line of a text is a message: profile seed joins them
}

func newEars() ears { return ears{heard: map[string]messages.Heard{}} }

func (e *ears) delivered(m messages.MessageDelivered) {
	for _, part := range m.Parts {
		for _, text := range e.texts(part.Text) {
			e.add(heard{conversation: string(m.Conversation), sender: string(m.Sender), kind: part.Kind, text: text}, part.Occurrence)
		}
	}
}

// dropped notes what an echo stage stopped, where it would have come out.
func (e *ears) dropped(d messages.Dropped) {
	h, ok := e.heard[d.Cause]
	if !ok || !strings.HasPrefix(d.Reason, "echo") {
		return
	}
	for _, text := range e.texts(h.Text) {
		e.add(heard{conversation: string(h.Conversation), sender: string(h.Sender), kind: h.Kind, text: text, echo: true}, h.Occurrence)
	}
}

// texts are the messages in a text.
func (e *ears) texts(t messages.Text) []string {
	if !e.lines {
		return []string{string(t)}
	}
	return strings.Split(string(t), "\n")
}

// add keeps the order in which messages came out. Only what was dropped is put
// before what came out of the same conversation with a higher occurrence, and
// behind what came out later with a lower one.
func (e *ears) add(h heard, at messages.Occurrence) {
	i := len(e.got)
	for j := len(e.got) - 1; j >= 0; j-- {
		if e.got[j].conversation != h.conversation {
			continue
		}
		if !(h.echo || e.got[j].echo) || e.place[j] <= at {
			break
		}
		i = j
	}
	e.got = slices.Insert(e.got, i, h)
	e.place = slices.Insert(e.place, i, at)
}

// expected is what the window has shown, by conversation and in the order in
// which it was said.
func expected(chat script.Script, w *drawn.Window) []said {
	type place struct {
		conversation string
		index        int
	}
	texts := map[place][]string{}
	for conversation, events := range appended(chat) {
		for n, i := range events {
			at, ok := w.FromScript(conversation, i)
			if !ok {
				continue
			}
			texts[place{conversation, at}] = versions(chat, conversation, i, n)
		}
	}
	truth := w.Truth()
	out := make([]said, len(truth))
	order := make([]int, len(truth))
	for i, s := range truth {
		where := place{s.Conversation, s.Index}
		all := append([]string{string(s.Text)}, texts[where]...)
		slices.Sort(all[1:])
		out[i] = said{conversation: s.Conversation, kind: s.Kind, texts: slices.Compact(all), free: scrolledBack(truth[:i], s)}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(truth[a].Conversation, truth[b].Conversation), cmp.Compare(truth[a].Index, truth[b].Index))
	})
	sorted := make([]said, len(out))
	for i, j := range order {
		sorted[i] = out[j]
	}
	return sorted
}

// scrolledBack reports that an earlier capture showed newer messages.
func scrolledBack(before []drawn.Seen, s drawn.Seen) bool {
	return slices.ContainsFunc(before, func(o drawn.Seen) bool {
		return o.Conversation == s.Conversation && o.Index > s.Index && o.At.Before(s.At)
	})
}

// appended lists for each conversation the events that put messages into it.
func appended(chat script.Script) map[string][]int {
	out := map[string][]int{}
	for i, e := range chat.Events {
		if e.Do == "" {
			out[e.Conversation] = append(out[e.Conversation], i)
		}
	}
	return out
}

// versions lists what the message of an event, the nth of its conversation,
// says in the course of a script.
func versions(chat script.Script, conversation string, event, n int) []string {
	out := []string{string(chat.Events[event].Text)}
	for _, e := range chat.Events {
		if e.Do == script.Edit && e.Conversation == conversation && e.Index == n {
			out = append(out, string(e.Text))
		}
	}
	return out
}

// ownTexts lists what the window's owner says by hand.
func ownTexts(chat script.Script) map[string][]string {
	out := map[string][]string{}
	for conversation, events := range appended(chat) {
		for n, i := range events {
			if e := chat.Events[i]; e.Who == drawn.Me && e.Kind == messages.KindText {
				out[conversation] = append(out[conversation], versions(chat, conversation, i, n)...)
			}
		}
	}
	return out
}
