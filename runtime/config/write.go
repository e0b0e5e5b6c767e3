package config

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Write prints the configuration as YAML: above each value what it means, beside
// it where it is from (default, a place in a file, an environment variable, a
// flag, or program for Go code). [Parse] reads it back to the same values.
func (c Config) Write(w io.Writer) error {
	defaults := Default()
	return c.write(w, defaults)
}

func (c Config) write(w io.Writer, defaults Config) error {
	p := printer{config: &c, docs: fieldDocs(), defaults: map[string]string{}}
	for _, f := range defaults.fields() {
		p.defaults[f.key] = f.text()
	}
	p.line("", "# Configuration of Kehai. Durations are written 250ms, 1.5s or 720h, sizes")
	p.line("", "# 128MiB or 2GiB. Every key can be left out, and set by an environment variable:")
	p.line("", "# "+EnvName("ocr.workers")+" is ocr.workers, "+EnvName("windows.0.poll")+" is poll of the first window.")
	p.section(reflect.ValueOf(&c).Elem(), "", "", true)
	_, err := io.WriteString(w, p.out.String())
	return err
}

type printer struct {
	config   *Config
	docs     map[string][]string
	defaults map[string]string
	out      strings.Builder
}

func (p *printer) line(indent, text string) { p.out.WriteString(indent + text + "\n") }

// section prints the fields of a struct. The comments are left out where they
// stood before.
func (p *printer) section(v reflect.Value, prefix, indent string, comments bool) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if !sf.IsExported() {
			continue
		}
		f := field{key: prefix + sf.Tag.Get("yaml"), doc: v.Type().Name() + "." + sf.Name, value: v.Field(i), tag: sf.Tag}
		if comments {
			if prefix == "" || i > 0 && indent == "  " && !strings.HasPrefix(prefix, "windows.") {
				p.line("", "")
			}
			for _, text := range p.docs[f.doc] {
				p.line(indent, "# "+text)
			}
		}
		switch {
		case f.isSection():
			p.line(indent, f.name()+":")
			p.section(f.value, f.key+".", indent+"  ", comments)
		case f.isList() && f.value.Len() == 0:
			p.line(indent, f.name()+": []")
		case f.isList():
			p.line(indent, f.name()+":")
			for i := range f.value.Len() {
				p.line(indent, "  -")
				p.section(f.value.Index(i), fmt.Sprintf("%s.%d.", f.key, i), indent+"    ", comments && i == 0)
			}
		default:
			p.line(indent, f.name()+": "+f.yaml()+"  # "+p.config.source(f, p.defaults))
		}
	}
}

// plain is what needs no quotes and is a string for every reader of YAML.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

var notStrings = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null)$`)

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
	case plain.MatchString(s) && !notStrings.MatchString(s):
		return s
	}
	return yamlQuote(s)
}

// yamlQuote is a double-quoted YAML string.
func yamlQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			b.WriteString(`\x` + hexDigits(r, 2))
		case r <= 0xffff:
			b.WriteString(`\u` + hexDigits(r, 4))
		default:
			b.WriteString(`\U` + hexDigits(r, 8))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hexDigits(r rune, n int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", n-len(s)) + s
}
