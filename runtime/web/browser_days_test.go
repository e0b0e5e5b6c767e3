//go:build browser

package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A day is what the clock on the wall says, wherever and however it changes.
func TestDaysInABrowser(t *testing.T) {
	s := serve(t, &host{})
	b := startBrowser(t)
	for _, tt := range []struct {
		zone, noon string // UTC
		back       int
		want       string // hours, then each piece on the wall, then the hours that come twice
	}{
		{"Asia/Tokyo", "2026-03-29T12:00:00Z", 0, "24h 0-24"},
		{"Europe/Berlin", "2026-03-29T12:00:00Z", 0, "23h 0-2 3-24"},
		{"Europe/Berlin", "2026-03-30T12:00:00Z", 1, "23h 0-2 3-24"},
		{"Europe/Berlin", "2026-10-25T12:00:00Z", 0, "25h 0-3 2-24 twice 2-3"},
		{"Australia/Lord_Howe", "2026-04-05T02:00:00Z", 0, "24.5h 0-2 1.5-24 twice 1.5-2"},
		{"America/Santiago", "2026-04-04T16:00:00Z", 0, "25h 0-24 23-24 twice 23-24"}, // at midnight
		{"America/Santiago", "2026-09-06T16:00:00Z", 0, "23h 1-24"},                   // there is no midnight
		{"America/New_York", "2026-01-01T03:00:00Z", 7, "24h 0-24"},
	} {
		p := b.open(s.URL(), look{w: 800, h: 600, zone: tt.zone})
		got := eval[string](p, fmt.Sprintf(`(() => {
			const d = dayOf(Date.parse(%q), %d), h = (ms) => ms / HOUR;
			return [h(d.to - d.from) + "h", ...d.pieces.map((p) => h(p.wall) + "-" + h(p.wall + p.to - p.from)),
				...(d.twice ? ["twice", h(d.twice.from) + "-" + h(d.twice.to)] : [])].join(" ");
		})()`, tt.noon, tt.back))
		p.close()
		if got != tt.want {
			t.Errorf("%d days before %s in %s: %s, want %s", tt.back, tt.noon, tt.zone, got, tt.want)
		}
	}
	b.wantNoComplaints()
}

// A page that is open over midnight begins a new row.
func TestMidnightInABrowser(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 50, 0, 0, time.UTC)
	h := &host{}
	h.attend(now, week(aMoment))
	b := startBrowser(t)
	p := b.open(serve(t, h).URL(), look{w: 1280, h: 900})
	first := func() string { return p.text(".day.today + .day .label") }
	if got := first(); got != "19 Thu" {
		t.Errorf("the second row is %s, want 19 Thu", got)
	}
	almost := now.Add(10*time.Minute - time.Second).UnixMilli()
	eval[bool](p, fmt.Sprintf(`desk.skew = %d - Date.now(), true`, almost))
	p.until(`document.querySelector(".day.today + .day .label").textContent === "20 Fri"`)
	if got := p.text("#now-for"); !strings.HasPrefix(got, "since 2026-11-20 16:06") {
		t.Errorf("the state holds %q, want it since the day before", got)
	}
	p.unfold()
	p.until(`/^\d+ s/.test(document.querySelector("#day-table td").textContent)`)
	p.wantText("#day-table tr:nth-child(2) td", "12 h 32 min")
	b.wantNoComplaints()
}
