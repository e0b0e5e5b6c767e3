package reply

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

var update = flag.Bool("update", false, "rewrite golden files")

// docTable reads the rows of the package comment.
func docTable(t *testing.T) (rows []string) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	cells := regexp.MustCompile(`(?m)^//\t\| ([a-z, ]+?) +\| ([a-z_]+) +\| ([a-z]+) +\| ([a-z_, ]*?) +\|$`)
	for _, m := range cells.FindAllStringSubmatch(string(doc), -1) {
		if m[1] != "from" {
			rows = append(rows, strings.Join(m[1:], " | "))
		}
	}
	return rows
}

func (r row) String() string {
	var from, do []string
	for _, s := range r.from {
		from = append(from, string(s))
	}
	for _, k := range r.do {
		do = append(do, string(k))
	}
	return strings.Join([]string{strings.Join(from, ", "), r.on, string(r.to), strings.Join(do, ", ")}, " | ")
}

func TestTableIsTheDocumentedOne(t *testing.T) {
	var code []string
	for _, r := range table {
		code = append(code, r.String())
	}
	if doc := docTable(t); !slices.Equal(doc, code) {
		t.Errorf("doc.go has\n%s\nwant the rows of the code\n%s", strings.Join(doc, "\n"), strings.Join(code, "\n"))
	}
}

// named are the events by their names in the table.
var named = map[string]Event{
	"message": {Kind: OnMessage, Message: "m2"}, "reminder": {Kind: OnReminder, Message: ReminderID(1)},
	"yes": {Kind: OnVerdict, Respond: true}, "no": {Kind: OnVerdict},
	"again": {Kind: OnAgain}, "wrote_hold": {Kind: OnWrote, Action: Hold, Text: "x"},
	"wrote_draft":  {Kind: OnWrote, Action: Draft},
	"wrote_notify": {Kind: OnWrote, Action: Notify}, "wrote_send": {Kind: OnWrote, Action: Send},
	"decide_hold": {Kind: OnDecided, Action: Hold}, "decide_draft": {Kind: OnDecided, Action: Draft},
	"decide_notify": {Kind: OnDecided, Action: Notify}, "decide_send": {Kind: OnDecided, Action: Send},
	"edit": {Kind: OnEdit, Text: "y"}, "approve": {Kind: OnApprove}, "hold": {Kind: OnHold}, "reject": {Kind: OnReject},
	"person": {Kind: OnPerson}, "changed": {Kind: OnChanged, Message: "m1"},
	"emptied":   {Kind: OnChanged, Message: "m1", Unsent: true},
	"confirmed": {Kind: OnConfirmed}, "unconfirmed": {Kind: OnUnconfirmed}, "not_sent": {Kind: OnNotSent},
	"not_sent_stale": {Kind: OnNotSent}, "not_sent_void": {Kind: OnNotSent},
}

// deskIn is a desk with one turn in a state.
func deskIn(s State, on string) Desk {
	if s == none {
		return Desk{}
	}
	turn := Turn{ID: 1, Epoch: 3, State: s, Messages: []messages.MessageID{"m1"}, Text: "text",
		Stale: on == "not_sent_stale", Void: on == "not_sent_void"}
	if s == Unknown {
		return Desk{Last: 1, Unknown: []Turn{turn}}
	}
	return Desk{Last: 1, Open: &turn}
}

// TestTablePlays makes every move of the table, and refuses every other one.
func TestTablePlays(t *testing.T) {
	all := []State{none, Judging, Declined, Writing, Held, Drafted, Sending, Unknown}
	for _, on := range slices.Sorted(maps.Keys(named)) {
		for _, from := range all {
			e, d := named[on], deskIn(from, on)
			e.Turn, e.Epoch = 1, 3
			next, do, ok := d.Step(e)
			if from == Unknown && (on == "message" || on == "reminder") { // it opens another turn
				from = none
				next.Unknown = nil
			}
			r, found := find(from, on)
			if ok != found {
				t.Errorf("%s on %s: taken %v, want %v", from, on, ok, found)
				continue
			}
			if !ok {
				if fmt.Sprint(next) != fmt.Sprint(d) && from == none {
					t.Errorf("%s on %s is refused and changed the desk", from, on)
				}
				continue
			}
			want := r.to
			if want == same {
				want = from
			}
			var got []State
			if next.Open != nil {
				got = append(got, next.Open.State)
			}
			for _, u := range next.Unknown {
				got = append(got, u.State)
			}
			if want.Ends() && len(got) != 0 || !want.Ends() && !slices.Equal(got, []State{want}) {
				t.Errorf("%s on %s: turns in %v, want %s", from, on, got, want)
			}
			var kinds []EffectKind
			for _, x := range do {
				kinds = append(kinds, x.Kind)
			}
			wantKinds := slices.DeleteFunc(slices.Clone(r.do), func(k EffectKind) bool { return k == wait })
			if !slices.Equal(kinds, wantKinds) {
				t.Errorf("%s on %s does %v, want %v", from, on, kinds, wantKinds)
			}
		}
	}
}

