//go:build browser

package web

import (
	"fmt"
	"testing"
)

// TestMemoryInABrowser: search as one types, a message with what stands around it, and what
// a reply rested on, which may have nothing to do with it.
func TestMemoryInABrowser(t *testing.T) {
	m := &mindful{Talker: newTalker()}
	s, _ := serveTalk(t, m, "")
	b := startBrowser(t)
	for _, l := range []look{{w: 1280, h: 900}, {w: 390, h: 844, dark: true}} {
		p := b.page(s, "/memory", l)
		p.until(`typeof search === "function" && el("words")`)
		types := func(text string) {
			eval[bool](p, fmt.Sprintf(`(el("words").value = %q, el("words").dispatchEvent(new Event("input")))`, text))
		}
		types("どこ <b>")
		p.until(`document.querySelectorAll("[data-hit]").length === 1`)
		p.wantText("[data-hit] p", "どこ <b>の返事")
		p.click("[data-hit] button")
		p.until(`document.querySelector("[data-event=m1]")`)
		p.wantText("[data-event] p", "京都")
		p.wantNoBarriers("the page of the memory")
		p.shoot("memory")
		types("c-1/run.1")
		p.until(`document.querySelectorAll("[data-hit] button").length === 2`)
		p.click("[data-hit] button:last-child")
		p.until(`document.querySelector("[data-hit] button:last-child").disabled`)
		types("c-1/run.7")
		p.until(`document.querySelector("#banner .bad")`)
		p.close()
	}
	if fmt.Sprint(m.apart) != "[c-1/run.1 false c-1/run.1 false]" {
		t.Errorf("kept apart: %q", m.apart)
	}
}
