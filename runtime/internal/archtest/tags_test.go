package archtest

import (
	"go/build/constraint"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// platforms are the build tags that Go sets by itself.
var platforms = []string{"linux", "darwin", "windows", "unix", "amd64", "arm64", "cgo"}

var makeTags = regexp.MustCompile(`(?m)^TAGS = (.+)$`)

// tagsNamed checks that the Makefile, whose TAGS vet and lint use, names every build tag: a file
// behind any other one is looked at by nobody.
func tagsNamed(t *tree) (found []string) {
	used := map[string]string{} // a file, by tag
	for _, f := range t.gos {
		for line := range strings.Lines(t.text[f.path]) {
			if expr, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
				expr.Eval(func(tag string) bool { used[tag] = f.path; return false })
			}
			if strings.HasPrefix(line, "package ") {
				break
			}
		}
	}
	var named []string
	if m := makeTags.FindStringSubmatch(t.text["Makefile"]); m != nil {
		named = strings.Split(m[1], ",")
	}
	for _, tag := range slices.Sorted(maps.Keys(used)) {
		if !slices.Contains(named, tag) && !slices.Contains(platforms, tag) {
			found = append(found, used[tag]+": the tag "+tag+" is not in TAGS of the Makefile: add it there")
		}
	}
	for _, tag := range named {
		if used[tag] == "" {
			found = append(found, "Makefile: no file has the tag "+tag+": take it from TAGS")
		}
	}
	return found
}