// TestLateResults: a result of an older epoch, or of a turn that is gone, is refused,
// and so is an approval of a draft that is gone.
func TestLateResults(t *testing.T) {
	for _, e := range []Event{
		{Kind: OnVerdict, Turn: 1, Epoch: 2, Respond: true}, {Kind: OnVerdict, Turn: 2, Epoch: 3, Respond: true},
		{Kind: OnApprove, Turn: 1}, {Kind: OnApprove, Turn: 9}, {Kind: OnMessage, Message: "m1"},
		{Kind: OnChanged, Message: "m9"},
	} {
		if _, do, ok := deskIn(Judging, "").Step(e); ok || do != nil {
			t.Errorf("%+v was taken while another epoch is judged", e)
		}
	}
	if _, _, ok := deskIn(Drafted, "").Step(Event{Kind: OnApprove, Turn: 1, Epoch: 2}); ok {
		t.Error("an approval of an older text was taken for the new one")
	}
	held := deskIn(Drafted, "")
	held, _, _ = held.Step(Event{Kind: OnHold, Turn: 1})
	if _, _, ok := held.Step(Event{Kind: OnDecided, Turn: 1, Epoch: 3, Action: Send}); ok {
		t.Error("what a person holds went out by itself")
	}
}

// TestCollects: what arrives while a reply is written or sent opens the next turn.
func TestCollects(t *testing.T) {
	d := Desk{}
	step := func(e Event) (do []Effect) {
		t.Helper()
		next, do, ok := d.Step(e)
		if !ok {
			t.Fatalf("%+v was refused", e)
		}
		d = next
		return do
	}
	step(Event{Kind: OnMessage, Message: "a"})
	step(Event{Kind: OnMessage, Message: "b"}) // joins: nothing was written yet
	step(Event{Kind: OnVerdict, Turn: 1, Epoch: 2, Respond: true})
	step(Event{Kind: OnMessage, Message: "c"})
	step(Event{Kind: OnMessage, Message: "d"})
	step(Event{Kind: OnChanged, Message: "d", Unsent: true})
	do := step(Event{Kind: OnWrote, Turn: 1, Epoch: 2, Action: Send, Text: "hi"})
	if len(do) != 1 || do[0] != (Effect{Kind: SendReply, Turn: 1, Epoch: 3, Text: "hi"}) {
		t.Errorf("wrote: %+v, want it sent", do)
	}
	do = step(Event{Kind: OnConfirmed, Turn: 1, Epoch: 3})
	if d.Open == nil || fmt.Sprint(d.Open.Messages) != "[c]" || len(do) != 1 || do[0].Kind != Judge || do[0].Turn != 2 {
		t.Errorf("after the first reply: %+v, %+v, want the next turn with c", d.Open, do)
	}
}

// world plays what a desk asks for: it judges, writes and sends, with crashes
// between any two steps and results that come twice.
type world struct {
	t       *rapid.T
	d       Desk
	todo    []Effect
	results []Event // that may come, again too
	sent    map[int64]int
	stands  map[messages.MessageID]int // replies in the window, by message
	byHand  map[int64]bool             // sent once more by a person
	text    map[int64][]messages.MessageID
	gone    map[messages.MessageID]bool // rejected or withdrawn
	said    []messages.MessageID
}

