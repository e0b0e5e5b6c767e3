package engine

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Golden files hold each stored record, and, in store.golden, a whole store.
// They are rewritten with
//
//	go test ./runtime/engine -run Golden -update
//
// Stores out there hold these forms: a new field may be added with omitempty,
// nothing else may change.
var update = flag.Bool("update", false, "rewrite the golden files")

var goldenTime = time.Date(2026, 2, 3, 4, 5, 6, 789_000_000, time.UTC)

// goldenRecords holds one of each, without a zero field.
var goldenRecords = []any{
	mailRecord{From: "fusion/a", Trace: "m1", At: goldenTime, About: "line:Hana", Msg: goldenMsg},
	timerRecord{Gen: "m1.2", Set: goldenTime, Due: goldenTime.Add(time.Minute), Trace: "m1", Msg: goldenMsg},
	callRecord{Worker: "ocr", Deadline: time.Second, Retries: 2, Tag: "tag", Trace: "m1", At: goldenTime,
		Msg: goldenMsg},
	attemptsRecord{Attempts: 3, Error: "no luck", At: goldenTime},
	deadRecord{
		Actor: "fusion/a", From: "poller/a", Trace: "m1", Attempts: 5, Error: "no luck", Stack: "main.go:1",
		At: goldenTime, About: "line:Hana", Msg: goldenMsg, Raw: []byte{0, 1, 255}, Place: []byte("i/a\x00"),
		Call:         &deadCall{ID: "m1.2", Worker: "llm", Deadline: 30 * time.Second, Retries: 2, Tag: "judge"},
		Subscription: "host", Event: 7, EventAt: goldenTime, Retry: true,
	},
	logRecord{From: "fusion/a", Trace: "m1", At: goldenTime, Msg: goldenMsg},
	verdictRecord{Seq: 7, Actor: "fusion/a", Stage: events.StageDedup, Outcome: events.OutcomeDropped, Reason: "seen",
		Cause: "m2", Trace: "m1", At: goldenTime, Detail: events.Detail{
			Rule: "aligned", Window: "line@a", Conversation: "line:Hana",
			Occurrences: []messages.Occurrence{3}, Known: []messages.Occurrence{1, 2, 0},
			Message: "k3j", Frame: 9, Score: 62, Match: "equal", Age: time.Second, Count: 2, Of: 3,
			Code: "timeout", Note: "no answer",
		}},
	injectedRecord{At: goldenTime},
	sealedRecord{Kinds: []string{"directory"}, Types: []typeName{{Name: "host_own", Version: 1}}},
	forgetRecord{At: goldenTime, Conversation: "line:Hana", Keep: []Kept{{
		Actor: "dedup/line:Hana", Row: "head\x00head", Value: []byte("1 {}"),
	}}, Key: "ab12", Kinds: []string{"fusion"}, Unknown: 2, Rest: true, Rows: [][]byte{[]byte("e/1")},
		Sums: [][]byte{{1, 2, 3}}},
}

var goldenMsg = json.RawMessage(`{"type":"started","v":1,"body":{}}`)

