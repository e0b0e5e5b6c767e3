package config

import (
	_ "embed"
	"strings"
)

// The comments of the fields stand once, in the source, and are read from there.
//
//go:embed config.go
var configSource string

//go:embed rules.go
var rulesSource string

// fieldDocs returns the comment of each field, by "Window.Poll", as lines.
func fieldDocs() map[string][]string {
	docs := map[string][]string{}
	var owner string
	var comment []string
	for line := range strings.Lines(configSource + rulesSource) {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "type "); ok {
			owner, _, _ = strings.Cut(rest, " ")
		}
		text, isComment := strings.CutPrefix(line, "\t// ")
		switch {
		case isComment:
			comment = append(comment, text)
			continue
		case strings.Contains(line, "`yaml:\""):
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			docs[owner+"."+name] = comment
		}
		comment = nil
	}
	return docs
}
