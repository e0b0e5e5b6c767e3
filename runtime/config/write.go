package config

import (
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kehai-run/kehai/runtime/secret"
)

// Write prints the configuration as YAML: above each value what it means, beside
// it where it is from (default, a place in a file, an environment variable, a
// flag, or program for Go code). [Parse] reads it back to the same values. A value that
// counts otherwise once it is set, as a tag unset says, stands in a comment.
func (c Config) Write(w io.Writer) error {
	defaults := Default()
	defaults.SetProfile(c.Profile)
	return c.write(w, defaults)
}

func (c Config) write(w io.Writer, defaults Config) error {
	p := printer{config: &c}
	p.line("", "# Configuration of Kehai. Durations are written 250ms, 1.5s or 720h, sizes")
	p.line("", "# 128MiB or 2GiB. Every key can be left out, and set by an environment variable:")
	p.line("", "# "+EnvName("ocr.workers")+" is ocr.workers, "+EnvName("windows.0.poll")+
		" is poll of the first window.")
	p.below(root(c), root(defaults), "", true)
	_, err := io.WriteString(w, p.out.String())
	return err
}

type printer struct {
	config *Config
	out    strings.Builder
}

func (p *printer) line(indent, text string) { p.out.WriteString(indent + text + "\n") }

// below prints the fields below one, beside those of the defaults. Comments are left
// out where they stood before.
func (p *printer) below(f, usual field, indent string, commented bool) {
	defaults := usual.below()
	for i, f := range f.below() {
		if commented {
			if indent == "" || i > 0 && indent == "  " {
				p.line("", "")
			}
			for _, line := range comment(f.key) {
				p.line(indent, "#"+line)
			}
		}
		head := indent + f.name() + ":"
		switch {
		case f.isSection():
			p.line(head, "")
			p.below(f, defaults[i], indent+"  ", commented)
		case f.isList() && f.value.Len() == 0:
			p.line(head, " []")
		case f.isList():
			p.line(head, "")
			for n, entry := range f.below() {
				p.line(indent, "  -")
				usual := field{entry.key, f.usual(), entry.tag}
				if standard := defaults[i].below(); len(standard) > 0 {
					usual = standard[0]
				}
				p.below(entry, usual, indent+"    ", commented && n == 0)
			}
		case f.tag.Get("unset") != "" && !p.config.IsSet(f.key) && f.text() == defaults[i].text():
			p.line(indent, "# "+f.name()+": "+f.yaml()+"  # default; "+f.tag.Get("unset"))
		default:
			p.line(head, " "+f.yaml()+"  # "+p.source(f, defaults[i]))
		}
	}
}

// source names where a value comes from, for people.
func (p *printer) source(f, usual field) string {
	if o, ok := p.config.origins[f.key]; ok && o.text == f.text() {
		return o.kind + " " + oneLine(o.String())
	}
	if f.text() == usual.text() {
		return "default"
	}
	return "program"
}

// yaml returns the value as it stands in a file.
func (f field) yaml() string {
	if f.value.Kind() != reflect.String {
		return f.text()
	}
	s := f.value.String()
	if secret.Wrong(secret.Kind(f.tag.Get("secret")), s) != "" {
		return `"***"`
	}
	out, err := yaml.Marshal(s)
	if text := strings.TrimSuffix(string(out), "\n"); err == nil && !strings.Contains(text, "\n") {
		return text
	}
	return strconv.Quote(s)
}