func TestGoldenRecords(t *testing.T) {
	for _, record := range goldenRecords {
		typ := reflect.TypeOf(record)
		file := filepath.Join("testdata", "record", typ.Name()+".json")
		for i := range typ.NumField() {
			if reflect.ValueOf(record).Field(i).IsZero() {
				t.Errorf("%s.%s is zero in the golden record: give it a value", typ.Name(), typ.Field(i).Name)
			}
		}
		raw := append(encodeRecord(record), '\n')
		if *update {
			if err := os.WriteFile(file, raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s has no golden file: %v; make it with -update", typ.Name(), err)
			continue
		}
		if !bytes.Equal(raw, golden) {
			t.Errorf("encodeRecord(%s) = %s, want as in %s: %s", typ.Name(), raw, file, golden)
		}
		got := reflect.New(typ)
		if err := json.Unmarshal(golden, got.Interface()); err != nil ||
			!reflect.DeepEqual(got.Elem().Interface(), record) {
			t.Errorf("%s = %+v, %v, want %+v", file, got.Elem(), err, record)
		}
	}
}

// What is written by hand is what encodeRecord writes.
func TestRecordsByHand(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 5, 0, 120_000_000, time.FixedZone("", 9*3600))
	texts := []string{"", "fusion/a", "は/な", `"\`, "<&>", "\x01\n\u2028\xff\x7f~ "}
	for i, from := range texts {
		for j, trace := range texts {
			about := texts[(i+j)%len(texts)]
			mail := mailRecord{
				From: messages.Address(from), Trace: trace, At: at, About: messages.ConversationID(about),
			}
			got := appendMail(nil, mail.From, mail.Trace, mail.At, mail.About)
			if want := encodeRecord(mail); string(got)+"null}" != string(want) {
				t.Errorf("appendMail() = %s, want the beginning of %s", got, want)
			}
			log := logRecord{From: mail.From, Trace: trace, At: at}
			got = appendEvent(nil, log.From, log.Trace, log.At)
			if want := encodeRecord(log); string(got)+"null}" != string(want) {
				t.Errorf("appendEvent() = %s, want the beginning of %s", got, want)
			}
		}
	}
}

func TestEachRecordIsGolden(t *testing.T) {
	pinned := map[string]bool{}
	for _, r := range goldenRecords {
		pinned[reflect.TypeOf(r).Name()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && strings.HasSuffix(s.Name.Name, "Record") && !s.Name.IsExported() {
				if found++; !pinned[s.Name.Name] {
					t.Errorf("%s: %s is not pinned: add it to goldenRecords", file, s.Name.Name)
				}
			}
			return true
		})
	}
	if found != len(goldenRecords) {
		t.Errorf("found %d record types, want %d", found, len(goldenRecords))
	}
}

func TestGoldenKeys(t *testing.T) {
	const a = messages.Address("fusion/は/な")
	for _, c := range []struct{ got, want string }{
		{inboxKey(a, 258), "i/fusion/は/な\x00\x00\x00\x00\x00\x00\x00\x01\x02"},
		{ofActor(keyTimer, a, "poll"), "t/fusion/は/な\x00poll"},
		{ofActor(keyCall, a, "m1.2"), "c/fusion/は/な\x00m1.2"},
		{ofActor(keyAttempts, a, inboxKey(a, 1)), "a/fusion/は/な\x00i/fusion/は/な\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
		{stateKey(a, "table\x00row"), "s/fusion/は/な\x00table\x00row"},
		{keyDead + seqBytes(1), "d/\x00\x00\x00\x00\x00\x00\x00\x01"},
		{keyLog + seqBytes(1), "e/\x00\x00\x00\x00\x00\x00\x00\x01"},
		{keyVerdict + seqBytes(1<<63), "v/\x80\x00\x00\x00\x00\x00\x00\x00"},
		{ofActor(keyInjected, a, "id"), "k/fusion/は/な\x00id"},
		{keyCursor + "page", "u/page"},
		{keyMetaSeq, "m/seq"},
		{keyMetaBoot, "m/boot"},
		{keyMetaFormat, "m/format"},
		{keyMetaLoose, "m/loose"},
		{Here.key(keyVerdict), "lv/"},
		{string(Here.deadKey(1)), "ld/\x00\x00\x00\x00\x00\x00\x00\x01"},
		{string(Here.seqKey()), "lm/seq"},
		{string(Here.takenKey("anywhere")), "lx/in/anywhere"},
		{string(Anywhere.givenKey(Here)), "x/out/here"},
		{string(epochKey(a)), "o/fusion/は/な"},
	} {
		if c.got != c.want {
			t.Errorf("key = %q, want %q", c.got, c.want)
		}
	}
}

func TestDeadLetterIDs(t *testing.T) {
	for _, shard := range order {
		for _, seq := range []uint64{0, 1, 1<<64 - 1} {
			id := shard.deadLetterID(seq)
			if gotShard, got, err := parseDeadLetterID(id); got != seq || gotShard != shard || err != nil {
				t.Errorf("parseDeadLetterID(%q) = %v %d, %v, want %v %d", id, gotShard, got, err, shard, seq)
			}
		}
	}
	for _, id := range []string{"", "d", "1", "d-1", "d1 ", "dd1", "D1", "d18446744073709551616", "l1", "ldd1",
		"lld1"} {
		if _, got, err := parseDeadLetterID(id); err == nil {
			t.Errorf("parseDeadLetterID(%q) = %d, want an error", id, got)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	for _, r := range goldenRecords {
		raw := encodeRecord(r)
		f.Add(raw)
		f.Add(raw[:len(raw)-1])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkRecord[mailRecord](t, raw)
		checkRecord[timerRecord](t, raw)
		checkRecord[callRecord](t, raw)
		checkRecord[attemptsRecord](t, raw)
		checkRecord[deadRecord](t, raw)
		checkRecord[logRecord](t, raw)
		checkRecord[verdictRecord](t, raw)
		checkRecord[injectedRecord](t, raw)
		Here.deadLetter([]byte("d/12345678"), raw, nil)
	})
}

// checkRecord decodes; what can be decoded can be stored again, the same.
func checkRecord[R any](t *testing.T, raw []byte) {
	t.Helper()
	r, err := decodeRecord[R](raw)
	if err != nil {
		if len(raw) > 20 && bytes.Contains([]byte(err.Error()), raw) {
			t.Errorf("decodeRecord(%q) = %v, which quotes the record", raw, err)
		}
		return
	}
	once := encodeRecord(r)
	again, err := decodeRecord[R](once)
	if err != nil || !bytes.Equal(encodeRecord(again), once) {
		t.Errorf("decodeRecord(%s) = %+v, %v, want %+v", once, again, err, r)
	}
}

func FuzzSplitKey(f *testing.F) {
	f.Add("fusion/a", "key")
	f.Add("a/\x01", "\x00")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, addr, rest string) {
		splitKey(keyTimer, addr)
		seqOf(addr)
		a := messages.Address(addr)
		if a.Validate() != nil {
			return
		}
		gotAddr, gotRest, ok := splitKey(keyTimer, ofActor(keyTimer, a, rest))
		if gotAddr != a || gotRest != rest || !ok {
			t.Errorf("splitKey(ofActor(%q, %q)) = %q, %q, %v, want the same", a, rest, gotAddr, gotRest, ok)
		}
		if seq, ok := seqOf(inboxKey(a, uint64(len(rest)))); seq != uint64(len(rest)) || !ok {
			t.Errorf("seqOf(inboxKey(%q, %d)) = %d, %v, want the same", a, len(rest), seq, ok)
		}
	})
}
