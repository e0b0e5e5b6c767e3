package layout

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// sections are the comments of a written layout. The package comment has more.
var sections = yaml.CommentMap{
	"$.find": head(" auto: pane, header, input, bubbles and sides are found, not by what is below"),
	"$.pane": head(" taken off at each side where the window shows more than one chat, such as a list of chats;",
		" everything below counts inside; when: edge cuts only where a straight edge stands at the left"),
	"$.header":    head(" the band above the messages, and the box in it that holds the conversation's name"),
	"$.lane":      head(" a strip near the right edge in which every own bubble shows its fill"),
	"$.separator": head(" the light band that begins the input; scan_to and cut_from are shares of the height"),
	"$.own_rows":  head(" which rows count as own where no bubble is found: full_width or lane"),
	"$.bubble":    head(" sizes and places by which a shape is a bubble"),
	"$.sender":    head(" the strip above an incoming bubble that holds a name; height 0: none is shown"),
	"$.kinds":     head(" words by which a bubble is a call or a file"),
	"$.marks":     head(" words between bubbles: dates, unread messages, messages that were taken back"),
	"$.themes":    head(" the colours of bubbles, for each brightness of the background"),
	"$.tokens":    head(" the application's own words outside of bubbles"),
	"$.names":     head(" display names to remove from the start of a line"),
	"$.me":        head(" names under which rows without bubbles show one's own messages"),
	"$.exclude":   head(" boxes that may change without news; a negative x or y counts from the right or bottom edge"),
}

func head(lines ...string) []*yaml.Comment { return []*yaml.Comment{yaml.HeadComment(lines...)} }

// YAML writes a layout in the form that [Parse] reads, under a comment.
func (l Layout) YAML(comment string) ([]byte, error) {
	body, err := yaml.MarshalWithOptions(l, yaml.Indent(2), yaml.UseSingleQuote(true), yaml.WithComment(sections))
	if err != nil {
		return nil, fmt.Errorf("%w: write it: %w", ErrLayout, err)
	}
	out := append([]byte("# "+comment+"\n"), body...)
	if _, err := Parse(l.Name, out); err != nil {
		return nil, fmt.Errorf("write a layout that can be read: %w", err)
	}
	return out, nil
}
