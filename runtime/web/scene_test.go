//go:build browser || look

package web

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// chat is a drawn window and the worker that reads it.
type chat struct {
	id     messages.WindowID
	window *drawn.Window
	worker *ocr.Worker
}

func newChat(t *testing.T, id messages.WindowID, who string, theme drawn.Theme, scale int) *chat {
	t.Helper()
	o := drawn.DefaultOptions(time.Now)
	o.Conversation, o.Theme, o.Scale, o.Size = who, theme, scale, image.Pt(560, 720)
	w, err := drawn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	open := func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil }
	line := layout.Line()
	layouts := func(messages.WindowID) *layout.Layout { return &line }
	return &chat{id: id, window: w, worker: ocr.NewWorker(ocr.Options{Layouts: layouts,
		Cache: ocr.NewCache(64), Open: open, Confidence: ocr.DefaultThresholds()})}
}

func (c *chat) say(t *testing.T, who drawn.Who, text string) {
	t.Helper()
	err := c.window.Append("", who, messages.Text(text))
	if text == "" {
		err = c.window.Sticker("", who)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// seen captures and reads the window.
func (c *chat) seen(t *testing.T) engine.Published {
	t.Helper()
	shot, err := c.window.Capture(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	frame := messages.Frame{Window: c.id, Image: shot.Image, Scale: shot.Scale, At: time.Now()}
	read, err := c.worker.Do(context.Background(), messages.ReadFrame{Frame: frame})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Published{Message: events.FrameSeen{Frame: frame, Read: read.(messages.FrameRead)}}
}

// scene is a page with something of everything on it.
type scene struct {
	host
	hana, team *chat
}

func newScene(t *testing.T) *scene {
	t.Helper()
	sc := &scene{
		hana: newChat(t, "line@mac-a", "佐藤 花子", drawn.Light, 1),
		team: newChat(t, "team@mac-a", "Kehai 開発", drawn.Dark, 2),
	}
	for _, m := range []struct {
		who  drawn.Who
		text string
	}{
		{drawn.Friend, "おはよう！今日は何時に集合する？"}, {drawn.Me, "10時に駅の北口でどう？"}, {drawn.Friend, ""},
		{drawn.Friend, "OK。ケーキを買ってから行くね。少し遅れるかも"}, {drawn.Me, "了解、ゆっくりで大丈夫"}, {drawn.Friend, "ありがとう"},
	} {
		sc.hana.say(t, m.who, m.text)
	}
	sc.team.say(t, drawn.Friend, "The build is green again")
	sc.team.say(t, drawn.Me, "Great, I will merge it")
	now := time.Now()
	sc.status = Status{
		Version: "v0.1.0", Node: "mac-a", Started: now.Add(-3*time.Hour - 12*time.Minute),
		Windows: []messages.WindowID{"line@mac-a", "team@mac-a", "old@mac-a"},
		Actors: []engine.ActorInfo{
			{Address: "burst/line:佐藤 花子", Healthy: true, Turns: 12},
			{Address: "conversation/line:佐藤 花子", Healthy: true, Turns: 42, Mailbox: 2, Pending: 1},
			{Address: "conversation/team:Kehai 開発", Healthy: true, Turns: 9},
			{Address: "dedup/line:佐藤 花子", Healthy: true, Turns: 310, Restarts: 1,
				LastError: "panic: runtime error: index out of range [4] with length 4"},
			{Address: "dedup/team:Kehai 開発", Turns: 17, Restarts: 11, Mailbox: 41, More: true,
				LastError: "decode transcript: unexpected end of JSON input"},
			{Address: "fusion/line@mac-a", Healthy: true, Turns: 402},
			{Address: "fusion/team@mac-a", Healthy: true, Turns: 388},
			{Address: "poller/line@mac-a", Source: true, Healthy: true, Turns: 11482, Mailbox: 1},
			{Address: "poller/old@mac-a", Source: true, Healthy: true, Turns: 801, Stopped: true},
			{Address: "poller/team@mac-a", Source: true, Healthy: true, Turns: 11480},
		},
		Pools: []engine.PoolInfo{{Kind: "capture", Size: 2, Busy: 1}, {Kind: "llm", Size: 1},
			{Kind: "ocr", Size: 2, Busy: 2, Waiting: 3, Resting: 1}},
		DeadLetters: 2,
	}
	for i, e := range []control.Entry{
		{Conversation: "team:Kehai 開発", Message: &control.Message{Sender: "Ken", Text: "The build is green again"}},
		{Conversation: "line:佐藤 花子", Message: &control.Message{Text: "おはよう！今日は何時に集合する？"}},
		{Conversation: "line:佐藤 花子", Message: &control.Message{Kind: messages.KindSticker}},
		{Conversation: "line:佐藤 花子", Message: &control.Message{
			Text: "OK。ケーキを買ってから行くね。少し遅れるかも\nありがとう", Parts: make([]control.Part, 2)}},
		{Conversation: "team:Kehai 開発", Message: &control.Message{Sender: "Mio", Kind: messages.KindUnreadable}},
		{Conversation: "line:海 直骨", Message: &control.Message{
			Text: "骨を直すには、まず角を見ること。海の近くの家まで迎えに行きます。"}},
		{Conversation: "team:Kehai 開発", Message: &control.Message{Sender: "Ken",
			Text: "<b>not bold</b> & a long line: https://example.com/" + strings.Repeat("7", 120)}},
	} {
		m := e.Message
		e.Seq, m.ID = uint64(10*i+10), messages.MessageID(fmt.Sprint("d", i))
		if m.Kind == "" {
			m.Kind = messages.KindText
		}
		if m.Parts == nil {
			m.Parts = make([]control.Part, 1)
		}
		e.SeenAt.Time = now.Add(time.Duration(i-7) * 9 * time.Minute)
		m.DeliveredAt.Time = e.SeenAt.Add(time.Second)
		sc.timeline = append(sc.timeline, e)
	}
	// What became of some of them, and of one that is no longer on the page, what may be
	// missing, and what was sent: the last of the replies turns up after all.
	for i, e := range []control.Entry{
		{Event: control.EventChanged, Conversation: "line:海 直骨", Change: &control.Change{Message: "d5",
			Kind: messages.ChangeEdited, Old: "骨を直すには、まず角を見ること。海の近くの家まで迎えに行きます。",
			New: "骨を直すには、まず角を見ること。海の近くの家まで7時に迎えに行きます。"}},
		{Event: control.EventChanged, Conversation: "line:佐藤 花子", Change: &control.Change{Message: "d1",
			Kind: messages.ChangeUnsent, Old: "おはよう！今日は何時に集合する？"}},
		{Event: control.EventGap, Conversation: "team:Kehai 開発", Gap: &control.Gap{Visible: 6, Passed: 4,
			What: "more than a screenful went by unseen"}},
		{Event: control.EventChanged, Conversation: "team:Kehai 開発", Change: &control.Change{Message: "gone",
			Kind: messages.ChangeEdited, Sender: "Ken", Old: "See you at nine", New: "See you at ten"}},
		{Event: control.EventReply, Conversation: "line:佐藤 花子", Reply: &control.Reply{ID: "c-1/1.2",
			State: control.ReplySent, Text: "ケーキ、楽しみにしてる", Answers: []messages.MessageID{"d3"}}},
		{Event: control.EventReply, Conversation: "team:Kehai 開発", Reply: &control.Reply{ID: "c-2/1.2",
			State: control.ReplyUnknown, Text: "Thanks, Ken", Reason: messages.SendUnconfirmed}},
		{Event: control.EventReply, Conversation: "line:海 直骨", Reply: &control.Reply{ID: "c-3/4.2",
			State: control.ReplyUnknown, Text: "了解しました", Reason: messages.SendUnconfirmed}},
		{Event: control.EventReply, Conversation: "line:海 直骨", Reply: &control.Reply{ID: "c-3/4.2",
			State: control.ReplySent, Text: "了解しました"}},
		{Event: control.EventChanged, Conversation: "team:Kehai 開発", Change: &control.Change{Message: "d0",
			Kind: messages.ChangeMasked, Sender: "Ken", New: "The build of [name] is green again"}},
	} {
		e.Seq, e.SeenAt.Time = uint64(100+i), now.Add(time.Duration(i-8)*time.Minute)
		sc.timeline = append(sc.timeline, e)
	}
	return sc
}

// trouble adds what goes wrong to a page.
func (sc *scene) trouble(s *Server) {
	sc.set(func(h *host) {
		h.health = errors.Join(
			errors.New("durable work is paused since only 92 MiB were free for the data directory; "+
				"128 MiB are needed: free some space on its volume"),
			errors.New("dedup/team:Kehai 開発 fails again and again and is retried slowly: "+
				"decode transcript: unexpected end of JSON input"),
			errors.New("window team@mac-a cannot be captured (minimised): window is minimised or hidden"))
	})
	s.Listen(engine.Published{Message: events.StoreLow{Free: 92 << 20, Need: 128 << 20}})
	s.Listen(engine.Published{Message: events.CaptureState{
		Window: "team@mac-a", Code: "minimised", Detail: "the window is minimised or hidden: restore it",
		At: time.Now(),
	}})
}

// show publishes both windows; unreadable makes one bubble unreadable.
func (sc *scene) show(t *testing.T, s *Server, unreadable bool) {
	t.Helper()
	ev := sc.hana.seen(t)
	if m := ev.Message.(events.FrameSeen); unreadable && len(m.Read.Bubbles) > 3 {
		m.Read.Bubbles[3].Kind, m.Read.Bubbles[3].Text, m.Read.Bubbles[3].Lines = messages.KindUnreadable, "", nil
	}
	s.Listen(ev)
	s.Listen(sc.team.seen(t))
}
