package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	for _, c := range []struct {
		module string
		ok     bool
		want   string
	}{
		{"v1.2.3", true, "v1.2.3"},
		{"v0.0.0-20261122103827-7ab48a61c2d3+dirty", true, "v0.0.0-20261122103827-7ab48a61c2d3+dirty"},
		{"(devel)", true, "devel"}, {"", true, "devel"}, {"", false, "devel"},
	} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: c.module}}, c.ok); got != c.want {
			t.Errorf("versionOf(%q, %v) = %q, want %q", c.module, c.ok, got, c.want)
		}
	}
}
