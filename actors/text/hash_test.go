package text

import "testing"

func TestHash(t *testing.T) {
	key := []byte("key")
	a := Hash(key, "はな")
	if len(a) != 16 || a != Hash(key, "はな") {
		t.Errorf("Hash(key, はな) = %q, want the same 16 digits each time", a)
	}
	if b := Hash([]byte("other"), "はな"); a == b || a == Hash(key, "はなこ") {
		t.Errorf("Hash = %q, %q: want another for another key and text", a, b)
	}
	if got := Hash(nil, "はな"); got != "" {
		t.Errorf("Hash without a key = %q, want none", got)
	}
}