func (w *world) step(e Event) {
	before := w.d
	next, do, ok := w.d.Step(e)
	if !ok {
		return
	}
	data, err := json.Marshal(next) // a crash: all that is left is what was stored
	if err != nil {
		w.t.Fatal(err)
	}
	w.d = Desk{}
	if err := json.Unmarshal(data, &w.d); err != nil {
		w.t.Fatal(err)
	}
	for _, x := range do {
		if x.Kind == SendReply {
			if w.sent[x.Turn]++; w.sent[x.Turn] > 1 && !w.byHand[x.Turn] && e.Kind != OnApprove && e.Kind != OnWrote &&
				e.Kind != OnDecided {
				w.t.Fatalf("turn %d was sent %d times, by %s", x.Turn, w.sent[x.Turn], e.Kind)
			}
			if slices.ContainsFunc(before.Unknown, func(t Turn) bool { return t.ID == x.Turn }) {
				w.byHand[x.Turn] = true
				if e.Kind != OnApprove {
					w.t.Fatalf("an unknown turn was sent again by %s", e.Kind)
				}
			}
			w.text[x.Turn] = slices.Clone(w.d.Open.Messages)
		}
	}
	w.todo = append(w.todo, do...)
	w.check(before, e)
}

// check holds what must hold after every step.
func (w *world) check(before Desk, e Event) {
	where := map[messages.MessageID]int{}
	for _, id := range w.d.Waiting {
		where[id]++
	}
	turns := slices.Clone(w.d.Unknown)
	if w.d.Open != nil {
		turns = append(turns, *w.d.Open)
	}
	for _, t := range turns {
		for _, id := range t.Messages {
			where[id]++
		}
		if t.State.Ends() || t.ID > w.d.Last {
			w.t.Fatalf("turn %d stays in %s, last is %d", t.ID, t.State, w.d.Last)
		}
	}
	for id, n := range where {
		if n > 1 {
			w.t.Fatalf("message %s is in %d turns: %+v", id, n, w.d)
		}
	}
	if before.Open != nil && (w.d.Open == nil || w.d.Open.ID != before.Open.ID) &&
		(e.Kind == OnPerson || e.Kind == OnReject || e.Kind == OnNotSent || e.Kind == OnChanged) {
		for _, id := range before.Open.Messages {
			w.gone[id] = true
		}
	}
	if e.Kind == OnPerson {
		for _, id := range before.Waiting {
			if _, asked := ReminderOf(id); !asked {
				w.gone[id] = true
			}
		}
	}
	if e.Kind == OnReject {
		for _, t := range before.Unknown {
			if t.ID == e.Turn {
				for _, id := range t.Messages {
					w.gone[id] = true
				}
			}
		}
	}
	if e.Kind == OnChanged && e.Unsent {
		w.gone[e.Message] = true
	}
	for _, id := range w.said {
		if where[id] == 0 && !w.gone[id] && w.stands[id] == 0 {
			w.t.Fatalf("message %s is neither pending nor answered after %+v: %+v", id, e, w.d)
		}
	}
}

// perform does the next thing that was asked for; it may be done again.
func (w *world) perform() {
	i := len(w.todo) - 1
	if rapid.IntRange(0, 4).Draw(w.t, "older") == 0 {
		i = rapid.IntRange(0, i).Draw(w.t, "which")
	}
	x := w.todo[i]
	w.todo = slices.Delete(w.todo, i, i+1)
	e := Event{Turn: x.Turn, Epoch: x.Epoch}
	switch x.Kind {
	case Judge:
		e.Kind, e.Respond = OnVerdict, rapid.IntRange(0, 3).Draw(w.t, "verdict") > 0
	case Write:
		e.Kind, e.Text = OnWrote, "text"
		e.Action = rapid.SampledFrom([]Action{Hold, Draft, Notify, Send, Send}).Draw(w.t, "action")
	case SendReply:
		stands := rapid.IntRange(0, 2).Draw(w.t, "stands") > 0
		if stands {
			for _, id := range w.text[x.Turn] {
				if w.stands[id]++; w.stands[id] > 1 && !w.byHand[x.Turn] {
					w.t.Fatalf("message %s was answered twice", id)
				}
			}
		}
		switch unsure := rapid.IntRange(0, 3).Draw(w.t, "unsure") == 0; {
		case unsure:
			e.Kind = OnUnconfirmed
			if stands {
				w.results = append(w.results, Event{Kind: OnConfirmed, Turn: x.Turn, Epoch: x.Epoch})
			}
		case stands:
			e.Kind = OnConfirmed
		default:
			e.Kind = OnNotSent
		}
	default:
		return
	}
	w.results = append(w.results, e)
}

