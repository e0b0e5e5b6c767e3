package actortest

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

type all struct {
	List  []int
	Map   map[string]bool
	At    time.Time
	Any   any
	Ptr   *float64
	Image *image.RGBA
	Text  messages.Text
	Size  uint8
	fn    func()
}

func (all) MessageType() messages.Type { return messages.Type{Name: "test_all", Version: 1} }

func TestDiff(t *testing.T) {
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	one, two := 1.0, 2.0
	black, white := image.NewRGBA(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(0, 0, 1, 1))
	white.Pix[0] = 255
	for _, c := range []struct {
		got, want messages.Message
		diff      string
	}{
		{nil, nil, ""},
		{nil, all{}, "the value: one is nil"},
		{all{}, messages.Started{}, "the value: actortest.all, want messages.Started"},
		{all{List: []int{}, Map: map[string]bool{}}, all{}, ""},
		{all{List: []int{1, 2}}, all{List: []int{1, 3}}, ".List[1]: 2, want 3"},
		{all{List: []int{1, 2}}, all{List: []int{1}}, ".List: 2 elements, want 1"},
		{all{Map: map[string]bool{"a": true}}, all{Map: map[string]bool{"a": false}}, `.Map["a"]: true, want false`},
		{all{Map: map[string]bool{"a": true}}, all{}, `.Map: unwanted key "a"`},
		{all{}, all{Map: map[string]bool{"a": true}}, `.Map: missing key "a"`},
		{all{At: at}, all{At: at.In(time.FixedZone("", 3600))}, ""},
		{all{At: at}, all{At: at.Add(1)}, ".At: 2026-05-06 07:08:09 +0000 UTC, " +
			"want 2026-05-06 07:08:09.000000001 +0000 UTC"},
		{all{Any: 1}, all{Any: "1"}, ".Any: int, want string"},
		{all{Any: 1}, all{}, ".Any: one is nil"},
		{all{Ptr: &one}, all{Ptr: &two}, ".Ptr: 1, want 2"},
		{all{Ptr: &one}, all{Ptr: new(float64(1))}, ""},
		{all{Image: black}, all{Image: white}, ".Image: another image"},
		{all{Image: black}, all{Image: image.NewRGBA(black.Rect)}, ""},
		{all{Text: "はな"}, all{Text: "hana"}, `.Text: "はな", want "hana"`},
		{all{Size: 1}, all{Size: 2}, ".Size: 1, want 2"},
		{all{fn: func() {}}, all{}, ".fn: a func cannot be in a message"},
	} {
		if got := diff(c.got, c.want); got != c.diff {
			t.Errorf("diff(%v, %v) = %q, want %q", c.got, c.want, got, c.diff)
		}
	}
}

func TestShowCutsWhatIsLong(t *testing.T) {
	got := show(all{Text: messages.Text(strings.Repeat("気", 1000))})
	if len(got) > maxShown+50 || !strings.HasSuffix(got, "bytes)") {
		t.Errorf("show(long) has %d bytes and ends in %q, want at most %d and a count of bytes", len(got),
			got[len(got)-10:], maxShown+50)
	}
	if got, want := show(messages.Started{}), "started"; got != want {
		t.Errorf("show(Started) = %q, want %q", got, want)
	}
	if got, want := show(nil), "no message"; got != want {
		t.Errorf("show(nil) = %q, want %q", got, want)
	}
}
