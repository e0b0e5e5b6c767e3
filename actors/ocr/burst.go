package ocr

import (
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Rule says how the frames of a burst decide a bubble's text.
type Rule int

// Rules of a burst.
const (
	Majority Rule = iota // the commonest reading, else the one most similar to the others, then the longest
	Longest              // the longest reading, as in profile seed
)

// Consensus returns the bubbles of the first frame with the text that all frames
// decide. A bubble is the same in another frame if its pixels are. Otherwise it is
// the one of the same side and size that stands within the bubble's own height. A
// frame that read nothing in a bubble has no vote.
func Consensus(frames [][]messages.Bubble, rule Rule) []messages.Bubble {
	if len(frames) == 0 {
		return nil
	}
	out := make([]messages.Bubble, len(frames[0]))
	for i, b := range frames[0] {
		votes := []messages.Bubble{b}
		for _, frame := range frames[1:] {
			if o, ok := same(b, frame); ok {
				votes = append(votes, o)
			}
		}
		var texts []string
		var voters []messages.Bubble
		for _, v := range votes {
			if v.Text != "" {
				texts, voters = append(texts, string(v.Text)), append(voters, v)
			}
		}
		if n := choose(texts, rule); n >= 0 && voters[n].Text != b.Text {
			v := voters[n]
			b.Text, b.Kind, b.Low, b.Foreign = v.Text, v.Kind, v.Low, v.Foreign
			b.Lines = moved(v.Lines, b.Box.X-v.Box.X, b.Box.Y-v.Box.Y)
		}
		out[i] = b
	}
	return out
}

// same finds a bubble in another frame.
func same(b messages.Bubble, frame []messages.Bubble) (found messages.Bubble, ok bool) {
	best := b.Box.H
	for _, o := range frame {
		if o.Key == b.Key && o.Side == b.Side {
			return o, true
		}
		similar := o.Side == b.Side && similarSize(o.Box.W, b.Box.W) && similarSize(o.Box.H, b.Box.H)
		if d := max(o.Box.Y-b.Box.Y, b.Box.Y-o.Box.Y); similar && d < best {
			best, found, ok = d, o, true
		}
	}
	return found, ok
}

func similarSize(a, b int) bool { return -4 <= a-b && a-b <= 4 }

// choose returns the index of the best reading, -1 if there is none.
func choose(texts []string, rule Rule) int {
	best, bestScore := -1, 0.0
	for i, t := range texts {
		score := 0.0 // the sum of the similarities to the others
		if rule == Majority {
			equal := 0
			for j, o := range texts {
				switch {
				case i == j:
				case o == t:
					equal++
					score++
				default:
					score += similarity(t, o)
				}
			}
			if 2*(equal+1) > len(texts) && len(texts) > 1 {
				return i
			}
		}
		longer := best >= 0 && utf8.RuneCountInString(t) > utf8.RuneCountInString(texts[best])
		if best < 0 || score > bestScore+1e-9 || score > bestScore-1e-9 && longer {
			best, bestScore = i, score
		}
	}
	return best
}

// characters counts the characters read in bubbles.
func characters(bubbles []messages.Bubble) int {
	n := 0
	for _, b := range bubbles {
		n += utf8.RuneCountInString(string(b.Text))
	}
	return n
}

// similarity is 1 for equal texts and 0 for texts with nothing in common: the share of
// characters that need no edit (Levenshtein). Long texts are compared by their trigrams.
func similarity(a, b string) float64 {
	r, q := []rune(a), []rune(b)
	if max(len(r), len(q)) > 300 {
		return text.Similarity(a, b)
	}
	return 1 - text.Difference(r, q)
}
