package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// expected is what the window has shown, by conversation and in the order in which it was
// said.
func (p *playback) expected() []said {
	chat, w := p.o.Script, p.window
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
		out[i] = said{conversation: s.Conversation, kind: s.Kind, texts: slices.Compact(all),
			free: p.history(truth[:i], s) || s.Alike && p.gapReported(s.Conversation), partial: s.Partial}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(truth[a].Conversation, truth[b].Conversation),
			cmp.Compare(truth[a].Index, truth[b].Index))
	})
	sorted := make([]said, len(out))
	for i, j := range order {
		sorted[i] = out[j]
	}
	return sorted
}

// history reports whether a message need not come out: it was scrolled back to, or a
// conversation that was never seen is not passed on from so far up.
func (p *playback) history(before []drawn.Seen, s drawn.Seen) bool {
	switch d := p.cfg.Dedup; {
	case scrolledBack(before, s):
		return true
	case s.Later == drawn.NotFirst || d.FirstSight == "all":
		return false
	case d.FirstSight == "none":
		return true
	default:
		return s.Later < 0 || s.Later >= p.cfg.Rules.Ledger.FirstAtMost
	}
}

// gapReported reports whether it was said that messages of a conversation may be missing.
func (p *playback) gapReported(conversation string) bool {
	return slices.ContainsFunc(p.recorder.gaps, func(c messages.ConversationID) bool {
		return strings.TrimPrefix(string(p.called(c)), p.cfg.Windows[0].App+":") == conversation
	})
}

// scrolledBack reports whether an earlier capture showed newer messages.
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

// versions lists the texts that the message of an event, the nth of its conversation, has
// in the course of a script.
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
