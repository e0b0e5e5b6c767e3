package text

// Limits of [Shown].
const (
	shownDiffers = 0.3 // share of the characters that a reader may have got wrong
	shownLeast   = 4   // characters below which it may have got none wrong
	shownPart    = 40  // characters of a part that are enough for the whole
)

// Shown reports whether what was read may be a text that was sent. Use it where other
// evidence says that the reading is new and from our own side: it forgives more than
// [OCREqual], which is for other people's texts. A bubble taller than its window shows
// only the end of the text; 40 characters of it are enough.
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
