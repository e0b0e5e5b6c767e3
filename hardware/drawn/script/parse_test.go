package script

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

const hello = `{"at_ms":0,"who":"friend","text":"hello","conversation":"Hana"}` + "\n"

func TestParseEveryVerb(t *testing.T) {
	in := "# a comment\n\n" + hello + `
{"at_ms":5,"who":"me","kind":"sticker"}
{"at_ms":5,"do":"scroll","by":-200}
{"at_ms":5,"do":"rerender"}
{"at_ms":5,"do":"resize","to":[400,0]}
{"at_ms":5,"do":"hide"}
{"at_ms":5,"do":"show"}
{"at_ms":5,"do":"cover"}
{"at_ms":5,"do":"uncover"}
{"at_ms":5,"do":"edit","index":0,"text":"hi"}
{"at_ms":6,"do":"unsend","index":0}
{"at_ms":6,"do":"switch","conversation":"Ren"}
{"at_ms":6,"do":"type","text":"a"}
{"at_ms":6,"do":"send","text":"a"}
{"at_ms":6,"do":"restart"}
{"at_ms":6,"do":"crash"}
  {"at_ms":70, "do":"reset_baseline"}
{"at_ms":70,"do":"beside"}
{"at_ms":70,"do":"alone"}
{"at_ms":70,"do":"blur"}
{"at_ms":70,"do":"focus"}
{"at_ms":70,"do":"chats"}
{"at_ms":70,"do":"chat"}
{"at_ms":70,"do":"title","conversation":"Ren","text":"Hana"}
{"at_ms":70,"do":"pace","pace":"reader"}
{"at_ms":70,"do":"crash","down_ms":5000}`
	s, err := Parse(strings.NewReader(in))
	if err != nil {
		t.Fatalf("Parse() = %v, want a script", err)
	}
	want := []Event{
		{Line: 3, Who: drawn.Friend, Kind: messages.KindText, Text: "hello", Conversation: "Hana"},
		{Line: 5, AtMS: 5, Who: drawn.Me, Kind: messages.KindSticker, Conversation: "Hana"},
		{Line: 6, AtMS: 5, Do: Scroll, By: -200},
		{Line: 7, AtMS: 5, Do: Rerender},
		{Line: 8, AtMS: 5, Do: Resize, To: [2]int{400, 0}},
		{Line: 9, AtMS: 5, Do: Hide},
		{Line: 10, AtMS: 5, Do: Show},
		{Line: 11, AtMS: 5, Do: Cover},
		{Line: 12, AtMS: 5, Do: Uncover},
		{Line: 13, AtMS: 5, Do: Edit, Text: "hi", Conversation: "Hana"},
		{Line: 14, AtMS: 6, Do: Unsend, Conversation: "Hana"},
		{Line: 15, AtMS: 6, Do: Switch, Conversation: "Ren"},
		{Line: 16, AtMS: 6, Do: Type, Text: "a"},
		{Line: 17, AtMS: 6, Do: Send, Text: "a"},
		{Line: 18, AtMS: 6, Do: Restart},
		{Line: 19, AtMS: 6, Do: Crash},
		{Line: 20, AtMS: 70, Do: ResetBaseline},
	}
	for i, do := range []Verb{Beside, Alone, Blur, Focus, Chats, Chat} {
		want = append(want, Event{Line: 21 + i, AtMS: 70, Do: do})
	}
	want = append(want, Event{Line: 27, AtMS: 70, Do: Title, Conversation: "Ren", Text: "Hana"},
		Event{Line: 28, AtMS: 70, Do: Pace, Pace: Reader}, Event{Line: 29, AtMS: 70, Do: Crash, DownMS: 5000})
	if !reflect.DeepEqual(s.Events, want) {
		t.Errorf("Parse() = %+v, want %+v", s.Events, want)
	}
	if got := s.Conversation(); got != "Hana" {
		t.Errorf("Conversation() = %q, want Hana", got)
	}
	used := map[Verb]bool{}
	for _, e := range s.Events {
		used[e.Do] = true
	}
	for _, v := range verbs {
		if !used[v.verb] && v.verb != Flood { // see TestFlood
			t.Errorf("verb %q is not in this test", v.verb)
		}
	}
	roundTrip(t, s)
}

