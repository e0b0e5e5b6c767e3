package directory

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// partly shows rows, some of which cannot be read for now.
type partly struct {
	rows map[string][]byte
	away map[messages.ConversationID]bool
}

var errAway = errors.New("a key is out of reach")

func (p partly) Get(key string) ([]byte, bool, error) { v, ok := p.rows[key]; return v, ok, nil }

func (p partly) Rows(prefix string) (map[string][]byte, error) {
	rows, away, _ := p.RowsInReach(prefix)
	if len(away) > 0 {
		return nil, errAway
	}
	return rows, nil
}

func (p partly) RowsInReach(prefix string) (rows map[string][]byte, away map[string]error, err error) {
	rows, away = map[string][]byte{}, map[string]error{}
	for k, v := range p.rows {
		_, id := actors.SplitRow(k)
		switch {
		case !strings.HasPrefix(k, prefix):
		case p.away[messages.ConversationID(id)]:
			away[k] = errAway
		default:
			rows[k] = v
		}
	}
	return rows, away, nil
}

// While the key of line:Aki is out of reach, any name may be hers: nobody new gets an id, nothing is written over
// her row, and what is asked of her waits. Ken goes on by his name and by his bubbles, Mio, who was merged once,
// is held. Once the key is back all goes on.
func TestOthersGoOnWhileAKeyIsOutOfReach(t *testing.T) {
	p := partly{rows: map[string][]byte{}, away: map[messages.ConversationID]bool{"line:Aki": true}}
	for id, k := range map[string]Known{"line:Aki": {Title: "Aki"}, "c-ken": {Title: "Ken"},
		"c-mio": {Title: "Mio", Moves: 2}} {
		k.App, k.Settled = "line", true
		raw, err := Conversations.Encode(k)
		if err != nil {
			t.Fatal(err)
		}
		p.rows[Conversations.Row(id)] = raw
	}
	a := New(Options{Rules: DefaultRules(), Adopt: func(string) []messages.ConversationID {
		return []messages.ConversationID{"line:Aki"}
	}})("directory/line")
	now, n := time.Unix(1e9, 0), 0
	tell := func(m messages.Message) *actors.Outcome {
		t.Helper()
		n++
		turn := actors.NewTurn(actors.Cause{Self: "directory/line", ID: strings.Repeat("m", n), Now: now}, p)
		if err := a.Receive(turn, m); err != nil {
			t.Fatal(err)
		}
		out, err := turn.Finish()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range out.Writes {
			if p.away["line:Aki"] && w.Key == Conversations.Row("line:Aki") {
				t.Errorf("%T writes over what it cannot read", m)
			}
		}
		return out
	}
	shows := func(title messages.Text, shared ...messages.Shared) messages.Identified {
		t.Helper()
		out := tell(messages.Identify{Window: "line@mac", Title: messages.Line{Text: title}, Readings: consensus,
			Searched: true, Compared: true, Asked: 2, Shared: shared})
		return out.Sends[0].Message.(messages.Identified)
	}
	same := func(id messages.ConversationID) messages.Shared {
		return messages.Shared{Conversation: id, Overlap: messages.OverlapSame}
	}
	none := func(id messages.ConversationID) messages.Shared {
		return messages.Shared{Conversation: id, Overlap: messages.OverlapNone}
	}
	if out := tell(messages.Introduce{Name: "Ken"}); len(out.Events) != 1 {
		t.Errorf("Introduce(Ken) told %v, want c-ken", out.Events)
	}
	if got := shows("Ken", same("c-ken")); got.Conversation != "c-ken" {
		t.Errorf("Ken by his bubbles = %+v, want c-ken", got)
	}
	for name, got := range map[string]messages.Identified{
		"a new title":                    shows("Yui"),
		"Ken by his title":               shows("Ken", none("c-ken")),
		"Mio, whose other side may miss": shows("Mio", same("c-mio")),
		"Aki by her bubbles":             shows("Yui", same("line:Aki")),
	} {
		if got.Conversation != "" || got.Why != events.UnknownUnsure {
			t.Errorf("%s = %+v, want it held", name, got)
		}
	}
	if out := tell(messages.Introduce{Name: "Yui"}); len(out.Events)+len(out.Writes) > 0 {
		t.Errorf("Introduce(Yui) = %+v, want it held", out)
	}
	for _, m := range []messages.Message{messages.Rename{Conversation: "line:Aki", Name: "A"},
		messages.Merge{Conversation: "c-ken", Into: "line:Aki"},
		messages.Split{From: "c-ken", Conversation: "line:Aki"},
		messages.LedgerMoved{Conversation: "line:Aki"}, messages.SettleHeld{Conversation: "line:Aki", Title: "A"},
		messages.SettleNew{Conversation: "line:Aki", Title: "A"}} {
		if out := tell(m); len(out.Timers) != 1 || len(out.Writes)+len(out.Events)+len(out.Verdicts) > 0 {
			t.Errorf("%T = %+v, want it to come again", m, out)
		}
	}
	delete(p.away, "line:Aki")
	now = now.Add(readAgain)
	if out := tell(messages.Rename{Conversation: "line:Aki", Name: "A"}); len(out.Writes) != 1 {
		t.Errorf("with the key back Rename() = %+v, want a row", out)
	}
	if got := shows("Yui"); got.Conversation == "" {
		t.Errorf("with the key back a new title = %+v, want an id", got)
	}
}
