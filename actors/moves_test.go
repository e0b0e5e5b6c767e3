package actors_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// look shows a chat for a while.
func (p *pipeline) look(name string, d time.Duration) {
	p.shown, p.back = name, 0
	p.title = p.header()
	p.sim.Advance(d)
}

// order has the directory do something.
func (p *pipeline) order(m messages.Message) error {
	return p.sim.Await(func(ctx context.Context) error {
		return p.sim.Engine().Inject(ctx, messages.To(directory.Kind, "line"), m, "")
	})
}

// delivered are the texts of all messages that the host got, and of those that a conversation keeps.
func (p *pipeline) delivered(c messages.ConversationID) (told, kept []string, err error) {
	err = p.sim.Engine().ReadLog(0, func(ev engine.Published) bool {
		if d, ok := ev.Message.(messages.MessageDelivered); ok {
			for _, part := range d.Parts {
				told = append(told, string(part.Text))
			}
		}
		return true
	})
	for n := int64(0); n < 200 && err == nil; n++ {
		raw, ok, _ := p.store.Get([]byte("s/conversation/" + string(c) + "\x00messages\x00" + conversation.RowKey(n)))
		if !ok {
			continue
		}
		d, bad := conversation.Messages.Decode(raw)
		for _, part := range d.Parts {
			kept = append(kept, string(part.Text))
		}
		err = bad
	}
	return told, kept, err
}

// heard are the incoming texts of chats.
func (p *pipeline) heard(names ...string) (list []string) {
	for _, name := range names {
		for _, s := range p.chats[name] {
			if !s.own {
				list = append(list, s.text)
			}
		}
	}
	return list
}

// disturb lets the window be turned from chat to chat, a few messages come, and turns,
// commits and the process fail, while something is on its way.
func (p *pipeline) disturb(t *testing.T, moves ...messages.Message) {
	p.faults = faults{turn: p.rng.Float64() * 0.1, crash: p.rng.Float64() * 0.03, commit: p.rng.Float64() * 0.03,
		slow: map[messages.Type]bool{}}
	for _, m := range moves {
		p.faults.slow[m.MessageType()] = p.rng.IntN(4) > 0
	}
	left := map[string]int{"Hana": 2, "Ken": 2}
	for range 12 {
		name := []string{"Hana", "Ken"}[p.rng.IntN(2)]
		if left[name] > 0 && p.rng.IntN(3) == 0 {
			left[name]--
			p.say(name)
		}
		if p.rng.IntN(2) == 0 {
			p.shown, p.title = name, ""
			p.title = p.header()
		}
		if dying(p.pass) || p.rng.IntN(15) == 0 {
			p.crash(t)
		}
	}
	p.faults = faults{}
}

// unchanged fails if something is a dead letter, was changed, or did not come once.
func (p *pipeline) unchanged(kept map[messages.ConversationID][]string) error {
	dead, err := p.sim.Engine().DeadLetters()
	if err != nil || len(dead) > 0 {
		return fmt.Errorf("dead letters %v, %v, want none", dead, err)
	}
	var changed []messages.MessageChanged
	err = p.sim.Engine().ReadLog(0, func(ev engine.Published) bool {
		if c, ok := ev.Message.(messages.MessageChanged); ok {
			changed = append(changed, c)
		}
		return true
	})
	if err != nil || len(changed) > 0 {
		return fmt.Errorf("changes %+v, %v, want none: nobody changed anything", changed, err)
	}
	sorted := func(list []string) string { slices.Sort(list); return strings.Join(list, " ") }
	for c, want := range kept {
		told, got, err := p.delivered(c)
		if all := p.heard("Hana", "Ken"); err != nil || sorted(told) != sorted(all) {
			return fmt.Errorf("delivered, %v, %d\n\t%s\nwant %d\n\t%s", err, len(told), sorted(told), len(all),
				sorted(all))
		}
		if sorted(got) != sorted(want) {
			return fmt.Errorf("%s keeps %d\n\t%s\nwant %d\n\t%s", c, len(got), sorted(got), len(want), sorted(want))
		}
	}
	return nil
}

