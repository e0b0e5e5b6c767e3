package ingress

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

func TestDefaultRules(t *testing.T) {
	want := Rules{
		ByPlace: true, BySide: true,
		EchoWindow: 10 * time.Minute, Sends: 128, ShortWindow: 20 * time.Second, ShortMin: 2,
		ShortMax: 24,
		Echo: text.EchoRules{
			MinEqual: 2, MinPart: 6, Contains: 70, Contained: 85, MinLine: 6, MinLines: 2, LinesMatch: 60,
			Lines: text.LineRules{Min: 8, Cover: 84, Similar: 0.88},
		},
		CommonWindow: 20 * time.Second, CommonMin: 10, CommonMax: 400, Similar: 0.93, Entries: 2000,
	}
	if got := DefaultRules(); !reflect.DeepEqual(got, want) {
		t.Errorf("DefaultRules() = %+v, want %+v", got, want)
	}
}

// nth makes texts of ten characters or more, no two of them alike.
func nth(i int) messages.Text {
	return messages.Text(fmt.Sprintf("%[1]d 番 %[2]d 目の話 %[3]d", i, 7919*i, 104729*i))
}

// After 2001 texts heard the first is forgotten, after 2000 none; after 129 texts sent the
// first, after 128 none.
func TestBoundsOfTheMemory(t *testing.T) {
	for _, n := range []int{2000, 2001} {
		h := spawn(t, DefaultRules())
		for i := range n {
			h.Send(said(messages.Occurrence(i+1), nth(i), h.Now()))
		}
		h.Sent()
		again := said(messages.Occurrence(n+1), nth(0), h.Now())
		again.Fresh = false
		h.Send(again)
		if got, want := len(h.Sent()) == 1, n == 2001; got != want {
			t.Errorf("the first of %d texts passes again = %v, want %v", n, got, want)
		}
	}
	for _, n := range []int{128, 129} {
		h := spawn(t, rulesOf(seed))
		for i := range n {
			h.Send(told(nth(i), fmt.Sprint(i)))
		}
		h.Send(said(1, nth(0), h.Now()))
		if got, want := len(h.Sent()) == 1, n == 129; got != want {
			t.Errorf("the first of %d texts sent passes = %v, want %v", n, got, want)
		}
	}
}
