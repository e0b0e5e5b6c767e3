package text

// Limits of [Shown].
const (
	shownDiffers = 0.3 // share of the characters that a reader may have got wrong
	shownLeast   = 4   // characters below which it may have got none wrong
	shownPart    = 40  // characters of a part that stands for the whole
)

// Shown reports whether what was read may well be a text that was sent. It is for
// where other evidence says that the reading is of our own side and new: it forgives
// more than [OCREqual], to which other people's texts are held. A bubble higher
// than its window shows the end of the text, which is enough from 40 characters on.
func Shown(read, sent string) bool {
	if OCREqual(read, sent) {
		return true
	}
	a, b := []rune(Compact(read)), []rune(Compact(sent))
	if min(len(a), len(b)) < shownLeast {
		return false
	}
	if len(a) >= shownPart && len(a) < len(b) && Difference(a, b[len(b)-len(a):]) <= shownDiffers {
		return true
	}
	return Difference(a, b) <= shownDiffers
}
