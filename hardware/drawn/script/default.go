package script

import (
	_ "embed"
	"strings"
)

//go:embed default.jsonl
var defaultScript string

// Default is a short chat of two people in Japanese and English. It lasts about
// three minutes; then the friend stays quiet.
func Default() Script {
	s, err := Parse(strings.NewReader(defaultScript))
	if err != nil {
		panic("script: the embedded script does not parse: " + err.Error()) // a broken build
	}
	return s
}
