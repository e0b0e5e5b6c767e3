package text

import (
	"slices"
	"strings"
	"testing"
)

func TestOpenings(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil}, {" \n", nil}, {"Hana", []string{"Hana"}}, {" 一郎\n12:03 ", []string{"一郎", "一郎\n12:03"}},
		{"Ana Lee, hi", []string{"Ana", "Ana Lee", "Ana Lee, hi"}}, {"Ana - Chat", []string{"Ana", "Ana - Chat"}},
	} {
		if got := Openings(c.text); !slices.Equal(got, c.want) {
			t.Errorf("Openings(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	if got := len(Openings(strings.Repeat("a ", 100_000))); got != openingsMost {
		t.Errorf("Openings(a long text) = %d of them, want %d", got, openingsMost)
	}
}
