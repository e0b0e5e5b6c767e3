package dedup

import (
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// The rows that stores hold. They stay as they are: a row of another form needs a
// later version of its table, and an upcast.
func TestStoredForms(t *testing.T) {
	at := chatview.Start
	stored(t, Tail, ledger.Entry{
		Pos: 1, Occurrence: 2, Side: messages.SideIncoming, Kind: messages.KindText, Text: "はい", Key: 3,
		Sender: "Ken", Named: true, Stamp: "9:05", W: 4, H: 5, Above: 6, SeenAt: at, Since: at.Add(time.Second),
		Seen: 7, Waiting: true, Low: true, Fresh: true, Partial: true, Gone: true, Published: "いいえ",
		Change: messages.ChangeEdited, Changed: at.Add(2 * time.Second), Gap: true,
	}, `1 {"pos":1,"occurrence":2,"side":"incoming","kind":"text","text":"はい","key":3,"sender":"Ken","named":true,`+
		`"stamp":"9:05","w":4,"h":5,"above":6,"seen_at":"2026-01-01T09:00:00Z","since":"2026-01-01T09:00:01Z",`+
		`"seen":7,"waiting":true,"low":true,"fresh":true,"partial":true,"gone":true,"told":"いいえ",`+
		`"change":"edited","changed":"2026-01-01T09:00:02Z","gap":true}`)
	stored(t, Tail, ledger.Entry{Side: messages.SideOwn, Kind: messages.KindSticker},
		`1 {"pos":0,"occurrence":0,"side":"own","kind":"sticker","key":0,`+
			`"seen_at":"0001-01-01T00:00:00Z","since":"0001-01-01T00:00:00Z"}`)
	stored(t, Heads, ledger.Head{Next: 8, Title: "Hana", Group: true, Window: "line@mac", Forgotten: true},
		`1 {"next":8,"title":"Hana","group":true,"window":"line@mac","forgotten":true}`)
	stored(t, Views, ledger.Memory{
		Digest: 1, Next: 2, Behind: true, BottomGap: 3.5, NewestGap: 4.5, LostGap: 5.5, Width: 6, Top: -7, Bottom: 8,
	}, `1 {"digest":1,"next":2,"behind":true,"foot":3.5,"newest":4.5,"lost":5.5,"width":6,"top":-7,"bottom":8}`)
	for _, table := range []actors.Table[recent.Row]{Lines, Prints} {
		stored(t, table, recent.Row{Text: "おはよう", At: at}, `1 {"text":"おはよう","at":"2026-01-01T09:00:00Z"}`)
	}
}

func stored[V any](t *testing.T, table actors.Table[V], v V, want string) {
	t.Helper()
	if got, err := table.Encode(v); err != nil || string(got) != want {
		t.Errorf("a row of table %s = %s, %v, want %s", table.Name(), got, err, want)
	}
	if got, err := table.Decode([]byte(want)); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("Decode(%s) = %+v, %v, want %+v", want, got, err, v)
	}
}

// What is kept of who is forgotten says nothing of them, and keeping it again changes nothing.
func TestKept(t *testing.T) {
	kept := Kept()[Heads.Name()]
	for row, want := range map[string]string{
		`1 {"next":8,"title":"Hana","window":"line@mac","whole":true}`: `1 {"next":8,"forgotten":true}`,
		`1 {"next":8,"forgotten":true}`:                                `1 {"next":8,"forgotten":true}`,
		`unreadable`:                                                   `1 {"next":1,"forgotten":true}`,
	} {
		if got := kept([]byte(row)); string(got) != want {
			t.Errorf("kept of %s is %s, want %s", row, got, want)
		}
	}
}
