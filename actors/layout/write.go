package layout

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// YAML writes a layout in the form that [Parse] reads, under a comment.
func (l Layout) YAML(comment string) ([]byte, error) {
	body, err := yaml.MarshalWithOptions(l, yaml.Indent(2), yaml.UseSingleQuote(true))
	if err != nil {
		return nil, fmt.Errorf("%w: write it: %w", ErrLayout, err)
	}
	out := append([]byte("# "+comment+"\n"), body...)
	if _, err := Parse(l.Name, out); err != nil {
		return nil, fmt.Errorf("write a layout that can be read: %w", err)
	}
	return out, nil
}
