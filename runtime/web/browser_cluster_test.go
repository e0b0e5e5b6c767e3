//go:build browser

package web

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/control"
)

// The machines of a cluster stand on the page, follow what becomes of them, and say in words what the
// picture shows. Who is alone sees nothing of it.
func TestClusterInABrowser(t *testing.T) {
	sc := newScene(t)
	before := time.Now().Add(-3 * time.Minute)
	c := control.Cluster{Cluster: "c-test", Node: "mac-a", Running: true, Leader: "mac-b", Ready: true,
		Members: []control.ClusterMember{
			{Node: "box", Role: "witness", Up: true, Contact: &control.Stamp{Time: time.Now()}},
			{Node: "mac-a", Role: "voter", Up: true, Owns: 12},
			{Node: "mac-b", Role: "voter", Up: true, Owns: 31, Contact: &control.Stamp{Time: time.Now()}},
			{Node: "mac-c", Role: "follower", Up: true, Owns: 4, Lag: 1288, Contact: &control.Stamp{Time: time.Now()}},
			{Node: "mac-d", Role: "follower", Contact: &control.Stamp{Time: before}},
		}}
	s := serve(t, &sc.host)
	share := func(c *control.Cluster) { sc.set(func(h *host) { h.status.Cluster = c }) }
	b := startBrowser(t)
	for _, l := range []look{{w: 1200, h: 900}, {w: 390, h: 900, dark: true}} {
		share(nil)
		p := b.open(s.URL(), l)
		p.until(`document.querySelector("#health").textContent && document.querySelector("#cluster").hidden`)
		share(&c)
		p.until(`document.querySelectorAll("#cluster .machine").length === 5 &&
			document.querySelector("#cluster [data-key=mac-b]").closest("svg")`)
		p.until(`document.querySelector(".machine.leads .count").textContent === "31"`)
		p.until(`/1,288 behind/.test(document.querySelector(".machine[data-key=mac-c]").textContent)`)
		p.until(`/away, 3 min ago/.test(document.querySelector(".machine.away").textContent) &&
			document.querySelectorAll("#cluster .wire").length === 4`)
		p.wantNoBarriers("the cluster")
		p.shoot(fmt.Sprint("cluster", l.w))
		cut := c
		cut.Leader, cut.Ready = "", false
		share(&cut)
		p.until(`/no majority/.test(document.querySelector("#cluster-said").textContent) &&
			document.querySelectorAll("#cluster .wire").length === 0`)
		p.shoot(fmt.Sprint("cluster-cut", l.w))
	}
	b.wantNoComplaints()
}
