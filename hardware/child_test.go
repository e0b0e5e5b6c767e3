package hardware

import (
	"slices"
	"testing"
)

func TestChildEnv(t *testing.T) {
	all := []string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=s", "LC_ALL=C", "PATHS=s", "TESSDATA_PREFIX=/t",
		"DISPLAY=:0", "OMP_THREAD_LIMIT=2", "GOOGLE_API_KEY=s", "KEHAI_ENCRYPTION_KEY=s", "SSH_AUTH_SOCK=s",
		"XDG_RUNTIME_DIR=/run", "="}
	for _, tt := range []struct {
		besides [][]string
		want    []string
	}{
		{nil, []string{"PATH=/bin", "LC_ALL=C"}},
		{[][]string{ChildReading}, []string{"PATH=/bin", "LC_ALL=C", "TESSDATA_PREFIX=/t", "OMP_THREAD_LIMIT=2"}},
		{[][]string{ChildDesktop}, []string{"PATH=/bin", "LC_ALL=C", "DISPLAY=:0", "XDG_RUNTIME_DIR=/run"}},
		{[][]string{ChildReading, {"PATH", "OMP_*"}}, []string{"PATH=/bin", "LC_ALL=C", "TESSDATA_PREFIX=/t",
			"OMP_THREAD_LIMIT=2"}},
	} {
		if got := ChildEnv(all, tt.besides...); !slices.Equal(got, tt.want) {
			t.Errorf("ChildEnv(%v) = %q, want %q", tt.besides, got, tt.want)
		}
	}
	if got := ChildEnv(nil); got == nil {
		t.Error("ChildEnv(nil) = nil, which would be the whole environment")
	}
}