// watched is a pipeline in which two chats were read.
func watched(t *testing.T, seed uint64, called map[string]string) *pipeline {
	t.Helper()
	p := newPipeline(t, seed)
	p.noise, p.called = 0, called
	for _, name := range []string{"Hana", "Ken"} {
		for len(p.chats[name]) < 7 {
			p.say(name)
		}
		p.look(name, 5*time.Minute)
	}
	return p
}

// mergedChats plays a merge of two chats that are read on meanwhile.
func mergedChats(t *testing.T, seed uint64) error {
	p := watched(t, seed, nil)
	from, into := messages.ConversationID(p.id("Hana")), messages.ConversationID(p.id("Ken"))
	if p.rng.IntN(2) == 0 {
		p.look("Hana", time.Duration(p.rng.IntN(5000))*time.Millisecond)
	}
	if err := p.order(messages.Merge{Conversation: from, Into: into}); err != nil {
		return err
	}
	p.disturb(t, messages.JoinLedger{}, messages.LedgerJoined{}, messages.JoinTalk{}, messages.TalkJoined{})
	for _, name := range []string{"Hana", "Ken", "Hana"} {
		p.look(name, 5*time.Minute)
	}
	return p.unchanged(map[messages.ConversationID][]string{into: p.heard("Hana", "Ken")})
}

// TestMergeSchedules: whatever comes first of the ledger that moves and of what the window
// shows meanwhile, every message is delivered once and none is taken for withdrawn.
func TestMergeSchedules(t *testing.T) {
	schedules(t, "TestMergeSchedules", mergedChats)
}

func schedules(t *testing.T, name string, play func(*testing.T, uint64) error) {
	t.Helper()
	orders := uint64(48)
	if testing.Short() { // all is deterministic: one goroutine at a time
		orders = 6
	}
	first, last := uint64(1), number(t, "KEHAI_SCHEDULES", orders)
	if seed := number(t, "KEHAI_SEED", 0); seed > 0 {
		first, last = seed, seed
	}
	failed := 0
	for seed := first; seed <= last; seed++ {
		if err := play(t, seed); err != nil {
			failed++
			t.Errorf("seed %d: %v\nreplay: KEHAI_SEED=%d go test -v -run %s ./actors", seed, err, seed, name)
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d orders fail", failed, last-first+1)
	}
}

// keeps lists the occurrences of the messages that a conversation keeps.
func (p *pipeline) keeps(c messages.ConversationID) (list []messages.Occurrence) {
	for n := int64(0); n < 200; n++ {
		raw, ok, _ := p.store.Get([]byte("s/conversation/" + string(c) + "\x00messages\x00" + conversation.RowKey(n)))
		if !ok {
			continue
		}
		d, err := conversation.Messages.Decode(raw)
		if err != nil {
			panic(err)
		}
		for _, part := range d.Parts {
			list = append(list, part.Occurrence)
		}
	}
	return list
}

// dividedChats plays the division of two chats that were merged by mistake and are read on
// meanwhile.
func dividedChats(t *testing.T, seed uint64) error {
	p := watched(t, seed, nil)
	from, into := messages.ConversationID(p.id("Hana")), messages.ConversationID(p.id("Ken"))
	first := messages.Occurrence(p.known("Ken"))
	if err := p.order(messages.Merge{Conversation: from, Into: into}); err != nil {
		return err
	}
	for _, name := range []string{"Hana", "Ken", "Hana"}[p.rng.IntN(2):] {
		p.look(name, 5*time.Minute)
	}
	var chosen []messages.Occurrence
	for _, o := range p.keeps(into) {
		if o > first {
			chosen = append(chosen, o)
		}
	}
	split := messages.Split{Conversation: "c-new", From: into, Name: "Hana", Occurrences: chosen}
	if err := p.order(split); err != nil {
		return err
	}
	p.disturb(t, messages.SplitLedger{}, messages.LedgerSplit{}, messages.SplitTalk{}, messages.TalkSplit{},
		messages.ForgetView{})
	for _, name := range []string{"Hana", "Ken", "Hana", "Ken"} {
		p.look(name, 5*time.Minute)
	}
	return p.unchanged(map[messages.ConversationID][]string{into: p.heard("Ken"), "c-new": p.heard("Hana")})
}

// TestSplitSchedules is the same of a conversation that is divided.
func TestSplitSchedules(t *testing.T) {
	schedules(t, "TestSplitSchedules", dividedChats)
}
