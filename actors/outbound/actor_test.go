package outbound_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// room is a window, the hands in it, and the actors beside the sender.
type room struct {
	*actortest.Harness
	t     *testing.T
	shown messages.ConversationID
	field string
	chats map[messages.ConversationID][]messages.Bubble
	known int               // announcements that ingress has heard
	last  messages.TextSent // the last of them
	trace map[string]string // of a text that was announced
	enter int               // how often Enter was pressed
}

func newRoom(t *testing.T, shown messages.ConversationID) *room {
	t.Helper()
	return newRoomBy(t, shown, outbound.DefaultRules())
}

func newRoomBy(t *testing.T, shown messages.ConversationID, rules outbound.Rules, more ...actortest.Option) *room {
	t.Helper()
	r := &room{t: t, shown: shown, trace: map[string]string{}, chats: map[messages.ConversationID][]messages.Bubble{
		"c-hana": {{Side: messages.SideIncoming, Text: "明日はどこで会いますか"}},
		"c-ken":  {{Side: messages.SideIncoming, Text: "写真を送ってください"}},
	}}
	none := func(messages.Message) messages.Message { return nil }
	o := outbound.Options{Rules: rules, Desk: "mac", Read: 45 * time.Second,
		Windows: []messages.WindowID{"line@mac"}}
	r.Harness = actortest.Spawn(t, outbound.New(o), append(more, actortest.Address("outbound/line@mac"),
		actortest.Partner(messages.ActorPoller, none),
		actortest.Partner(messages.ActorKeyboard, func(m messages.Message) messages.Message {
			if _, ok := m.(messages.AskKeyboard); ok {
				return messages.KeyboardGiven{Until: r.Now().Add(time.Minute)}
			}
			return nil
		}),
		actortest.Partner(messages.ActorFusion, func(m messages.Message) messages.Message {
			if m, ok := m.(messages.AskConversation); ok {
				return messages.ConversationShown{Key: m.Key, Conversation: r.shown}
			}
			return nil
		}),
		actortest.Partner(messages.ActorIngress, func(m messages.Message) messages.Message {
			if m, ok := m.(messages.TextSent); ok {
				r.known++
				r.last = m
				r.trace[string(m.Text)] = m.Trace
			}
			return nil
		}))...)
	return r
}

func ask(c messages.ConversationID, turn int64, text messages.Text) messages.SendReply {
	return messages.SendReply{Conversation: c, Window: "line@mac", Turn: turn, Epoch: 1, Text: text}
}

// work does what a worker is asked for, and returns its answer.
func (r *room) work(request messages.Message) messages.Message {
	switch m := request.(type) {
	case messages.CaptureWindow:
		return messages.FrameCaptured{Frame: messages.Frame{Window: m.Window}}
	case messages.ReadFrame:
		read := messages.FrameRead{Window: "line@mac", Input: messages.Rect{W: 400, H: 40},
			Bubbles: slices.Clone(r.chats[r.shown])}
		if r.field != "" {
			read.Field = []messages.Line{{Text: messages.Text(r.field)}}
		}
		return read
	case messages.TypeText:
		r.field += string(m.Text)
	case messages.PressEnter:
		r.enter++
		r.chats[r.shown] = append(r.chats[r.shown],
			messages.Bubble{Side: messages.SideOwn, Text: messages.Text(r.field)})
		r.field = ""
	case messages.ClearField:
		r.field = ""
	default:
		r.t.Fatalf("asked for %T", request)
	}
	return messages.HandsDone{Window: "line@mac"}
}

// play answers calls, one after another, until there are none. The crash comes at that
// call, counted from 0: before it is done, or after it but before its answer. It returns
// how many calls there were.
func (r *room) play(crash int, after bool) (calls int) {
	r.t.Helper()
	for {
		open := r.Calls()
		if len(open) == 0 {
			return calls
		}
		for _, c := range open {
			if calls++; calls-1 == crash {
				if after {
					r.work(c.Request)
				}
				r.Crash()
				r.Start()
				break
			}
			r.AnswerCall(c.ID, r.work(c.Request))
		}
	}
}

// confirm makes the ledger find what is in the transcript.
func (r *room) confirm(text messages.Text) {
	r.Send(messages.OwnMessage{Conversation: r.shown, Occurrence: 7, Text: text, Trace: r.trace[string(text)]})
}

// done returns how replies ended as reported, by turn.
func (r *room) done() map[int64]messages.SendOutcome {
	list := map[int64]messages.SendOutcome{}
	for _, s := range r.Sent() {
		if m, ok := s.Message.(messages.SendDone); ok && s.To == messages.To(messages.ActorConversation,
			string(m.Conversation)) {
			list[m.Turn] = m.Outcome
		}
	}
	return list
}

