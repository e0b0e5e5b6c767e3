package outbound_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// works plays what is asked for during a while.
func (r *room) works(seconds int) {
	r.t.Helper()
	for range seconds {
		r.Advance(time.Second)
		r.play(-1, false)
	}
}

// TestTheKeyOfAnother: replies of hana are out of reach, also at a start. Those of ken go out; hana's do once the key
// is back, each once and in their order.
func TestTheKeyOfAnother(t *testing.T) {
	const later = "あとで電話します"
	for name, crash := range map[string]bool{"running": false, "started": true} {
		t.Run(name, func(t *testing.T) {
			keys := actortest.NewKeys()
			r := newRoomBy(t, "c-ken", outbound.DefaultRules(), actortest.SealedFor(keys, outbound.SubjectOf))
			start := func() {
				if crash {
					r.Crash()
					r.Start()
				}
			}
			r.Send(ask("c-hana", 1, meet))
			r.Send(ask("c-hana", 2, later))
			r.works(5)
			keys.TakeAway("c-hana")
			start()
			r.Send(ask("c-ken", 3, photo))
			r.works(20)
			if r.enter != 1 || r.chats["c-ken"][1].Text != photo {
				t.Fatalf("Enter was pressed %d times, want once for ken", r.enter)
			}
			start()
			r.confirm(photo)
			r.shown = "c-hana"
			if r.works(20); r.enter != 1 {
				t.Fatalf("Enter was pressed %d times, want nothing of hana without her key", r.enter)
			}
			start()
			keys.GiveBack()
			r.works(20)
			if r.enter != 2 || r.chats["c-hana"][1].Text != meet {
				t.Fatalf("Enter was pressed %d times, want the older reply to hana once", r.enter)
			}
			r.confirm(meet)
			if r.works(20); r.enter != 3 || r.chats["c-hana"][2].Text != later {
				t.Fatalf("Enter was pressed %d times, want the younger reply after it", r.enter)
			}
			r.confirm(later)
			for turn, got := range r.done() {
				if got != messages.SendConfirmed {
					t.Errorf("reply %d ended as %s, want it confirmed", turn, got)
				}
			}
			r.WantNoTimer("due")
		})
	}
}

// TestTheKeyboardIsOutOfReach: the reply that is out of reach has typed. Nobody else types before it is clear what
// stands in the field.
func TestTheKeyboardIsOutOfReach(t *testing.T) {
	keys := actortest.NewKeys()
	r := newRoomBy(t, "c-hana", outbound.DefaultRules(), actortest.SealedFor(keys, outbound.SubjectOf))
	r.Send(ask("c-hana", 1, meet))
	for r.field == "" {
		c := r.Calls()[0]
		if answer := r.work(c.Request); r.field == "" {
			r.AnswerCall(c.ID, answer)
		}
	}
	keys.TakeAway("c-hana")
	r.Crash()
	const waits = "may have the keyboard"
	r.WantFailure(waits)
	r.Start()
	r.shown = "c-ken"
	r.Send(ask("c-ken", 2, photo))
	r.WantFailure(waits)
	r.Restart()
	if calls := r.Calls(); len(calls) > 0 || r.enter > 0 {
		t.Fatalf("%v is asked and Enter was pressed %d times, want nothing", calls, r.enter)
	}
	keys.GiveBack()
	r.Restart()
	r.shown = "c-hana"
	r.works(20)
	r.confirm(meet)
	r.shown = "c-ken"
	r.works(20)
	r.confirm(photo)
	if r.enter != 2 || r.chats["c-hana"][1].Text != meet || r.chats["c-ken"][1].Text != photo {
		t.Errorf("Enter was pressed %d times, bubbles %v, want each text in its conversation", r.enter, r.chats)
	}
}

// partly are rows of which some are out of reach.
type partly struct {
	rows map[string][]byte
	away map[string]bool
}

func (p partly) Get(key string) ([]byte, bool, error) {
	if p.away[key] {
		return nil, false, engine.ErrKeyAway
	}
	v, ok := p.rows[key]
	return v, ok, nil
}

