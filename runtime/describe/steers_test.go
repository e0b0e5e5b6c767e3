package describe

import "testing"

// The bidirectional marks are all of the kind that is replaced.
func TestSteers(t *testing.T) {
	const marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e" +
		"\u2066\u2067\u2068\u2069\u2028\u2029\u0085\u009b\u200b\u200d\u2060\u3164\ufeff\U000e0041\n\t\x1b"
	for _, r := range marks {
		if !Steers(r) {
			t.Errorf("Steers(%U) = false, want true", r)
		}
	}
	for _, r := range "aあ漢ｶ é\ufe0f👍🏽…—「」" {
		if Steers(r) {
			t.Errorf("Steers(%U) = true, want false", r)
		}
	}
}
