//go:build browser

package web

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Opened, the details of a window show what became of its frame; they are gone
// with the picture.
func TestPipelineInABrowser(t *testing.T) {
	sc := newScene(t)
	b := startBrowser(t)
	record := map[string]any{
		"window": "line@mac-a", "at": "2026-11-20T17:12:00.000Z", "trace": "f1-7", "score": 72, "confidence": "medium",
		"signals": []events.Signalled{{Signal: "text_changed", Score: 62}, {Signal: "rows_same", Score: 10}},
		"cursor":  "2 lines were passed on before, 1 are left", "delta": []string{"<b>新しい</b>"},
		"drop_stage": "ingress",
		"burst": []map[string]any{{"delay_ms": 0, "characters": 7},
			{"delay_ms": 120, "characters": 0, "failed": true}},
		"verdicts": []map[string]any{
			{"at": "2026-11-20T17:12:00.100Z", "stage": "fusion", "outcome": "passed",
				"what": "the content has changed"},
			{"at": "2026-11-20T17:12:00.250Z", "stage": "ingress", "outcome": "dropped",
				"what": "echo: equal a text sent 3s before"},
		},
	}
	var gone atomic.Bool
	s := serve(t, &sc.host, func(s *Server) {
		s.opts.Pipeline = func(messages.WindowID) any {
			if gone.Load() {
				return nil
			}
			return record
		}
	})
	s.Listen(sc.hana.seen(t))
	p := b.open(s.URL(), look{w: 900, h: 1100, scale: 1})
	defer p.close()
	p.until(`document.querySelector(".screen img")`) // it moves what is below
	p.click(".pipeline summary")
	p.until(`document.querySelectorAll(".pipeline li").length === 2`)
	p.until(`document.querySelector(".pipeline img").naturalWidth > 0`)
	shown := strings.Join(strings.Fields(p.text(".pipeline")), " ")
	for _, want := range []string{
		"score 72, medium", "signals text changed 62 + rows same 10",
		"cursor 2 lines were passed on before, 1 are left", "new <b>新しい</b>",
		"0 ms: 7 characters 120 ms: not read", "stopped at ingress",
		".250 ingress dropped echo: equal a text sent 3s before",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the details show %q, want %q in them", shown, want)
		}
	}
	eval[int](p, `document.querySelector(".pipeline").scrollIntoView(), 1`)
	p.shoot("pipeline")

	gone.Store(true)
	s.Listen(hiddenFrame("line@mac-a"))
	p.until(`!document.querySelector(".screen img") && document.querySelectorAll(".pipeline li").length === 0`)
	if shown := p.text(".window"); strings.Contains(shown, "新しい") || strings.Contains(shown, "佐藤") {
		t.Errorf("a hidden window shows %q", shown)
	}
	b.wantNoComplaints()
}
