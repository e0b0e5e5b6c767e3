package messages

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

type (
	note    struct{ Words Text }
	oldNote struct{ Text Text } // note as version 1 had it
	other   struct{ N int }
	pointy  struct{}
	unnamed struct{}
)

func (note) MessageType() Type    { return Type{"test_note", 3} }
func (oldNote) MessageType() Type { return Type{"test_note", 1} }
func (other) MessageType() Type   { return Type{"test_note", 1} }
func (*pointy) MessageType() Type { return Type{"test_pointy", 1} }
func (unnamed) MessageType() Type { return Type{} }

// upcastNote knows version 1 ("Text") and version 2 ("words"); note is 3.
func upcastNote(version int, body json.RawMessage) (json.RawMessage, error) {
	if version > 1 {
		return body, nil
	}
	var old oldNote
	if err := json.Unmarshal(body, &old); err != nil {
		return nil, errors.New("no note of version 1")
	}
	return json.Marshal(map[string]Text{"Words": old.Text})
}

func TestUpcastReadsOldBodies(t *testing.T) {
	now, err := NewCodec(Table{Durable[note](upcastNote).AboutNobody()})
	if err != nil {
		t.Fatal(err)
	}
	before, err := NewCodec(Table{Durable[oldNote](nil).AboutNobody()})
	if err != nil {
		t.Fatal(err)
	}
	old, err := before.Encode(oldNote{"はな"})
	if err != nil {
		t.Fatal(err)
	}
	want := note{"はな"}
	for _, raw := range []string{
		string(old),
		`{"type":"test_note","v":2,"body":{"words":"はな"}}`,
		`{"type":"test_note","v":3,"body":{"Words":"はな"}}`,
	} {
		if got, err := now.Decode([]byte(raw)); err != nil || got != Message(want) {
			t.Errorf("Decode(%s) = %#v, %v, want %#v", raw, got, err, want)
		}
	}
	newest, err := now.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := before.Decode(newest); !errors.Is(err, ErrUnknownType) || !strings.Contains(err.Error(), "upgrade") {
		t.Errorf("Decode(newer) = %v, %v, want an unknown type that says to upgrade", m, err)
	}
}

