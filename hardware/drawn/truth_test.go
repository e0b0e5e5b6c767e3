package drawn

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func texts(seen []Seen) (out []string) {
	for _, s := range seen {
		out = append(out, s.Conversation+":"+string(s.Text))
	}
	return out
}

func TestTruth(t *testing.T) {
	w := open(t, Options{Size: image.Pt(480, 400)})
	must(t, w.Append("", Friend, "a"))
	must(t, w.Append("", Me, "mine"))
	if got := w.Truth(); len(got) != 0 {
		t.Errorf("Truth() before a capture = %q, want nothing", texts(got))
	}
	picture(t, w)
	must(t, w.Append("Ren", Friend, "hidden"))
	must(t, w.Append("", Friend, "b"))
	must(t, w.Edit("", 2, "b2"))
	picture(t, w)
	must(t, w.Edit("", 0, "a2"))
	must(t, w.Append("", Friend, "never"))
	must(t, w.Unsend("", 3))
	picture(t, w)
	must(t, w.Switch("Ren"))
	picture(t, w)
	must(t, w.Switch("Hana"))
	for i := range 12 {
		must(t, w.Append("", Friend, messages.Text(fmt.Sprint(i))))
	}
	picture(t, w)
	got, want := texts(w.Truth()), []string{"Hana:a", "Hana:b2", "Ren:hidden", "Hana:8", "Hana:9", "Hana:10", "Hana:11"}
	got = slices.DeleteFunc(got, func(s string) bool { return s == "Hana:6" || s == "Hana:7" }) // depends on the font
	if !slices.Equal(got, want) {
		t.Errorf("Truth() = %q, want %q", got, want)
	}
}

func TestHides(t *testing.T) {
	w := open(t, Options{Size: image.Pt(480, 400)})
	friend := Change{Op: OpAppend, Who: Friend, Text: "x"}
	n := 0
	for ; !w.Hides(friend); n++ {
		if n > 20 {
			t.Fatal("Hides(append) = false with 20 unseen messages, want true at some time")
		}
		must(t, w.Apply(friend))
	}
	if all := w.layout(w.s); len(all) != n || !whole(all[0], w.frame(w.s).view()) {
		t.Errorf("Hides(append) = true with %d messages and not all in view, want it before one is cut", n)
	}
	for _, c := range []Change{
		{Op: OpHide}, {Op: OpSwitch, Conversation: "Ren"}, {Op: OpResize, W: 480, H: 200}, {Op: OpResize},
		{Op: OpSend, Text: "x"}, {Op: OpEdit, Index: n - 1, Text: "a\nb\nc\nd"},
	} {
		if !w.Hides(c) {
			t.Errorf("Hides(%s) = false with unseen messages, want true", c.Op)
		}
	}
	for _, c := range []Change{
		{Op: OpRerender}, {Op: OpCover}, {Op: OpType, Text: "x"}, {Op: OpUnsend, Index: n - 1},
		{Op: OpAppend, Conversation: "Ren", Who: Friend, Text: "x"}, {Op: OpResize, W: 480, H: 600},
	} {
		if w.Hides(c) {
			t.Errorf("Hides(%s) = true, want false: everything stays in view", c.Op)
		}
	}
	picture(t, w)
	for _, c := range []Change{friend, {Op: OpHide}, {Op: OpResize}} {
		if w.Hides(c) {
			t.Errorf("Hides(%s) = true after a capture, want false", c.Op)
		}
	}
}

// TestHidesHigherThanView must not make a friend wait for ever.
func TestHidesHigherThanView(t *testing.T) {
	w := open(t, Options{Size: image.Pt(300, 240)})
	must(t, w.Append("", Friend, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20"))
	next := Change{Op: OpAppend, Who: Friend, Text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"}
	if !w.Hides(next) {
		t.Error("Hides() = false before the end of a high bubble was captured, want true")
	}
	picture(t, w)
	if w.Hides(next) {
		t.Error("Hides() = true after a capture, want false")
	}
	if got := w.Truth(); len(got) != 1 || !got[0].Partial {
		t.Errorf("Truth() = %+v, want a part: no capture had all of it", got)
	}
	for range 8 {
		must(t, w.Apply(Change{Op: OpScroll, By: 60}))
		picture(t, w)
	}
	if got := w.Truth(); len(got) != 1 || got[0].Partial {
		t.Errorf("Truth() = %+v, want the whole: captures had all of it, one after the other", got)
	}
}

// TestTruthOfAFlood: what a capture shows of a flood is no first view, though none of it was captured before. What
// stands above an own message may be history.
func TestTruthOfAFlood(t *testing.T) {
	later := func(last Who) (got []int) {
		w := open(t, Options{})
		must(t, w.Append("", Friend, "a"))
		picture(t, w)
		for i := range 40 {
			must(t, w.Append("", Friend, messages.Text(fmt.Sprintf("flood %d", i))))
		}
		must(t, w.Append("", last, "b"))
		picture(t, w)
		for _, s := range w.Truth()[1:] {
			got = append(got, s.Later)
		}
		slices.Sort(got)
		return slices.Compact(got)
	}
	if got := later(Friend); !slices.Equal(got, []int{NotFirst}) {
		t.Errorf("Truth().Later of a flood = %v, want %d alone", got, NotFirst)
	}
	if got := later(Me); !slices.Equal(got, []int{-1}) {
		t.Errorf("Truth().Later above an own message = %v, want -1 alone", got)
	}
}

// TestTruthOfTheFirstView: what stands below a message on the first view of its
// conversation says whether it was answered.
func TestTruthOfTheFirstView(t *testing.T) {
	w := open(t, Options{})
	for _, m := range []struct {
		who  Who
		text string
	}{{Friend, "a"}, {Me, "b"}, {Friend, "c"}, {Friend, "d"}} {
		must(t, w.Append("", m.who, messages.Text(m.text)))
	}
	picture(t, w)
	must(t, w.Append("", Friend, "e"))
	picture(t, w)
	var got []int
	for _, s := range w.Truth() {
		got = append(got, s.Later)
	}
	if want := []int{-1, 1, 0, NotFirst}; !slices.Equal(got, want) {
		t.Errorf("Truth().Later = %v, want %v", got, want)
	}
}
