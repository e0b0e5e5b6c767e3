package seat

import (
	"net/netip"
	"strings"
	"testing"
)

func TestListenAt(t *testing.T) {
	home := []network{{"lo0", netip.MustParseAddr("127.0.0.1")}, {"en0", netip.MustParseAddr("fe80::1")},
		{"en0", netip.MustParseAddr("2001:db8::7")}, {"en0", netip.MustParseAddr("192.168.1.7")},
		{"utun3", netip.MustParseAddr("100.64.0.9")}}
	alone := home[:1]
	for _, c := range []struct {
		want, last string
		at         []network
		is, err    string
	}{
		{"", "", home, "192.168.1.7:7412", ""},
		{"", "192.168.1.7:9000", home, "192.168.1.7:9000", ""},
		{"", "10.0.0.3:9000", home, "192.168.1.7:9000", ""}, // another network
		{"", "127.0.0.1:9000", alone, "127.0.0.1:9000", ""},
		{"", "", alone, "", "connect it to a network"},
		{"en0:8000", "", home, "192.168.1.7:8000", ""},
		{"utun3:", "10.0.0.3:9000", home, "100.64.0.9:9000", ""},
		{":8000", "", home, "192.168.1.7:8000", ""},
		{"0.0.0.0:8000", "", home, "", "no interface 0.0.0.0"},
		{"[2001:db8::7]:8000", "", home, "[2001:db8::7]:8000", ""},
		{"en9:8000", "", home, "", "no interface en9"},
		{"en0:0", "", home, "", "port from 1"},
		{"en0", "", home, "", "want HOST:PORT"},
	} {
		got, err := listenAt(c.want, c.last, func() ([]network, error) { return c.at, nil })
		if got != c.is || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("listenAt(%q, %q) = %q, %v, want %q %s", c.want, c.last, got, err, c.is, c.err)
		}
	}
}
