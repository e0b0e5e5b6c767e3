package growth_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// hana says something on a day of January.
func hana(id messages.MessageID, day int, text messages.Text) messages.GrownEvent {
	return messages.GrownEvent{Event: messages.Event{ID: id, Speaker: "Hana", Text: text,
		At: time.Date(2026, 1, day, 12, 0, 0, 0, tokyo)}}
}

func gone(id messages.MessageID) messages.GrownEvent {
	return messages.GrownEvent{Event: messages.Event{ID: id}, Gone: true}
}

func (l *lane) want(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.TrimSpace(l.states(t)); got != strings.Join(want, "\n") {
		t.Errorf("states are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// stored is all that growth has stored.
func (l *lane) stored(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal([]any{actortest.Rows(l.Harness, growth.Topics), actortest.Rows(l.Harness, growth.Entities),
		actortest.Rows(l.Harness, growth.Moments), actortest.Rows(l.Harness, growth.Revisions),
		actortest.Rows(l.Harness, growth.Events), actortest.Rows(l.Harness, growth.Jobs)})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestWhatIsNotSaidAnyMore leaves the history as if it had never been said, and no word of
// it in the store.
func TestWhatIsNotSaidAnyMore(t *testing.T) {
	l := spawn(t)
	l.reads(hana("1", 1, "大阪に住んでます"), hana("2", 5, "神戸に引っ越しました。うれしい"),
		hana("3", 6, "来週レポートを出さなきゃ"), hana("4", 9, "レポート出したよ"))
	l.want(t, "- fact Hana home: 大阪 | 01-01–01-05 superseded", "= fact Hana home: 神戸 | 01-05–",
		"- task Hana 来週レポートを出さなきゃ | 01-06–01-09 done")

	l.CrashBeforeCommit()
	l.reads(gone("2"), gone("3"))
	l.want(t, "= fact Hana home: 大阪 | 01-01–")
	for _, word := range []string{"神戸", "レポートを", "happy"} {
		if s := l.stored(t); strings.Contains(s, word) {
			t.Errorf("%s is stored: %s", word, s)
		}
	}
	l.reads(hana("1", 1, "京都に住んでます")) // it was edited
	l.want(t, "= fact Hana home: 京都 | 01-01–")
	l.reads(hana("5", 20, "奈良に引っ越しました"))
	l.reads(hana("6", 10, "滋賀に引っ越しました")) // it comes late
	l.want(t, "- fact Hana home: 京都 | 01-01–01-10 superseded",
		"- fact Hana home: 滋賀 | 01-10–01-20 superseded", "= fact Hana home: 奈良 | 01-20–")

	l.reads(gone("1"), gone("4"), gone("5"), gone("6"))
	if s := l.stored(t); s != "[{},{},{},{},{},{}]" {
		t.Errorf("%s is left, want nothing", s)
	}
}

// TestMuchIsReadInParts, with a pause, so that replies come first; a message that comes
// meanwhile waits its turn.
func TestMuchIsReadInParts(t *testing.T) {
	l := spawn(t)
	l.Send(messages.Grow{Conversation: "c-1"})
	first := messages.Reached{Changes: 3, Print: 9, Part: 1}
	l.Answer(messages.EventsRead{Conversation: "c-1", Events: []messages.GrownEvent{hana("1", 1, "大阪に住んでます")},
		Reached: first, More: true})
	l.WantTimer("read", 100*time.Millisecond)
	l.Send(messages.Grow{Conversation: "c-1"})
	if calls := l.Calls(); len(calls) != 1 {
		t.Fatalf("%v is asked, want nothing yet", calls[1:])
	}
	l.Crash()
	l.Advance(time.Second)
	if asked := l.Calls()[0].Request.(messages.ReadEvents); asked.After != first {
		t.Errorf("asked %+v, want what stands behind %+v", asked, first)
	}
	l.Send(messages.Grow{Conversation: "c-1"}) // while it is read
	l.Answer(messages.EventsRead{Conversation: "c-1", Reached: messages.Reached{Changes: 4, Print: 7}})
	if asked := l.Calls(); len(asked) != 1 || asked[0].Request.(messages.ReadEvents).After.Changes != 4 {
		t.Errorf("asked %v, want what came meanwhile", asked)
	}
	l.want(t, "= fact Hana home: 大阪 | 01-01–")
}

// TestSummaries of stretches of talk are of their own words, those first from which something
// was learned; what is not said any more makes room.
func TestSummaries(t *testing.T) {
	in := func(thread messages.MessageID, e messages.GrownEvent) messages.GrownEvent {
		e.Thread = thread
		return e
	}
	l := spawn(t)
	l.CrashBeforeCommit()
	l.reads(in("1", hana("1", 1, "昨日は美術館で青い絵をずっと見ていました")), in("1", hana("2", 1, "大阪に住んでます")),
		in("1", hana("3", 1, "うん")), in("1", hana("4", 1, "どの絵が一番好きでしたか？")),
		in("1", hana("5", 1, "帰りに駅前で大きな虹を見ました")), in("1", hana("6", 1, "傘は電車に忘れました")),
		in("7", hana("7", 3, "庭にトマトの苗を植えました")))
	summary := func(thread messages.Text) string {
		topic := memory.Topic{Kind: memory.Summary, Name: thread}
		row, _ := actortest.Stored(l.Harness, growth.Topics, topic.Key())
		now, _ := row.Now()
		return string(now.Body)
	}
	const drawn, rainbow = "Hana: 昨日は美術館で青い絵をずっと見ていました", "Hana: 帰りに駅前で大きな虹を見ました"
	if got, want := summary("1"), drawn+" / Hana: 大阪に住んでます / "+rainbow; got != want {
		t.Errorf("the summary is %q, want %q", got, want)
	}
	portrait, _ := actortest.Stored(l.Harness, growth.Portraits, growth.PortraitRow)
	if len(portrait.Talks) != 2 {
		t.Errorf("the portrait leads to %d talks, want both", len(portrait.Talks))
	}
	l.reads(gone("1"), gone("7"))
	if got, want := summary("1"), "Hana: 大阪に住んでます / "+rainbow+" / Hana: 傘は電車に忘れました"; got != want {
		t.Errorf("when one is taken back the summary is %q, want %q", got, want)
	}
	if s := l.stored(t); strings.Contains(s, "美術館") || strings.Contains(s, "トマト") {
		t.Errorf("what was taken back is stored: %s", s)
	}
	portrait, _ = actortest.Stored(l.Harness, growth.Portraits, growth.PortraitRow)
	if len(portrait.Talks) != 1 {
		t.Errorf("the portrait leads to %d talks, want the one that is left", len(portrait.Talks))
	}
}

// TestPortrait leads to preferences that are confirmed, and to feelings, as long as they are.
func TestPortrait(t *testing.T) {
	l := spawn(t)
	l.reads(hana("1", 1, "抹茶が大好きです"), hana("2", 2, "今日は疲れた"), hana("3", 3, "納豆が好き"))
	portrait := func() memory.Portrait {
		p, _ := actortest.Stored(l.Harness, growth.Portraits, growth.PortraitRow)
		return p
	}
	likes := memory.Topic{Kind: memory.Preference, Subject: "Hana", Name: "抹茶"}
	if p := portrait(); len(p.Likes) != 1 || p.Likes[0] != likes.Key() || len(p.Felt) != 1 ||
		p.Felt[0] != memory.Key("2") {
		t.Errorf("the portrait is %+v, want the tea that is liked for sure, and one feeling", p)
	}
	l.CrashBeforeCommit()
	l.reads(gone("1"), gone("2"))
	if p := portrait(); len(p.Likes) != 0 || len(p.Felt) != 0 {
		t.Errorf("the portrait is %+v, want nothing of what is not said any more", p)
	}
}

// The rows in existing stores. They must not change: a new form of row needs a new version
// of its table, and an upcast.
func TestStoredForms(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := memory.State{Body: "大阪", From: at, Until: at.Add(time.Hour), End: memory.Superseded, Confirmed: at,
		Evidence: []messages.MessageID{"m1"}}
	const state = `{"body":"大阪","from":"2026-03-02T09:00:00Z","until":"2026-03-02T10:00:00Z","end":"superseded",` +
		`"confirmed":"2026-03-02T09:00:00Z","evidence":["m1"]}`
	actortest.WantForm(t, growth.Topics,
		memory.Topic{Kind: memory.Fact, Subject: "Hana", Name: "home", Claims: []memory.Claim{
			{Event: "m1", At: at, Op: memory.Holds, Body: "大阪", Quote: "大阪に住んでます", Sure: true, Model: true}},
			States: []memory.State{s}},
		`1 {"kind":"fact","subject":"Hana","name":"home","claims":[{"event":"m1","at":"2026-03-02T09:00:00Z",`+
			`"op":"holds","body":"大阪","quote":"大阪に住んでます","sure":true,"model":true}],"states":[`+state+`]}`)
	actortest.WantForm(t, growth.Entities,
		memory.Entity{Type: "person", Name: "ミキ", Events: []messages.MessageID{"m1"}},
		`1 {"type":"person","name":"ミキ","events":["m1"]}`)
	actortest.WantForm(t, growth.Moments,
		memory.Moment{Event: "m1", Subject: "Hana", At: at, Label: "happy", Valence: 0.8,
			Arousal: 0.5, Dominance: 0.4}, `1 {"event":"m1","subject":"Hana","at":"2026-03-02T09:00:00Z",`+
			`"label":"happy","valence":0.8,"arousal":0.5,"dominance":0.4}`)
	actortest.WantForm(t, growth.Revisions,
		memory.Revision{At: at, Topic: "k", Kind: memory.Fact, Subject: "Hana", Name: "home",
			Before: &s, After: &s, Reason: "said", Evidence: []messages.MessageID{"m1"}},
		`1 {"at":"2026-03-02T09:00:00Z","topic":"k","kind":"fact","subject":"Hana","name":"home","before":`+state+
			`,"after":`+state+`,"reason":"said","evidence":["m1"]}`)
	actortest.WantForm(t, growth.Jobs, growth.Job{Stage: growth.Waiting, Attempts: 1, Reason: "r", Notes: 2,
		Events: []messages.Event{{ID: "m1", Text: "x", At: at}}}, `1 {"stage":"waiting","attempts":1,"reason":"r",`+
		`"events":[{"id":"m1","text":"x","at":"2026-03-02T09:00:00Z"}],"notes":2}`)
	actortest.WantForm(t, growth.Lanes, growth.Lane{Reached: messages.Reached{Changes: 3, Print: 4}, Reading: true,
		Wanted: true, Events: 5, Changes: 6, Parts: 7, Ran: 8, Anew: 9, Afresh: true, Jobs: 10, Asking: "a", Due: true},
		`1 {"reached":{"changes":3,"print":4},"reading":true,"wanted":true,"events":5,`+
			`"changes":6,"parts":7,"ran":8,"anew":9,"afresh":true,"jobs":10,"asking":"a","due":true}`)
	actortest.WantForm(t, growth.Events, growth.Grown{Topics: []string{"a"}, Talk: "b", Entities: []string{"c"},
		Moment: true, Print: "p", ID: "m1", Part: 2},
		`1 {"topics":["a"],"talk":"b","entities":["c"],"moment":true,"print":"p","id":"m1","part":2}`)
	actortest.WantForm(t, growth.Portraits,
		memory.Portrait{Likes: []string{"a"}, Talks: []string{"b"}, Felt: []string{"c"}},
		`1 {"likes":["a"],"talks":["b"],"felt":["c"]}`)
}

// TestReadingThatFails becomes a dead letter that begins it anew when it is sent again. The
// next messages do not wait for that.
func TestReadingThatFails(t *testing.T) {
	l := spawn(t)
	for range 5 {
		l.WantFailure("retry this dead letter")
	}
	l.Send(messages.Grow{Conversation: "c-1"})
	l.FailCall(messages.FailureError, "", "disk")
	l.Advance(time.Hour)
	l.WantDeadLetters(1)
	l.Calls()
	l.Send(messages.GrowthFailed{Conversation: "c-1", Job: "read"})
	l.Answer(messages.EventsRead{Conversation: "c-1", Events: []messages.GrownEvent{hana("1", 1, "大阪に住んでます")}})
	l.want(t, "= fact Hana home: 大阪 | 01-01–")
	l.Calls()
	l.Send(messages.GrowthFailed{Conversation: "c-1", Job: "read"}) // once more: nothing is to be done
	if calls := l.Calls(); len(calls) != 0 {
		t.Errorf("asked %v, want nothing", calls)
	}
}

// TestTidyUp ends what says the same as another task, and says so.
func TestTidyUp(t *testing.T) {
	l := spawn(t)
	list := []messages.GrownEvent{hana("a", 1, "明日本を返さなきゃ"), hana("b", 2, "明日本を返さないと")}
	for i := range 8 {
		list = append(list, hana(messages.MessageID(fmt.Sprint(i)), 3, "うん"))
	}
	l.reads(list...)
	if s := l.states(t); strings.Count(s, "\n") != 2 || strings.Count(s, "= task") != 1 ||
		!strings.Contains(s, "- task Hana 明日本を返さないと") || !strings.Contains(s, "duplicate") {
		t.Errorf("states are\n%s\nwant the second task to be a duplicate", s)
	}
	last, _ := actortest.Stored(l.Harness, growth.Revisions, actors.RowKey(3))
	if last.Reason != "tidied up" || last.Before == nil || last.After == nil {
		t.Errorf("the third revision is %+v, want that of tidying up", last)
	}
	l.reads(gone("a"))
	l.want(t, "= task Hana 明日本を返さないと | 01-02–")
}

// TestMood is a word: old moments count less than new ones, and in the end none does.
func TestMood(t *testing.T) {
	l := spawn(t)
	l.reads(hana("1", 1, "本当に楽しい、最高"), hana("2", 8, "もう疲れた"), hana("3", 8, "うれしい？"))
	var moments []memory.Moment
	for _, m := range actortest.Rows(l.Harness, growth.Moments) {
		moments = append(moments, m)
	}
	for day, want := range map[int]string{1: "happy", 8: "tired", 200: ""} {
		if got := growth.Mood(moments, "Hana", hana("", day, "").At.Add(time.Hour)); got != want {
			t.Errorf("on day %d she is %q, want %q", day, got, want)
		}
	}
	if got := growth.Mood(moments, "", hana("", 8, "").At); got != "" {
		t.Errorf("our side is %q, want nothing", got)
	}
}

// Each line of a message is read as one alone, and a flood of sentences costs no more than
// the first of them.
func TestLearnReadsEachLine(t *testing.T) {
	e := messages.Event{ID: "m", At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Text: "明日歯医者に行かなきゃ\nよろしく"}
	if got := growth.Learn(e, nil); len(got) != 1 || got[0].Kind != memory.Task {
		t.Errorf("Learn(%q) = %+v, want one task", string(e.Text), got)
	}
	e.Text = messages.Text(strings.Repeat("牛乳を買わないと。", 90))
	if got := growth.Learn(e, nil); len(got) == 0 || len(got) > 40 {
		t.Errorf("Learn(90 sentences) = %d claims, want 40 at most", len(got))
	}
}

// TestReadAnew removes what rests on events that are in no part any more, in however many
// parts all are read, and no word of them stays.
func TestReadAnew(t *testing.T) {
	l := spawn(t)
	many := []messages.GrownEvent{hana("1", 1, "大阪に住んでます"), hana("2", 5, "神戸に引っ越しました。うれしい")}
	for i := range 70 { // more than are removed at once
		says := fmt.Sprint("第", i, "神戸さんに電話しないと")
		many = append(many, hana(messages.MessageID(fmt.Sprint("m", i)), 6, messages.Text(says)))
	}
	l.reads(many...)
	part := func(m messages.EventsRead) {
		m.Conversation, m.Anew = "c-1", true
		l.Answer(m)
		l.CrashBeforeCommit()
		l.Advance(time.Second)
		l.Crash()
	}
	l.CrashBeforeCommit()
	l.Send(messages.Grow{Conversation: "c-1"})
	half := messages.Reached{Changes: 9, Print: 2, Anew: true, After: hana("", 1, "").At, ID: "1"}
	part(messages.EventsRead{Events: []messages.GrownEvent{hana("1", 1, "大阪に住んでます")}, Reached: half, More: true})
	if !strings.Contains(l.stored(t), "神戸") {
		t.Error("an event is gone before all are read")
	}
	part(messages.EventsRead{Events: []messages.GrownEvent{hana("3", 7, "奈良に引っ越しました")},
		Reached: messages.Reached{Changes: 9, Print: 2}})
	l.want(t, "- fact Hana home: 大阪 | 01-01–01-07 superseded", "= fact Hana home: 奈良 | 01-07–")
	if s := l.stored(t); strings.Contains(s, "神戸") || strings.Contains(s, "happy") {
		t.Errorf("of what is not remembered any more this is stored: %.2000s", s)
	}
}

// TestJobsThatComeLate, such as a dead letter that is sent again, bring nothing back: all is
// read anew instead.
func TestJobsThatComeLate(t *testing.T) {
	l := spawn(t)
	l.reads(hana("1", 1, "大阪に住んでます"))
	l.reads(gone("1"))
	late := messages.GrowEvents{Conversation: "c-1", Events: []messages.GrownEvent{hana("1", 1, "大阪に住んでます")}, Part: 1}
	l.Send(late)
	if s := l.stored(t); s != "[{},{},{},{},{},{}]" {
		t.Errorf("a late job has stored %s", s)
	}
	calls := l.Calls()
	want := messages.Reached{Changes: 2, Print: 1, Anew: true}
	if len(calls) != 1 || calls[0].Request.(messages.ReadEvents).After != want {
		t.Fatalf("asked %v, want that all is read anew", calls)
	}
	l.Send(late) // while that is read
	l.Answer(messages.EventsRead{Conversation: "c-1", Events: []messages.GrownEvent{hana("2", 3, "神戸に住んでます")},
		Reached: messages.Reached{Changes: 2, Print: 1}, Anew: true})
	l.want(t, "= fact Hana home: 神戸 | 01-03–")
	if calls := l.Calls(); len(calls) != 1 || !calls[0].Request.(messages.ReadEvents).After.Anew {
		t.Errorf("asked %v, want that all is read once more", calls)
	}
}
