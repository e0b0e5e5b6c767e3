package fusion

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCursorFollowsATranscript: a window slides over a transcript. While it shows
// a line of the cursor, exactly the newer lines are kept.
func TestCursorFollowsATranscript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		visible := rapid.IntRange(4, 12).Draw(t, "visible")
		var all []string
		say := func(n int) {
			for range n {
				// unlike each other, and short enough for plain equality
				all = append(all, fmt.Sprintf("no%d", len(all)))
			}
		}
		window := func() []string { return all[max(0, len(all)-visible):] }
		say(rapid.IntRange(1, 20).Draw(t, "first"))
		cursor := standard.CursorOf("c", window())
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			n := rapid.IntRange(0, visible-1).Draw(t, "new")
			say(n)
			lines := window()
			got := standard.Cut(cursor, "c", lines, endsOf(rapid.Bool().Draw(t, "seed")))
			if want := lines[len(lines)-n:]; got.Use != CursorFound || !slices.Equal(got.Kept, want) {
				t.Fatalf("Cut(%q after %q) = %q, use %d, want %q", lines, cursor.Lines, got.Kept, got.Use, want)
			}
			cursor = standard.CursorOf("c", lines)
		}
	})
}