func TestDecodeErrorsQuoteNoBody(t *testing.T) {
	codec, err := NewCodec(Core(), Table{Durable[note](upcastNote).AboutNobody()})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"text":"` + Secret + `"}`
	whole, err := core(t).Encode(IncomingBubble{Text: Secret, Sender: Secret})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]error{
		"":                           ErrBadBody,
		Secret:                       ErrBadBody,
		`"` + Secret + `"`:           ErrBadBody,
		`[` + body + `]`:             ErrBadBody,
		`{"type":7,"body":` + body:   ErrBadBody,
		`{"body":` + body + `}`:      ErrUnknownType,
		`{"type":"heard","v":1}`:     ErrBadBody,
		strings.Repeat("[", 100_000): ErrBadBody,
		`{"type":"from_the_future","v":1,"body":` + body + `}`:                      ErrUnknownType,
		`{"type":"heard","v":99,"body":` + body + `}`:                               ErrUnknownType,
		`{"type":"heard","v":0,"body":` + body + `}`:                                ErrBadBody,
		`{"type":"heard","v":1,"body":"` + Secret + `"}`:                            ErrBadBody,
		`{"type":"heard","v":1,"body":{"occurrence":"` + Secret + `"}}`:             ErrBadBody,
		`{"type":"heard","v":1,"body":{"seen_at":"` + Secret + `"}}`:                ErrBadBody,
		`{"type":"heard","v":1,"body":{"text":"` + Secret + `","occurrence":1e99}}`: ErrBadBody,
		`{"type":"test_note","v":1,"body":["` + Secret + `"]}`:                      ErrBadBody,
	}
	for cut := range len(whole) {
		cases[string(whole[:cut])] = ErrBadBody
	}
	for raw, want := range cases {
		m, err := codec.Decode([]byte(raw))
		if !errors.Is(err, want) || m != nil {
			t.Errorf("Decode(%.80q) = %v, %v, want %v", raw, m, err, want)
		} else if form := Leaks(fmt.Sprintf("%v %+v %#v", err, err, err)); form != "" {
			t.Errorf("Decode(%.80q) = %v, which shows the body (%s)", raw, err, form)
		}
	}
}

func TestEncodeRefusesUnknownTypes(t *testing.T) {
	for _, m := range []Message{nil, note{Secret}, &IncomingBubble{Text: Secret}} {
		raw, err := core(t).Encode(m)
		if !errors.Is(err, ErrUnknownType) || raw != nil {
			t.Errorf("Encode(%T) = %s, %v, want %v", m, raw, err, ErrUnknownType)
		} else if form := Leaks(err.Error()); form != "" {
			t.Errorf("Encode(%T) = %v, which shows the text (%s)", m, err, form)
		}
	}
	_, err := core(t).Encode(&IncomingBubble{})
	if want := "send messages.IncomingBubble, not a pointer to it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Encode(a pointer) = %v, want %q", err, want)
	}
}

func TestNewCodecRefusesBadTables(t *testing.T) {
	for name, c := range map[string]struct {
		table Table
		want  string
	}{
		"doubled name": {Table{Durable[oldNote](nil).AboutNobody(), Fleeting[other]()},
			`"test_note" is the name of both messages.oldNote and messages.other`},
		"doubled type": {Table{Durable[oldNote](nil).AboutNobody(), Fleeting[oldNote]()},
			`messages.oldNote is registered twice, as "test_note"`},
		"core twice": {Core(), `messages.Started is registered twice, as "started"`},
		"no name":    {Table{Durable[unnamed](nil).AboutNobody()}, "needs a name"},
		"pointer":    {Table{Durable[*oldNote](nil)}, "register the value type"},
		"of its own": {Table{Fleeting[*pointy]()}, "register the value type"},
		"by hand":    {Table{{Type: Type{"test_hand", 1}}}, "register the value type"},
	} {
		_, err := NewCodec(Core(), c.table)
		if !errors.Is(err, ErrBadTable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewCodec(%s) = %v, want %v with %q", name, err, ErrBadTable, c.want)
		}
	}
}

// whom is durable and says whom it is about, orphan does not.
type (
	whom   struct{ Whom ConversationID }
	orphan struct{ Conversation ConversationID }
)

func (whom) MessageType() Type         { return Type{"test_whom", 1} }
func (w whom) Subject() ConversationID { return w.Whom }
func (orphan) MessageType() Type       { return Type{"test_orphan", 1} }

// These are durable and cannot be stored, but for the last.
type (
	withChan struct{ Done chan int }
	withFunc struct {
		Deep []map[string]struct{ Call func() }
	}
	withHidden struct{ text string }
	withWhole  struct {
		At   time.Time
		Loop *withWhole
		Left chan int `json:"-"`
		n    int
	}
)

func (withChan) MessageType() Type   { return Type{"test_chan", 1} }
func (withFunc) MessageType() Type   { return Type{"test_func", 1} }
func (withHidden) MessageType() Type { return Type{"test_hidden", 1} }
func (withWhole) MessageType() Type  { return Type{"test_whole", 1} }

func TestStorable(t *testing.T) {
	_, _ = withHidden{}.text, withWhole{}.n
	for want, row := range map[string]Entry{
		"messages.withChan.Done is a chan":              Durable[withChan](nil),
		"messages.withFunc.Deep.Call is a func":         Durable[withFunc](nil),
		"messages.withHidden has no exported field, so": Durable[withHidden](nil),
	} {
		if _, err := NewCodec(Table{row.AboutNobody()}); !errors.Is(err, ErrBadTable) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("NewCodec() = %v, want %v with %q", err, ErrBadTable, want)
		}
		row.Durable = false
		if _, err := NewCodec(Table{row}); err != nil {
			t.Errorf("NewCodec() of a fleeting type = %v", err)
		}
	}
	if _, err := NewCodec(Table{Durable[withWhole](nil).AboutNobody()}); err != nil {
		t.Errorf("NewCodec() of a type that can be stored = %v", err)
	}
}

func TestSubject(t *testing.T) {
	if _, err := NewCodec(Table{Durable[orphan](nil)}); !errors.Is(err, ErrBadTable) ||
		!strings.Contains(err.Error(), "messages.orphan") || !strings.Contains(err.Error(), "Subject()") ||
		!strings.Contains(err.Error(), "AboutNobody()") {
		t.Errorf("NewCodec(durable type without a subject) = %v, want %v that names the type and what to add", err,
			ErrBadTable)
	}
	about := AboutWhom(Durable[orphan](nil), func(o orphan) ConversationID { return o.Conversation })
	for name, c := range map[string]struct {
		row  Entry
		m    Message
		want ConversationID
	}{
		"method": {Durable[whom](nil), whom{"line:Hana"}, "line:Hana"},
		"row":    {about, orphan{"line:Hana"}, "line:Hana"},
		"nobody": {Durable[orphan](nil).AboutNobody(), orphan{"line:Hana"}, ""},
		"empty":  {Durable[whom](nil), whom{}, ""},
	} {
		codec, err := NewCodec(Table{c.row})
		if err != nil {
			t.Fatalf("%s: NewCodec() = %v", name, err)
		}
		raw, err := codec.Encode(c.m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := codec.Subject(raw); got != c.want || err != nil {
			t.Errorf("%s: Subject(%s) = %q, %v, want %q", name, raw, got, err, c.want)
		}
	}
	if _, err := core(t).Subject([]byte(`{"type":"gone","v":1,"body":{}}`)); !errors.Is(err, ErrUnknownType) {
		t.Errorf("Subject(unknown type) = %v, want %v", err, ErrUnknownType)
	}
}

func core(t testing.TB) *Codec {
	t.Helper()
	c, err := NewCodec(Core())
	if err != nil {
		t.Fatalf("NewCodec(Core()) = %v, want none", err)
	}
	return c
}

func TestOneTypeCannotHaveTwoNames(t *testing.T) {
	renamed := Durable[oldNote](nil).AboutNobody()
	renamed.Type.Name = "test_renamed"
	_, err := NewCodec(Table{Durable[oldNote](nil).AboutNobody(), renamed})
	if want := `has the names "test_note" and "test_renamed"`; !errors.Is(err, ErrBadTable) ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("NewCodec(one type, two names) = %v, want %v with %q", err, ErrBadTable, want)
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		addr      Address
		kind, key string
		ok        bool
	}{
		{To("fusion", "line@mac-a"), "fusion", "line@mac-a", true},
		{"conversation/line:はな/子", "conversation", "line:はな/子", true},
		{"a//", "a", "/", true},
		{"", "", "", false},
		{"fusion", "fusion", "", false},
		{"fusion/", "fusion", "", false},
		{"/key", "", "key", false},
		{"Fusion/a", "Fusion", "a", false},
		{"fusion2/a", "fusion2", "a", false},
		{"fusion/a\x00b", "fusion", "a\x00b", false},
		{"fusion/\xff", "fusion", "\xff", false},
		{To("fusion", strings.Repeat("a", MaxAddress-7)), "fusion", strings.Repeat("a", MaxAddress-7), true},
		{To("fusion", strings.Repeat("a", MaxAddress-6)), "fusion", strings.Repeat("a", MaxAddress-6), false},
	} {
		if c.addr.Kind() != c.kind || c.addr.Key() != c.key {
			t.Errorf("%q has kind %q and key %q, want %q and %q", c.addr, c.addr.Kind(), c.addr.Key(), c.kind, c.key)
		}
		err := c.addr.Validate()
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrAddress) {
			t.Errorf("Address(%q).Validate() = %v, want ok %v", c.addr, err, c.ok)
		}
	}
}

// Secret and Leaks are for the tests outside of the package too.
const Secret = "ひみつ s3cret words"

// Leaks names the form in which s shows the secret, "" if it does not.
func Leaks(s string) string {
	for form, shown := range map[string]string{
		"plain":   Secret,
		"word":    "s3cret",
		"hex":     fmt.Sprintf("%x", Secret),
		"HEX":     fmt.Sprintf("%X", Secret),
		"spaced":  fmt.Sprintf("% x", Secret),
		"escaped": strings.Trim(strconv.QuoteToASCII(Secret), `"`),
		"bytes":   strings.Trim(fmt.Sprint([]byte(Secret)), "[]"),
		"runes":   strings.Trim(fmt.Sprint([]rune(Secret)), "[]"),
	} {
		if strings.Contains(s, shown) {
			return form
		}
	}
	return ""
}
