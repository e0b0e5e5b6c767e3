package outbound

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// View is what sending needs to know of a window.
type View struct {
	Here    bool // the reply's conversation, beyond doubt
	MovedOn bool // the same, but it continued out of view
	Field   Field
}

// Field says what stands in the input field.
type Field string

// Contents of a field.
const (
	FieldMissing Field = "missing" // no field was found
	FieldEmpty   Field = "empty"
	FieldOurs    Field = "ours"  // the text of the reply, and nothing else
	FieldPart    Field = "part"  // a beginning of it
	FieldOther   Field = "other" // something else, or more than it
)

// Mark identifies a bubble of the transcript.
type Mark struct {
	Side messages.Side     `json:"side"`
	Key  messages.PixelKey `json:"key"`
	Text messages.Text     `json:"text,omitempty"`
}

// maxTail is how many bubbles tell where the transcript ended.
const maxTail = 12

// marksOf marks the bubbles of a reading.
func marksOf(read messages.FrameRead) (list []Mark) {
	for _, b := range read.Bubbles {
		list = append(list, Mark{Side: b.Side, Key: b.Key, Text: b.Text})
	}
	return list
}

// tailOf returns the last maxTail marks in view.
func tailOf(view []Mark) []Mark { return slices.Clone(view[max(0, len(view)-maxTail):]) }

func (m Mark) is(o Mark) bool {
	if m.Key == o.Key && m.Key != 0 {
		return true
	}
	return m.Side == o.Side && m.Text != "" && text.OCREqual(string(m.Text), string(o.Text))
}

// after returns the marks of a tail that came after an older one: those below the best
// match for the older tail's end. If several match equally well, the highest wins, so
// that more counts as new. Without a match everything is new, and found is false.
func after(before, now []Mark) (news []Mark, found bool) {
	best, at := 0, 0
	for end := 1; end <= len(now); end++ {
		n := 0
		for n < end && n < len(before) && before[len(before)-1-n].is(now[end-1-n]) {
			n++
		}
		if n > best {
			best, at = n, end
		}
	}
	return now[at:], best > 0 || len(before) == 0
}

// appeared reports whether a bubble of our own side that may show the reply has come
// since the first attempt began. If in doubt it says yes, and the reply is not typed
// again.
func appeared(s Reply, tail []Mark) bool {
	if !s.Read {
		return false
	}
	news, _ := after(s.Before, tail)
	for _, m := range news {
		if m.shows(s) {
			return true
		}
	}
	return false
}

// shows reports whether a bubble of our own side may show a reply.
func (m Mark) shows(s Reply) bool {
	return m.Side != messages.SideIncoming && text.Shown(string(m.Text), string(s.Text))
}

// follows reports whether a transcript continues from where it ended when the text was
// typed, so that everything since is in view. That is not so in a window that is scrolled
// back.
func follows(s Reply, tail []Mark) bool {
	_, found := after(s.Before, tail)
	return found || !s.Read
}

// placeholders are the hints that applications show in an empty field.
var placeholders = []string{"message", "メッセージを入力", "メッセージ", "enter a message", "enter message",
	"type a message", "write a message", "send a message", "aa", "reply", "メッセージを送信", "返信"}

// Limits of reading the field.
const (
	fieldDiffers = 0.25 // share of the characters that a reader may have got wrong
	fieldLeast   = 6    // trailing characters that are enough to recognise a longer text
)

// readField returns what a field contains, given the text that belongs there and whether
// it may have been typed already. A placeholder counts as empty if there are only icons
// below it; as one line among others it is part of a text.
func readField(read messages.FrameRead, want string, typed bool) Field {
	if read.Input.W <= 0 || read.Input.H <= 0 {
		return FieldMissing
	}
	var lines []fieldLine
	for _, l := range read.Field {
		if line := text.Compact(string(l.Text)); line != "" {
			lines = append(lines, fieldLine{line, isIcons(string(l.Text))})
		}
	}
	compact := text.Compact(want)
	if isBlank(lines) && !(typed && near([]rune(joined(lines)), []rune(compact))) {
		return FieldEmpty
	}
	var ends []string
	if typed {
		ends = endsOf(want)
	}
	return holds(lines, compact, ends, typed)
}

// endsOf returns every proper tail of a text's lines: what a field of a few lines may
// show of it.
func endsOf(want string) (ends []string) {
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := 1; i < len(lines); i++ {
		if end := text.Compact(strings.Join(lines[i:], "\n")); end != "" {
			ends = append(ends, end)
		}
	}
	return ends
}

// fieldLine is a line of a field, without white space and signs.
type fieldLine struct {
	text  string
	icons bool // it may be a row of icons
}

func isBlank(lines []fieldLine) bool {
	if !slices.ContainsFunc(lines, func(l fieldLine) bool { return hasWords(l.text) && !isPlaceholder(l.text) }) {
		return true
	}
	return isPlaceholder(lines[0].text) && !slices.ContainsFunc(lines[1:], func(l fieldLine) bool { return !l.icons })
}

func joined(lines []fieldLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

func isPlaceholder(line string) bool {
	for _, p := range placeholders {
		p = text.Compact(p)
		if p == line || len([]rune(p)) > 3 && text.OCREqual(p, line) {
			return true
		}
	}
	return false
}

// holds compares the lines of a field, some of which have words, with a text. A field
// shows only the end of a long text, or one of ends. Anything beside the text must be
// icons: a line with words is somebody else's. Icons may be read as letters; this is
// allowed for only if the text was typed into an empty field.
func holds(lines []fieldLine, want string, ends []string, typed bool) Field {
	ours := func(read string) bool {
		return isText(read, want) ||
			slices.ContainsFunc(ends, func(end string) bool { return near([]rune(read), []rune(end)) })
	}
	foreign := func(l fieldLine) bool { return hasWords(l.text) && !(typed && l.icons) }
	for from := range lines {
		for to := len(lines); to > from; to-- {
			beside := slices.Concat(lines[:from], lines[to:])
			if !slices.ContainsFunc(beside, foreign) && ours(joined(lines[from:to])) {
				return FieldOurs
			}
		}
	}
	if isBeginning(joined(lines), want) {
		return FieldPart
	}
	return FieldOther
}

func isText(read, want string) bool {
	a, b := []rune(read), []rune(want)
	if near(a, b) {
		return true
	}
	return len(a) >= fieldLeast && len(a) < len(b) && near(a, b[len(b)-len(a):])
}

func isBeginning(read, want string) bool {
	a, b := []rune(read), []rune(want)
	return len(a) > 0 && len(a) < len(b) && near(a, b[:len(a)])
}

// near forgives misread characters but hardly any extra or missing ones: those would be
// somebody else's.
func near(a, b []rune) bool {
	if string(a) == string(b) {
		return true
	}
	more := len(a) - len(b)
	if min(len(a), len(b)) < 3 || max(more, -more) > 1+len(b)/20 {
		return false
	}
	return text.OCREqual(string(a), string(b)) || text.Difference(a, b) <= fieldDiffers
}

// isIcons reports whether a line may be a row of icons: few signs, at most half of them
// letters or digits.
func isIcons(line string) bool {
	signs, letters := 0, 0
	for _, r := range strings.Join(strings.Fields(line), "") {
		if signs++; unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters == 0 || signs <= maxIcons && 2*letters <= signs
}

// maxIcons is the most signs that a row of icons is read as.
const maxIcons = 10

// hasWords reports whether a line is more than a misread icon or caret.
func hasWords(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