// TestFlood: so many messages, each with another text, spread over the time, which wait for
// nobody even where others wait.
func TestFlood(t *testing.T) {
	s, err := Parse(strings.NewReader(`{"at_ms":1,"who":"me","text":"hi","conversation":"Hana"}
{"at_ms":2,"do":"pace","pace":"reader"}
{"at_ms":10,"do":"flood","count":4,"over_ms":100}
{"at_ms":110,"do":"show"}
`))
	if err != nil || len(s.Events) != 9 {
		t.Fatalf("Parse() = %+v, %v, want 9 events", s.Events, err)
	}
	texts := map[messages.Text]bool{}
	for i, e := range s.Events[3:7] {
		texts[e.Text] = true
		if e.AtMS != 10+25*int64(i) || e.Who != drawn.Friend || e.Conversation != "Hana" || s.waits(3+i) {
			t.Errorf("message %d = %+v, waits %v, want one of the friend that waits for nobody", i, e, s.waits(3+i))
		}
	}
	if len(texts) != 4 || !s.waits(8) {
		t.Errorf("texts %v, want 4; what follows waits: %v, want true", texts, s.waits(8))
	}
	for _, bad := range []string{`{"at_ms":1,"do":"flood","count":1}`, `{"at_ms":1,"do":"flood","conversation":"x"}`} {
		if _, err := Parse(strings.NewReader(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("Parse(%s) = %v, want %v", bad, err, ErrFormat)
		}
	}
}

// roundTrip checks that Write and Parse are inverse.
func roundTrip(t *testing.T, s Script) {
	t.Helper()
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatalf("Write() = %v, want nil", err)
	}
	again, err := Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatalf("Parse(Write()) = %v, want the script", err)
	}
	if len(again.Events) != len(s.Events) {
		t.Fatalf("Parse(Write()) = %d events, want %d", len(again.Events), len(s.Events))
	}
	for i, e := range s.Events {
		e.Line = i + 1
		if again.Events[i] != e {
			t.Errorf("Parse(Write())[%d] = %+v, want %+v", i, again.Events[i], e)
		}
	}
	if again.ID() != s.ID() {
		t.Errorf("ID() = %s after a round trip, want %s", again.ID(), s.ID())
	}
}

func TestParseRefuses(t *testing.T) {
	const secret = "himitsu"
	for _, c := range []struct{ in, want string }{
		{`{`, "one JSON object"},
		{`[]`, "not a JSON object"},
		{`{"at_ms":0,"who":"me","text":"x","conversation":"H"} {}`, "exactly one"},
		{"{\"at_ms\":0,\"who\":\"me\",\"text\":\"\xff\",\"conversation\":\"H\"}", "UTF-8"},
		{`{"at_ms":0,"at_ms":1,"do":"hide"}`, `"at_ms" twice`},
		{`{"at_ms":0}`, `want "who"`},
		{`{"at_ms":0,"do":"hide","who":"me"}`, "on one line"},
		{`{"do":"hide"}`, "at_ms"},
		{`{"at_ms":-1,"do":"hide"}`, "at_ms"},
		{`{"at_ms":1.5,"do":"hide"}`, "whole number"},
		{`{"at_ms":"1","do":"hide"}`, "whole number"},
		{`{"at_ms":null,"do":"hide"}`, "whole number"},
		{`{"at_ms":31622400001,"do":"hide"}`, "31622400000"},
		{`{"at_ms":0,"do":"dance"}`, `"dance"; want one of scroll, rerender, resize`},
		{`{"at_ms":0,"do":1}`, "want one of scroll"},
		{`{"at_ms":0,"do":"hide","by":1}`, `"by" does not belong here; allowed are at_ms, do`},
		{`{"at_ms":0,"do":"scroll"}`, `"by" is missing`},
		{`{"at_ms":0,"do":"scroll","by":1048577}`, `"by"`},
		{`{"at_ms":0,"do":"resize","to":[1]}`, "want [width,height]"},
		{`{"at_ms":0,"do":"resize","to":[1,2,3]}`, "want [width,height]"},
		{`{"at_ms":0,"do":"resize","to":[1,-2]}`, "want [width,height]"},
		{`{"at_ms":0,"do":"resize","to":[1,4097]}`, "4096"},
		{`{"at_ms":0,"do":"switch"}`, `"conversation" is missing`},
		{`{"at_ms":0,"do":"type","text":""}`, `"text" is missing, empty`},
		{`{"at_ms":0,"do":"unsend","index":-1}`, `"index"`},
		{`{"at_ms":0,"do":"unsend","index":0}`, "0 messages"},
		{`{"at_ms":0,"who":"boss","text":"x","conversation":"H"}`, "want one of friend, me"},
		{`{"at_ms":0,"who":"me","text":" ","conversation":"H"}`, `"text" is missing, empty`},
		{`{"at_ms":0,"who":"me","text":"himitsu"}`, "the first message needs one"},
		{`{"at_ms":0,"who":"me","text":"himitsu","conversation":""}`, `"conversation"`},
		{`{"at_ms":0,"who":"me","text":"himitsu","conversation":"H","to":[1,2]}`, `"to" does not belong`},
		{`{"at_ms":0,"who":"me","text":"himitsu","conversation":"H","kind":"sticker"}`, "sticker has no"},
		{`{"at_ms":0,"who":"me","kind":"photo","conversation":"H"}`, "want one of text, sticker"},
		{hello + `{"at_ms":9,"do":"hide"}` + "\n" + `{"at_ms":8,"do":"show"}`, "want at least 9"},
		{hello + `{"at_ms":9,"do":"edit","index":1,"text":"himitsu"}`, "1 messages"},
		{hello + `{"at_ms":9,"do":"unsend","index":0}` + "\n" +
			`{"at_ms":9,"do":"edit","index":0,"text":"himitsu"}`, "taken back"},
		{hello + `{"at_ms":9,"do":"switch","conversation":"Ren"}` + "\n" +
			`{"at_ms":9,"do":"unsend","index":0}`, "0 messages"},
	} {
		_, err := Parse(strings.NewReader("# first\n" + c.in))
		line := "line " + string(rune('2'+strings.Count(c.in, "\n")))
		switch {
		case !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), line):
			t.Errorf("Parse(%s) = %v, want %q in %s", c.in, err, c.want, line)
		case strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n"):
			t.Errorf("Parse(%s) = %v, want one line without the text", c.in, err)
		}
	}
}

