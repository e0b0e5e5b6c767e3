package replay

import (
	"slices"
	"strings"
	"testing"
)

// TestDifferencesAreFew: what comes in between, or twice, is a difference of its own, and not all that
// follows it.
func TestDifferencesAreFew(t *testing.T) {
	line := func(actor, what string) string {
		return `{"actor":"` + actor + `","conversation":"1","what":"` + what + "\"}\n"
	}
	var then, now strings.Builder
	for _, what := range []string{"a", "b", "c", "c", "d", "e"} {
		then.WriteString(line("fusion", what))
	}
	for _, what := range []string{"x", "a", "b", "c", "d", "d", "e"} {
		now.WriteString(line("fusion", what))
	}
	then.WriteString(line("burst", "quiet"))
	now.WriteString(line("dedup", "new"))
	got := Differences([]byte(then.String()), []byte(now.String()))
	want := []string{
		"+ " + line("fusion", "x"), "- " + line("fusion", "c"), "+ " + line("fusion", "d"),
		"- " + line("burst", "quiet"), "+ " + line("dedup", "new"),
	}
	for i := range want {
		want[i] = strings.TrimSuffix(want[i], "\n")
	}
	if !slices.Equal(got, want) {
		t.Errorf("Differences() =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if same := Differences([]byte(then.String()), []byte(then.String())); len(same) > 0 {
		t.Errorf("Differences(equal logs) = %q, want none", same)
	}
}
