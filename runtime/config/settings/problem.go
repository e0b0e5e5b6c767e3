package settings

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// problem is one thing that is wrong.
type problem struct {
	origin Origin
	key    string // "" when the text names it
	text   string
}

func (p problem) String() string {
	var parts []string
	for _, part := range []string{p.origin.String(), p.key, p.text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Problems is what is wrong in a tree.
type Problems struct {
	tree Tree
	list []problem
}

// Problems is where to add what is wrong.
func (t Tree) Problems() *Problems { return &Problems{tree: t} }

// Add adds a complaint about a key; "" means that nothing is wrong. One complaint about a
// value is enough.
func (p *Problems) Add(key, text string) {
	if text != "" && !slices.ContainsFunc(p.list, func(known problem) bool { return known.key == key }) {
		p.at(p.tree.Origin(key), key, text)
	}
}

// Of returns a function that adds problems of a section, by its keys.
func (p *Problems) Of(section string) func(key, what string) {
	return func(key, what string) { p.Add(section+"."+key, what) }
}

func (p *Problems) at(o Origin, key, text string) { p.list = append(p.list, problem{o, key, text}) }

// And returns these problems followed by those of err.
func (p *Problems) And(err error) error {
	var more found
	errors.As(err, &more)
	p.list = append(p.list, more.list...)
	return p.Err()
}

// Err is nil without problems. They come in the order of the file.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int {
		return cmp.Or(a.origin.line-b.origin.line, a.origin.col-b.origin.col)
	})
	return found{p.tree.kind.Err, p.list}
}

// found is an error with one line for each problem.
type found struct {
	err  error
	list []problem
}

func (f found) Error() string {
	if len(f.list) == 1 {
		return f.err.Error() + ": " + f.list[0].String()
	}
	text := f.err.Error() + ":"
	for _, one := range f.list {
		text += "\n  " + one.String()
	}
	return text
}

func (f found) Unwrap() error { return f.err }