const (
	meet  = "15時に駅で会いましょう"
	photo = "写真は夜に送ります"
)

// TestCrashAtEachState: whatever call a crash loses, done or not, the text is sent once
// and confirmed, and is announced before its first key.
func TestCrashAtEachState(t *testing.T) {
	calls := newRoom(t, "c-hana").sent(t, -1, false)
	if calls != 6 {
		t.Errorf("a sending asked for %d calls, want 6: two looks, text and Enter", calls)
	}
	for at := range calls {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(at, after), func(t *testing.T) { newRoom(t, "c-hana").sent(t, at, after) })
		}
	}
}

// sent plays one sending to its end.
func (r *room) sent(t *testing.T, crash int, after bool) (calls int) {
	t.Helper()
	r.CrashBeforeCommit()
	r.Send(ask("c-hana", 1, meet))
	calls = r.play(crash, after)
	for range 40 { // what was put off is tried again
		if r.enter > 0 {
			break
		}
		r.Advance(time.Second)
		calls += r.play(-1, false)
	}
	r.Crash()
	r.Start()
	r.confirm(meet)
	r.Advance(time.Minute)
	r.play(-1, false)
	if r.enter != 1 || r.field != "" || r.known == 0 {
		t.Errorf("Enter was pressed %d times, %d characters are left, announced %d times, want 1, 0 and more than 0",
			r.enter, len([]rune(r.field)), r.known)
	}
	if got := r.done(); got[1] != messages.SendConfirmed {
		t.Errorf("it ended as %v, want it confirmed", got)
	}
	r.WantNoTimer("due")
	return calls
}

// TestRepliesWaitBeside: a reply whose conversation is not shown does not hold up the
// others of its window, and replies of one conversation keep their order.
func TestRepliesWaitBeside(t *testing.T) {
	r := newRoom(t, "c-hana")
	r.Send(ask("c-ken", 1, photo))
	r.play(-1, false)
	r.Send(ask("c-ken", 2, "あとで電話します"))
	r.Send(ask("c-hana", 3, meet))
	r.play(-1, false)
	if r.enter != 1 || r.chats["c-hana"][1].Text != meet {
		t.Fatalf("Enter was pressed %d times, want once, in the conversation that is shown", r.enter)
	}
	r.Crash() // both wait: one for its bubble, one for its conversation
	r.Start()
	r.shown = "c-ken"
	for range 20 {
		r.Advance(time.Second)
		r.play(-1, false)
	}
	if r.enter != 2 || r.chats["c-ken"][1].Text != photo {
		t.Fatalf("Enter was pressed %d times, want the older reply in the other conversation too, and that alone",
			r.enter)
	}
	r.confirm(photo)
	r.play(-1, false)
	if r.enter != 3 || r.chats["c-ken"][2].Text != "あとで電話します" {
		t.Errorf("Enter was pressed %d times, want the younger reply after the older one", r.enter)
	}
	r.confirm("あとで電話します")
	r.Advance(time.Minute) // the first was never seen to stand
	want := map[int64]messages.SendOutcome{1: messages.SendConfirmed, 2: messages.SendConfirmed,
		3: messages.SendUnknown}
	if got := r.done(); len(got) != 3 || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("they ended as %v, want %v", got, want)
	}
}

// TestTellsOfEnter: ingress hears of a text before its first key, whether the same stands in the window, and
// again before Enter, also after a crash on the way.
func TestTellsOfEnter(t *testing.T) {
	for _, stands := range []bool{false, true} {
		r := newRoom(t, "c-hana")
		if stands {
			r.chats["c-hana"] = append(r.chats["c-hana"], messages.Bubble{Side: messages.SideOwn, Text: meet})
		}
		r.Send(ask("c-hana", 1, meet))
		crashed := false
		for range 60 {
			for _, c := range r.Calls() {
				switch c.Request.(type) {
				case messages.TypeText:
					if r.known == 0 || r.last.Turn != 1 || r.last.Entered || r.last.Stands != stands {
						t.Errorf("stands %v: told %+v before the text is typed", stands, r.last)
					}
				case messages.PressEnter:
					if !r.last.Entered {
						t.Errorf("stands %v: told %+v before Enter is pressed", stands, r.last)
					}
					if !crashed {
						crashed = true
						r.Crash()
						r.Start()
						continue
					}
				}
				r.AnswerCall(c.ID, r.work(c.Request))
			}
			r.Advance(time.Second)
		}
		if r.enter != 1 {
			t.Errorf("stands %v: Enter was pressed %d times, want once", stands, r.enter)
		}
	}
}