// TestNeverTwice plays random conversations with crashes after every step, late and
// repeated results, and a person who interferes. Each message is answered once or
// visibly pending; none twice, but by a person's hand.
func TestNeverTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, sent: map[int64]int{}, stands: map[messages.MessageID]int{}, byHand: map[int64]bool{},
			text: map[int64][]messages.MessageID{}, gone: map[messages.MessageID]bool{}}
		for n := range 150 {
			const some = "message reminder change person person approve approve perform perform perform perform " +
				"perform perform " +
				"result result result result result result"
			switch rapid.SampledFrom(strings.Fields(some)).Draw(t, "step") {
			case "message":
				id := messages.MessageID(fmt.Sprint("m", n))
				w.said = append(w.said, id)
				w.step(Event{Kind: OnMessage, Message: id})
			case "reminder":
				id := ReminderID(int64(n))
				w.said = append(w.said, id)
				before := w.d.Open
				w.step(Event{Kind: OnReminder, Message: id})
				if before != nil && visible(before.State) && fmt.Sprint(*w.d.Open) != fmt.Sprint(*before) {
					t.Fatalf("a reminder made %+v of %+v", *w.d.Open, *before)
				}
			case "perform":
				if len(w.todo) > 0 {
					w.perform()
				}
			case "result": // results stay, so that they come again
				if at := len(w.results) - 1; at >= 0 {
					late := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(t, "late")
					w.step(w.results[max(0, at-late)])
				}
			case "change":
				if len(w.said) > 0 && n%3 == 0 {
					w.step(Event{Kind: OnChanged, Message: rapid.SampledFrom(w.said).Draw(t, "message"),
						Unsent: rapid.Bool().Draw(t, "unsent")})
				}
			case "approve":
				w.step(Event{Kind: OnApprove, Turn: w.someTurn()})
			case "person":
				w.step(Event{Kind: rapid.SampledFrom([]EventKind{OnPerson, OnEdit, OnHold, OnReject, OnAgain, OnDecided,
					OnDecided}).Draw(t, "kind"), Turn: w.someTurn(), Text: "mine",
					Action: rapid.SampledFrom([]Action{Hold, Draft, Notify, Send}).Draw(t, "decision")})
			}
		}
	})
}

// someTurn is the open turn or one that is unknown.
func (w *world) someTurn() int64 {
	ids := []int64{w.d.Last}
	for _, t := range w.d.Unknown {
		ids = append(ids, t.ID)
	}
	return rapid.SampledFrom(ids).Draw(w.t, "turn")
}

// TestGolden pins the stored form.
func TestGolden(t *testing.T) {
	d := deskIn(Sending, "not_sent_stale")
	d.Unknown = []Turn{{ID: 7, Epoch: 2, State: Unknown, Messages: []messages.MessageID{"m0"}, Text: "hi"}}
	d.Waiting = []messages.MessageID{"m2"}
	got, err := json.MarshalIndent(map[string]any{"desk": d, "new": Desk{}, "usage": Usage{}.Automatic(noon)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/desk.v1.golden"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != string(got)+"\n" {
		t.Errorf("stored form is\n%s\nwant\n%s (%v)", got, want, err)
	}
}

// TestTheEndOfATurnIsTold also if nobody has seen any of its reply, because somebody may wait for that; that of
// one that was declined is not.
func TestTheEndOfATurnIsTold(t *testing.T) {
	for _, state := range []State{Judging, Writing, Declined} {
		before := Desk{Last: 1, Open: &Turn{ID: 1, Epoch: 1, State: state, Messages: []messages.MessageID{"a"}}}
		for e, want := range map[Event]State{
			{Kind: OnReject, Turn: 1, Epoch: 1}:            Rejected,
			{Kind: OnPerson}:                               Withdrawn,
			{Kind: OnChanged, Message: "a", Unsent: true}:  Withdrawn,
			{Kind: OnChanged, Message: "a", Unsent: false}: "",
		} {
			after, _, ok := before.Step(e)
			if state == Declined {
				want, ok = "", true
			}
			got := Changed(before, after, e)
			if !ok || (want == "") != (len(got) == 0) || want != "" && (got[0].State != want || got[0].Text != "") {
				t.Errorf("%s, %s: Step() = %v, Changed() = %+v, want %q", state, e.Kind, ok, got, want)
			}
		}
	}
}
