package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// topLevel is everything that stands at the top, besides dotfiles.
var topLevel = []string{"LICENSE", "Makefile", "README.md", "actors", "cmd", "go.mod", "go.sum", "hardware", "messages",
	"runtime", "testkit"}

// topLevelExact checks that the top has these entries and no others.
func topLevelExact(t *tree) (found []string) {
	present := map[string]bool{}
	for p := range t.text {
		first, _, _ := strings.Cut(p, "/")
		present[first] = true
	}
	for _, name := range topLevel {
		if !present[name] {
			found = append(found, name+": missing at the top: add it, or take it from topLevel")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(present)) {
		if !slices.Contains(topLevel, name) {
			found = append(found, name+": does not belong at the top: move it below one of "+
				strings.Join(topLevel, ", "))
		}
	}
	return found
}

// ownPlace matches a path of one person's machine: a home other than that of
// the made-up hana, root's, or a build folder. It is put together so that this
// file does not match itself.
var ownPlace = regexp.MustCompile(`(?:^|[^\w./~-])(/` + `(?:work|root|workspace|builds)/[\w.]|/` +
	`(?:home|Users)/([\w.-]+)|(?:\.\./)+` + `shared/|/` + `tmp/k/)`)

// madeUpHomes are the homes that examples may name.
var madeUpHomes = []string{"", "hana", "Hana1"}

// noOwnPlaces checks that no file names a place on one machine.
func noOwnPlaces(t *tree) (found []string) {
	for _, p := range slices.Sorted(maps.Keys(t.text)) {
		number := 0
		for line := range strings.Lines(t.text[p]) {
			number++
			for _, m := range ownPlace.FindAllStringSubmatch(line, -1) {
				if m[2] == "" || !slices.Contains(madeUpHomes, m[2]) {
					found = append(found, fmt.Sprintf("%s:%d: names %s, a place on one machine: use t.TempDir, "+
						"a relative path, or an example below /home/hana", p, number, m[1]))
				}
			}
		}
	}
	return found
}
