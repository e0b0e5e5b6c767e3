package config

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Write prints the configuration as YAML: above each value what it means, beside
// it where it is from (default, a place in a file, an environment variable, a
// flag, or program for Go code). [Parse] reads it back to the same values.
func (c Config) Write(w io.Writer) error {
	defaults := Default()
	return c.write(w, defaults)
}

func (c Config) write(w io.Writer, defaults Config) error {
	p := printer{config: &c, defaults: map[string]string{}}
	for _, f := range defaults.fields() {
		p.defaults[f.key] = f.text()
	}
	p.line("", "# Configuration of Kehai. Durations are written 250ms, 1.5s or 720h, sizes")
	p.line("", "# 128MiB or 2GiB. Every key can be left out, and set by an environment variable:")
	p.line("", "# "+EnvName("ocr.workers")+" is ocr.workers, "+EnvName("windows.0.poll")+
		" is poll of the first window.")
	p.section(reflect.ValueOf(&c).Elem(), "", "", true)
	_, err := io.WriteString(w, p.out.String())
	return err
}

type printer struct {
	config   *Config
	defaults map[string]string
	out      strings.Builder
}

func (p *printer) line(indent, text string) { p.out.WriteString(indent + text + "\n") }

// section prints the fields of a struct. The comments are left out where they
// stood before.
func (p *printer) section(v reflect.Value, prefix, indent string, commented bool) {
	for i, f := range fieldsOf(v, prefix) {
		if commented {
			if prefix == "" || i > 0 && indent == "  " && !strings.HasPrefix(prefix, "windows.") {
				p.line("", "")
			}
			for line := range strings.Lines(comments[f.doc]) {
				p.line(indent, "# "+strings.TrimSuffix(line, "\n"))
			}
		}
		switch {
		case f.isSection():
			p.line(indent, f.name()+":")
			p.section(f.value, f.key+".", indent+"  ", commented)
		case f.isList() && f.value.Len() == 0:
			p.line(indent, f.name()+": []")
		case f.isList():
			p.line(indent, f.name()+":")
			for i := range f.value.Len() {
				p.line(indent, "  -")
				p.section(f.value.Index(i), fmt.Sprintf("%s.%d.", f.key, i), indent+"    ", commented && i == 0)
			}
		default:
			p.line(indent, f.name()+": "+f.yaml()+"  # "+p.config.source(f, p.defaults))
		}
	}
}

// yaml returns the value as it stands in a file.
func (f field) yaml() string {
	if f.value.Kind() != reflect.String {
		return f.text()
	}
	s := f.value.String()
	switch {
	case f.tag.Get("secret") == "path" && endsInKey(s),
		f.tag.Get("secret") == "name" && s != "" && looksSecret(s):
		return `"***"`
	}
	out, err := yaml.Marshal(s)
	if text := strings.TrimSuffix(string(out), "\n"); err == nil && s != "" && !strings.Contains(text, "\n") {
		return text
	}
	return strconv.Quote(s)
}
