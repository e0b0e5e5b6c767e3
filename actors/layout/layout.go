package layout

import (
	_ "embed"
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// ErrLayout marks a layout that cannot be used; the text names the field.
var ErrLayout = errors.New("layout: bad window layout")

// Layout is one kind of chat window. Lengths are logical pixels unless they
// say otherwise. It is not changed after Parse and safe for concurrent use.
type Layout struct {
	Name      string    `yaml:"name"`
	Find      string    `yaml:"find,omitempty"`
	Pane      Pane      `yaml:"pane"`
	Header    Header    `yaml:"header"`
	Strip     Strip     `yaml:"lane"`
	Separator Separator `yaml:"separator"`
	OwnRows   OwnRows   `yaml:"own_rows"`
	Bubble    Bubble    `yaml:"bubble"`
	Sender    Sender    `yaml:"sender"`
	Kinds     Kinds     `yaml:"kinds"`
	Marks     Marks     `yaml:"marks"`
	Themes    []Theme   `yaml:"themes"`
	Tokens    []string  `yaml:"tokens"`
	Names     []string  `yaml:"names"`
	Me        []string  `yaml:"me,omitempty"`
	Exclude   []Box     `yaml:"exclude"`
}

// FindAuto is the value of [Layout].Find with which messages are found without the
// places and the colours of a layout. Empty means by these.
const FindAuto = "auto"

// Pane is the part of the window that holds one conversation, after these logical
// pixels are cut off each side. Everything else in a layout counts inside it. The
// zero value is the whole window.
//
// With When set to [PaneAtEdge] the pane is cut only if the picture shows a
// straight edge along Left. Otherwise the whole window is the pane.
type Pane struct {
	Left   int    `yaml:"left"`
	Top    int    `yaml:"top"`
	Right  int    `yaml:"right"`
	Bottom int    `yaml:"bottom"`
	When   string `yaml:"when,omitempty"`
}

// Values of [Pane].When.
const (
	PaneAlways = "always" // as the empty string
	PaneAtEdge = "edge"
)

// Header is the band above the messages. Title is where it shows the conversation's name.
type Header struct {
	Height int `yaml:"height"`
	Title  Box `yaml:"title"`
}

// Strip is the vertical sampling strip whose colour shows own rows.
type Strip struct {
	Width     int     `yaml:"width"`
	FromRight int     `yaml:"from_right"`
	Ratio     float64 `yaml:"ratio"`
	Agree     int     `yaml:"agree"`
}

// Columns returns the strip's columns in a frame that is width pixels wide.
func (l Strip) Columns(width int, scale float64) (from, to int) {
	centre := max(Pixels(l.FromRight, scale), int(l.Ratio*float64(width)))
	w := max(Pixels(l.Width, scale), 1)
	from = max(width-centre-w/2, 0)
	return from, min(from+w, width)
}

// Separator finds where the messages end and the input begins.
type Separator struct {
	MinRows     int     `yaml:"min_rows"`
	RowsDivisor int     `yaml:"rows_divisor"`
	ScanTo      float64 `yaml:"scan_to"`
	CutFrom     float64 `yaml:"cut_from"`
}

// Rules of [OwnRows].
const (
	RuleFullWidth = "full_width" // a row with Pixels own pixels anywhere is own
	RuleStrip     = "lane"       // a row whose strip is own is own, and Expand rows around it
)

// OwnRows says which rows of a frame count as own ones.
type OwnRows struct {
	Rule   string `yaml:"rule"`
	Pixels int    `yaml:"pixels"`
	Expand int    `yaml:"expand"`
}

// Bubble says which shapes are bubbles. MaxWidth and MinFill are ratios.
type Bubble struct {
	MinWidth      int     `yaml:"min_width"`
	MinHeight     int     `yaml:"min_height"`
	MaxWidth      float64 `yaml:"max_width"`
	MinFill       float64 `yaml:"min_fill"`
	Avatars       int     `yaml:"avatars"`
	LeftWithin    int     `yaml:"left_within"`
	RightWithin   int     `yaml:"right_within"`
	Picture       int     `yaml:"picture"`
	Timestamp     int     `yaml:"stamp"`
	ReadTimestamp bool    `yaml:"read_stamp"`
}

// Sender says where a group conversation shows the sender's name: in a strip of
// Height above an incoming bubble, beginning at most Within from the bubble's left
// edge. A Height of 0 means that no name is shown.
type Sender struct {
	Height int `yaml:"height"`
	Within int `yaml:"within"`
}

// Kinds recognises calls and files by the words in their bubbles.
type Kinds struct {
	Call Call `yaml:"call"`
	File File `yaml:"file"`
}

// Call is a bubble whose lines are all Tokens or durations, at least one of them a
// token. Its text begins at least Indent from its left edge, to the right of an
// icon. Without tokens no bubble is a call.
type Call struct {
	Tokens []string `yaml:"tokens"`
	Indent int      `yaml:"indent"`
}

// File is a bubble with a line that ends in one of Suffixes and another line that
// contains one of Beside, such as a unit of size. Its text begins at least Indent
// from its left edge.
type File struct {
	Suffixes []string `yaml:"suffixes"`
	Beside   []string `yaml:"beside"`
	Indent   int      `yaml:"indent"`
}

// Theme is one set of colours. Brightness is the range of the background's luma.
type Theme struct {
	Name       string `yaml:"name"`
	Brightness Range  `yaml:"brightness"`
	Own        Green  `yaml:"own"`
	Incoming   Grey   `yaml:"incoming"`
	Separator  Grey   `yaml:"separator"`

	// Colours of bubbles that the rules above do not cover.
	OwnColours      []Near `yaml:"own_colours,omitempty"`
	IncomingColours []Near `yaml:"incoming_colours,omitempty"`
}

// IsOwn reports whether a colour is the fill of an own bubble.
func (t *Theme) IsOwn(r, g, b uint8) bool {
	return t.Own.Has(r, g, b) || len(t.OwnColours) > 0 && isNear(t.OwnColours, r, g, b)
}

// IsIncoming reports whether a colour is the fill of an incoming bubble.
func (t *Theme) IsIncoming(r, g, b uint8) bool {
	return t.Incoming.Has(r, g, b) || len(t.IncomingColours) > 0 && isNear(t.IncomingColours, r, g, b)
}

//go:embed line.yaml
var lineYAML []byte

//go:embed generic.yaml
var genericYAML []byte

// BuiltIn lists the names that [ByName] knows.
func BuiltIn() []string { return []string{"auto", "generic", "line"} }

// ByName returns a built-in layout; false if there is none of that name.
func ByName(name string) (Layout, bool) {
	switch name {
	case "line":
		return Line(), true
	case "auto":
		return auto(), true
	case "generic":
		return builtIn("generic.yaml", genericYAML), true
	}
	return Layout{}, false
}

// Line returns the built-in layout of LINE for desktop.
func Line() Layout { return builtIn("line.yaml", lineYAML) }

// auto has the words and sizes of generic, but not its places and colours: these are
// found. Colours in lists are taken for what they say.
func auto() Layout {
	l := builtIn("generic.yaml", genericYAML)
	l.Name, l.Find, l.Exclude = "auto", FindAuto, []Box{}
	l.Me = []string{"Me", "You", "自分", "あなた"}
	l.Themes = []Theme{{Name: "any", Brightness: Range{0, 255}, Own: Green{Min: 255}, Separator: Grey{Max: 255}}}
	return l
}

func builtIn(name string, data []byte) Layout {
	l, err := Parse(name, data)
	if err != nil {
		panic(err) // embedded at build time, so a bug
	}
	return l
}

// ThemeFor returns the theme for a background of this luma (0 to 255), or the last theme
// if no range holds it.
func (l Layout) ThemeFor(luma int) Theme {
	for _, t := range l.Themes {
		if t.Brightness.Has(luma) {
			return t
		}
	}
	return l.Themes[len(l.Themes)-1]
}

// IsToken reports whether a line is the application's own word, alone or followed by a
// number. Inside a bubble such a word is still content, so ask only about lines outside
// bubbles or without a known place.
func (l Layout) IsToken(line string) bool {
	line = strings.TrimRight(text.Compact(line), "0123456789")
	return line != "" && slices.ContainsFunc(l.Tokens, func(token string) bool { return text.Compact(token) == line })
}

// Excluded returns the rectangles that a frame's hash ignores.
func (l Layout) Excluded(size image.Point, scale float64) []image.Rectangle {
	out := make([]image.Rectangle, 0, len(l.Exclude))
	for _, b := range l.Exclude {
		if r := b.In(size, scale); !r.Empty() {
			out = append(out, r)
		}
	}
	return out
}
