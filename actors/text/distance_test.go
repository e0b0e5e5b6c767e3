package text

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tableDistance is the textbook's table, the reference of EditDistance.
func tableDistance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		want       int
		difference float64
	}{
		{"", "", 0, 0},
		{"a", "", 1, 1},
		{"", "ab", 2, 1},
		{"abc", "abc", 0, 0},
		{"kitten", "sitting", 3, 3.0 / 7},
		{"はい", "いいえ", 2, 2.0 / 3},
		{"ab", "ba", 2, 1},
		{strings.Repeat("x", 400), strings.Repeat("y", 200), 400, 1},
	} {
		a, b := []rune(c.a), []rune(c.b)
		if got := EditDistance(a, b); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Difference(a, b); got != c.difference {
			t.Errorf("Difference(%q, %q) = %v, want %v", c.a, c.b, got, c.difference)
		}
	}
}

// PartDistance is the smallest distance to any piece.
func TestPartDistance(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 7, -1)
	rapid.Check(t, func(t *rapid.T) {
		part, whole := []rune(letters.Draw(t, "part")), []rune(letters.Draw(t, "whole"))
		want := len(part)
		for from := range whole {
			for to := from; to <= len(whole); to++ {
				want = min(want, tableDistance(part, whole[from:to]))
			}
		}
		if got := PartDistance(part, whole); got != want {
			t.Fatalf("PartDistance(%q, %q) = %d, want %d", string(part), string(whole), got, want)
		}
	})
}

// checkDistance compares with the table, whole and within small limits.
func checkDistance(t interface{ Fatalf(string, ...any) }, a, b []rune) {
	want := tableDistance(a, b)
	if got := EditDistance(a, b); got != want {
		t.Fatalf("EditDistance(%q, %q) = %d, want %d", string(a), string(b), got, want)
	}
	for limit := range maxEdits + 1 {
		if got, want := distance(a, b, limit), min(want, limit+1); got != want {
			t.Fatalf("distance(%q, %q, %d) = %d, want %d", string(a), string(b), limit, got, want)
		}
	}
}

func TestEditDistanceIsThatOfTheTable(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 14, -1)
	rapid.Check(t, func(t *rapid.T) {
		checkDistance(t, []rune(letters.Draw(t, "a")), []rune(letters.Draw(t, "b")))
	})
}

func FuzzEditDistance(f *testing.F) {
	f.Add("明日の会議は10時から", "明日の会議は11時からです")
	f.Add("abcabcabc", "bcabcabca")
	f.Add(strings.Repeat("ab", 40), strings.Repeat("ba", 75))
	f.Fuzz(func(t *testing.T, s, u string) {
		if a, b := []rune(s), []rune(u); max(len(a), len(b)) <= 300 {
			checkDistance(t, a, b)
		}
	})
}

func BenchmarkEditDistance(b *testing.B) {
	for _, n := range []int{10, 50, 250} {
		x, y := []rune(strings.Repeat("明日の会議10", n/8+1)[:n]), []rune(strings.Repeat("会議は明日10", n/8+1)[:n])
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				EditDistance(x, y)
			}
		})
	}
}