func (p partly) Rows(prefix string) (map[string][]byte, error) {
	rows, _, err := p.RowsInReach(prefix)
	return rows, err
}

func (p partly) RowsInReach(prefix string) (rows map[string][]byte, away map[string]error, err error) {
	rows, away = map[string][]byte{}, map[string]error{}
	for k, v := range p.rows {
		switch {
		case !strings.HasPrefix(k, prefix):
		case p.away[k]:
			away[k] = engine.ErrKeyAway
		default:
			rows[k] = v
		}
	}
	return rows, away, nil
}

// turn has an actor handle a message, and stores what it writes.
func (p partly) turn(t *testing.T, a actors.Actor, now time.Time, m messages.Message) *actors.Outcome {
	t.Helper()
	turn := actors.NewTurn(actors.Cause{Self: "outbound/line@mac", ID: "m1", Now: now}, p)
	if err := a.Receive(turn, m); err != nil {
		t.Fatal(err)
	}
	out, err := turn.Finish()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range out.Writes {
		if delete(p.rows, w.Key); !w.Delete {
			p.rows[w.Key] = w.Value
		}
	}
	return out
}

// TestWhatIsWithdrawnOutOfReach is not sent once it is back. A bubble that may be that of such a reply is looked for
// again.
func TestWhatIsWithdrawnOutOfReach(t *testing.T) {
	for name, crash := range map[string]bool{"running": false, "started": true} {
		p := partly{map[string][]byte{}, map[string]bool{}}
		make := outbound.New(outbound.Options{Rules: outbound.DefaultRules(), Desk: "mac"})
		a, now := make("outbound/line@mac"), time.Unix(1e9, 0).UTC()
		p.turn(t, a, now, messages.Started{})
		row := outbound.Replies.Row(actors.RowKey(1))
		raw, err := outbound.Replies.Encode(outbound.Reply{SendReply: ask("c-hana", 1, meet), Trace: "m7",
			State: outbound.Queued})
		if err != nil {
			t.Fatal(err)
		}
		p.rows[row], p.away[row] = raw, true
		p.turn(t, a, now, messages.SendDue{})
		stop := messages.StopSending{Conversation: "c-hana", Window: "line@mac", Turn: 1, Epoch: 1}
		p.turn(t, a, now, stop)
		out := p.turn(t, a, now, messages.OwnMessage{Conversation: "c-hana", Trace: "m7"})
		if len(out.Timers) == 0 || len(out.Verdicts) > 0 {
			t.Errorf("%s: a bubble of what is out of reach = %+v, want it looked for again", name, out)
		}
		delete(p.away, row)
		var m messages.Message = messages.SendDue{}
		if crash {
			a, m = make("outbound/line@mac"), messages.Started{}
		}
		out = p.turn(t, a, now.Add(time.Second), m)
		var ends []messages.SendReason
		for _, s := range out.Sends {
			switch m := s.Message.(type) {
			case messages.SendDone:
				ends = append(ends, m.Reason)
			case messages.AskKeyboard:
				t.Errorf("%s: it asks for the keyboard", name)
			}
		}
		if len(ends) != 1 || ends[0] != messages.SendStopped || len(p.rows) != 1 {
			t.Errorf("%s: it ended %q, %d rows are left, want it stopped, and one row", name, ends, len(p.rows))
		}
	}
}

// TestANewReplyDoesNotPassOneOutOfReach: that may be an older one of the same conversation, whose key has just come
// back.
func TestANewReplyDoesNotPassOneOutOfReach(t *testing.T) {
	p := partly{map[string][]byte{}, map[string]bool{}}
	a, now := outbound.New(outbound.Options{Rules: outbound.DefaultRules(), Desk: "mac"})("outbound/line@mac"),
		time.Unix(1e9, 0).UTC()
	p.turn(t, a, now, messages.Started{})
	row := outbound.Replies.Row(actors.RowKey(0))
	p.rows[row], p.away[row] = nil, true
	for _, s := range p.turn(t, a, now, ask("c-hana", 2, meet)).Sends {
		if _, asks := s.Message.(messages.AskKeyboard); asks {
			t.Error("the new reply asks for the keyboard at once, want it to be looked at with the other")
		}
	}
}