func TestDefault(t *testing.T) {
	s := Default()
	roundTrip(t, s)
	twice, long, end := 0, 0, s.Events[len(s.Events)-1].AtMS
	for i, e := range s.Events {
		if i > 0 && e.Text == "OK" && s.Events[i-1].Text == "OK" {
			twice++
		}
		if len(e.Text) > 100 {
			long++
		}
		if e.Host() || e.Do == "" && e.Conversation != "Hana" {
			t.Errorf("line %d needs a host or is not Hana's", e.Line)
		}
	}
	if len(s.Events) < 30 || twice != 1 || long == 0 || end < 160_000 || end > 190_000 {
		t.Errorf("Default() = %d events to %d ms, %d repeats, %d long, want about 30 in three minutes with one repeat",
			len(s.Events), end, twice, long)
	}
	waits := 0 // until the other side, or the owner, writes again
	for i, e := range s.Events[1:] {
		if s.Events[i].Who == drawn.Friend && e.AtMS-s.Events[i].AtMS >= 11_000 {
			waits++
		}
	}
	if waits < 3 || s.Events[3].AtMS < 14_000 {
		t.Errorf("Default() leaves %d questions for long enough to be answered, want 3 at least, the first of all",
			waits)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(hello + `{"at_ms":9,"do":"edit","index":0,"text":"<&>\u2028"}`)
	f.Add(defaultScript)
	f.Add(hello + `{"at_ms":1,"do":"switch","conversation":"B"}` + "\n" + `{"at_ms":1,"do":"resize","to":[1,2]}`)
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Parse(strings.NewReader(in))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("Parse() = %v, want %v", err, ErrFormat)
			}
			return
		}
		roundTrip(t, s)
	})
}

func TestUnshown(t *testing.T) {
	chat, err := Parse(strings.NewReader(`{"at_ms":0,"who":"friend","text":"a","conversation":"Hana"}
{"at_ms":1,"who":"friend","text":"b","conversation":"Ren"}
{"at_ms":2,"do":"switch","conversation":"Ren"}
{"at_ms":3,"who":"friend","text":"c"}
{"at_ms":4,"do":"switch","conversation":"Hana"}
{"at_ms":5,"who":"friend","text":"d","conversation":"Ren"}
{"at_ms":6,"who":"friend","text":"e"}
{"at_ms":7,"who":"me","text":"f","conversation":"Ken"}
{"at_ms":8,"who":"friend","text":"g","conversation":"Hana"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, e := range chat.Unshown() {
		lines = append(lines, e.Line)
	}
	if want := []int{6, 8}; !slices.Equal(lines, want) {
		t.Errorf("Unshown() = lines %v, want %v", lines, want)
	}
}

// The format names each verb, with its arguments.
func TestFormatNamesEveryVerb(t *testing.T) {
	lines := strings.Split(Format, "\n")
	for _, v := range verbs {
		if !slices.ContainsFunc(lines, func(line string) bool {
			words := strings.Fields(strings.ReplaceAll(line, ",", " "))
			return strings.HasPrefix(line, "  ") && slices.Contains(words[:min(2, len(words))], string(v.verb)) &&
				!slices.ContainsFunc(v.args, func(arg string) bool { return !slices.Contains(words, arg) })
		}) {
			t.Errorf("Format has no line for %s with %v", v.verb, v.args)
		}
	}
	for line := range strings.Lines(Format) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "{") && strings.Contains(line, `"who"`) {
			if _, err := Parse(strings.NewReader(line)); err != nil {
				t.Errorf("Parse(%s) = %v, want it read", line, err)
			}
		}
	}
}

// forever is a file that has no end.
type forever struct{}

func (forever) Read(b []byte) (int, error) { return len(b), nil }

func TestAScriptHasAnEnd(t *testing.T) {
	_, err := Parse(forever{})
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("Parse(what does not end) = %v, want %v and the limit", err, ErrFormat)
	}
}
