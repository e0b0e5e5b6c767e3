package layout

import (
	"fmt"
	"strings"
)

// Validate returns an error wrapping [ErrLayout] that names the first field with an
// impossible value, and what is possible.
func (l Layout) Validate() error {
	if p := l.problem(); p != nil {
		return fmt.Errorf("%w: %s", ErrLayout, p)
	}
	return nil
}

// problem is a field with an impossible value.
type problem struct{ field, text string }

func (p *problem) String() string { return p.field + " " + p.text }

// problem returns the first problem in the order of the fields, nil if there is
// none. It is long because it is a table: one line for each field.
func (l Layout) problem() *problem {
	c := checker{}
	c.check(l.Name != "", "name", "must not be empty")
	c.check(l.Find == "" || l.Find == FindAuto, "find", "must be %s or empty, is %q", FindAuto, l.Find)
	for _, side := range []struct {
		field string
		inset int
	}{{"pane.left", l.Pane.Left}, {"pane.top", l.Pane.Top}, {"pane.right", l.Pane.Right},
		{"pane.bottom", l.Pane.Bottom}} {
		c.between(side.field, side.inset, 0, 10000)
	}
	when := l.Pane.When
	c.check(when == "" || when == PaneAlways || when == PaneAtEdge && l.Pane.Left >= 8, "pane.when",
		"must be %s, or %s with a left side of 8 or more, is %q", PaneAlways, PaneAtEdge, when)
	c.between("header.height", l.Header.Height, 0, 1000)
	c.between("lane.width", l.Strip.Width, 1, 100)
	c.between("lane.from_right", l.Strip.FromRight, l.Strip.Width/2+1, 1000)
	c.check(l.Strip.Ratio >= 0 && l.Strip.Ratio <= 0.5, "lane.ratio",
		"must lie in 0..0.5, or the lane is not at the right, is %v", l.Strip.Ratio)
	c.between("lane.agree", l.Strip.Agree, 1, l.Strip.Width)
	c.between("separator.min_rows", l.Separator.MinRows, 1, 1000)
	c.between("separator.rows_divisor", l.Separator.RowsDivisor, 1, 100000)
	c.ratio("separator.scan_to", l.Separator.ScanTo)
	c.ratio("separator.cut_from", l.Separator.CutFrom)
	c.check(l.OwnRows.Rule == RuleFullWidth || l.OwnRows.Rule == RuleStrip, "own_rows.rule",
		"must be %s or %s, is %q", RuleFullWidth, RuleStrip, l.OwnRows.Rule)
	c.between("own_rows.pixels", l.OwnRows.Pixels, 1, 10000)
	c.between("own_rows.expand", l.OwnRows.Expand, 0, 100)
	b := l.Bubble
	c.between("bubble.min_width", b.MinWidth, 1, 1000)
	c.between("bubble.min_height", b.MinHeight, 1, 1000)
	c.ratio("bubble.max_width", b.MaxWidth)
	c.ratio("bubble.min_fill", b.MinFill)
	c.between("bubble.avatars", b.Avatars, 0, 1000)
	c.between("bubble.left_within", b.LeftWithin, 1, 10000)
	c.between("bubble.right_within", b.RightWithin, 1, 10000)
	c.between("bubble.picture", b.Picture, 16, 10000)
	c.between("bubble.stamp", b.Timestamp, 0, 1000)
	c.between("sender.height", l.Sender.Height, 0, 200)
	c.between("sender.within", l.Sender.Within, 0, 1000)
	c.words("kinds.call.tokens", l.Kinds.Call.Tokens)
	c.between("kinds.call.indent", l.Kinds.Call.Indent, 0, 1000)
	c.words("kinds.file.suffixes", l.Kinds.File.Suffixes)
	c.words("kinds.file.beside", l.Kinds.File.Beside)
	c.between("kinds.file.indent", l.Kinds.File.Indent, 0, 1000)
	c.words("marks.dates", l.Marks.Dates)
	c.words("marks.unread", l.Marks.Unread)
	c.words("marks.unsent", l.Marks.Unsent)
	c.check(len(l.Themes) > 0, "themes", "must hold at least one theme")
	for i, t := range l.Themes {
		at := fmt.Sprintf("themes[%d].", i)
		c.check(t.Name != "", at+"name", "must not be empty")
		c.span(at+"brightness", t.Brightness.Min, t.Brightness.Max)
		c.between(at+"own.min", t.Own.Min, 0, 255)
		c.between(at+"own.over_red", t.Own.OverRed, 0, 254)
		c.between(at+"own.over_blue", t.Own.OverBlue, 0, 254)
		c.grey(at+"incoming", t.Incoming)
		c.grey(at+"separator", t.Separator)
		c.near(at+"own_colours", t.OwnColours)
		c.near(at+"incoming_colours", t.IncomingColours)
	}
	c.words("tokens", l.Tokens)
	c.words("names", l.Names)
	c.words("me", l.Me)
	for i, b := range l.Exclude {
		at := fmt.Sprintf("exclude[%d].", i)
		c.between(at+"x", b.X, -10000, 10000)
		c.between(at+"y", b.Y, -10000, 10000)
		c.between(at+"w", b.W, -10000, 10000)
		c.between(at+"h", b.H, -10000, 10000)
	}
	return c.found
}

// checker keeps the first problem.
type checker struct{ found *problem }

func (c *checker) check(ok bool, field, format string, args ...any) {
	if !ok && c.found == nil {
		c.found = &problem{field, fmt.Sprintf(format, args...)}
	}
}

func (c *checker) words(field string, list []string) {
	for i, w := range list {
		c.check(strings.TrimSpace(w) != "", fmt.Sprintf("%s[%d]", field, i), "must not be empty")
	}
}

func (c *checker) near(field string, list []Near) {
	for i, n := range list {
		at := fmt.Sprintf("%s[%d].", field, i)
		c.between(at+"r", n.R, 0, 255)
		c.between(at+"g", n.G, 0, 255)
		c.between(at+"b", n.B, 0, 255)
		c.between(at+"off", n.Off, 0, 128)
	}
}

func (c *checker) between(field string, v, lo, hi int) {
	c.check(lo <= v && v <= hi, field, "must lie in %d..%d, is %d", lo, hi, v)
}

func (c *checker) ratio(field string, v float64) {
	c.check(v >= 0 && v <= 1, field, "must lie in 0..1, is %v", v)
}

func (c *checker) span(field string, lo, hi int) {
	c.check(0 <= lo && lo <= hi && hi <= 255, field, "must have 0 <= min <= max <= 255, has %d and %d", lo, hi)
}

func (c *checker) grey(field string, g Grey) {
	c.span(field, g.Min, g.Max)
	c.between(field+".spread", g.Spread, 0, 255)
}
