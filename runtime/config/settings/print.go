package settings

import (
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kehai-run/kehai/runtime/secret"
)

// Write prints a tree as YAML below a head: above each value what it means, beside it
// where it is from, for which defaults is a struct of the same type. [Tree.Parse] reads
// it back to the same values.
func (t Tree) Write(w io.Writer, head string, defaults any) error {
	p := printer{tree: t}
	p.out.WriteString(head)
	p.below(t.Field, New(t.kind, defaults, nil).Field, "", true)
	_, err := io.WriteString(w, p.out.String())
	return err
}

type printer struct {
	tree Tree
	out  strings.Builder
}

func (p *printer) line(indent, text string) { p.out.WriteString(indent + text + "\n") }

// below prints the fields below one, beside those of the defaults. Comments are left
// out where they stood before.
func (p *printer) below(f, usual Field, indent string, commented bool) {
	defaults := usual.Below()
	for i, f := range f.Below() {
		if commented {
			if indent == "" || i > 0 && indent == "  " {
				p.line("", "")
			}
			for _, line := range f.Comment() {
				p.line(indent, "#"+line)
			}
		}
		head := indent + f.Name() + ":"
		switch {
		case f.IsSection():
			p.line(head, "")
			p.below(f, defaults[i], indent+"  ", commented)
		case f.IsList() && f.value.Len() == 0:
			p.line(head, " []")
		case f.IsList():
			p.line(head, "")
			for n, entry := range f.Below() {
				p.line(indent, "  -")
				usual := Field{entry.Key, entry.Tag, f.usual(), f.kind}
				if standard := defaults[i].Below(); len(standard) > 0 {
					usual = standard[0]
				}
				p.below(entry, usual, indent+"    ", commented && n == 0)
			}
		case f.Tag.Get("unset") != "" && p.source(f, defaults[i]) == isDefault:
			p.line(indent, "# "+f.Name()+": "+f.YAML()+"  # "+isDefault+"; "+f.Tag.Get("unset"))
		default:
			p.line(head, " "+f.YAML()+"  # "+p.source(f, defaults[i]))
		}
	}
}

var entryForm = regexp.MustCompile(`\.[0-9]+`)

// Comment returns the lines above the field, each after its #; all entries of a list have
// the same.
func (f Field) Comment() []string {
	for _, c := range f.kind.Comments()["$."+entryForm.ReplaceAllString(f.Key, "[0]")] {
		if c.Position == yaml.CommentHeadPosition {
			return c.Texts
		}
	}
	return nil
}

const isDefault = "default"

// source names where a value comes from, for people.
func (p *printer) source(f, usual Field) string {
	if o, ok := p.tree.origins[f.Key]; ok && o.text == f.Text() {
		return o.kind + " " + o.String()
	}
	if f.Text() == usual.Text() {
		return isDefault
	}
	return "program"
}

// YAML is the value as it stands in a file.
func (f Field) YAML() string {
	if f.value.Kind() != reflect.String {
		return f.Text()
	}
	s := f.value.String()
	if secret.Wrong(secret.Kind(f.Tag.Get("secret")), s) != "" {
		return `"***"`
	}
	out, err := yaml.Marshal(s)
	if text := strings.TrimSuffix(string(out), "\n"); err == nil && !strings.Contains(text, "\n") {
		return text
	}
	return strconv.Quote(s)
}
