package llm

import (
	"errors"
	"net/http"
	"testing"
)

// The built-in transport of tier local dials nothing but this machine, whatever a name
// is resolved to, and asks no proxy.
func TestLocalStaysOnThisMachine(t *testing.T) {
	tr := httpTransport(TierLocal)
	for _, address := range []string{"192.0.2.1:80", "[2001:db8::1]:80"} {
		conn, err := tr.DialContext(t.Context(), "tcp", address)
		if !errors.Is(err, errNotLocal) {
			t.Errorf("dial %s = %v, want it refused", address, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	if tr.Proxy != nil {
		t.Error("tier local asks a proxy")
	}
	s := DefaultSettings()
	s.Tier, s.Model = TierLocal, "m"
	w, err := New(Options{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := http.NewRequest(http.MethodPost, "http://192.0.2.1/api/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.transport.client().Do(elsewhere); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a request to another server = %v, want it stopped", err)
	}
}
