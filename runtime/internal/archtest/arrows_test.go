package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// leaves are the packages below actors that any actor may import.
var leaves = []string{"actors/text", "actors/layout", "actors/memory", "actors/pace"}

// mayImport says whether a package of ours may import another. Folders are
// relative to the module.
func mayImport(from, to string) bool {
	any := func(dirs ...string) bool { return slices.Contains(dirs, to) }
	switch {
	case within(from, "messages"):
		return false
	case from == "hardware", from == "actors":
		return any("messages")
	case within(from, "hardware"):
		return any("messages", "hardware") || within(to, from)
	case within(from, "actors"):
		return any("messages", "actors", "hardware") || slices.Contains(leaves, to) || within(to, actorRoot(from))
	case from == "runtime/engine":
		return any("messages", "actors")
	case from == "runtime/engine/live":
		return any("messages", "actors", "runtime/engine")
	case from == "runtime/cluster":
		return any("messages", "actors", "runtime/engine", "runtime/engine/live")
	case within(from, "runtime/store"):
		return any("runtime/engine")
	case from == "runtime/scenario":
		return any("messages", "hardware/drawn")
	case from == "runtime":
		return !within(to, "cmd") && !within(to, "testkit") && !within(to, "hardware/robot")
	case within(from, "runtime"):
		return any("messages", "actors", "runtime/engine") || within(to, from)
	case from == "testkit/actortest":
		return any("messages", "actors", "runtime/engine", "runtime/store/mem")
	case within(from, "testkit"):
		return !within(to, "cmd")
	case within(from, "cmd"):
		return any("messages") || within(to, "runtime") || within(to, "hardware") || within(to, from)
	}
	return false
}

// arrowsHeld checks the imports of our packages by each other.
func arrowsHeld(t *tree) (found []string) {
	for _, f := range t.gos {
		for _, full := range f.imports {
			to, ours := strings.CutPrefix(full, module+"/")
			if ours && !f.test && !mayImport(f.dir, to) {
				found = append(found, fmt.Sprintf("%s: %s may not import %s: hand it over from runtime, move what both need to messages or an interface to hardware, or change mayImport and say why", f.path, f.dir, to))
			}
		}
	}
	return found
}

// monopolies are modules that one place only may import.
var monopolies = []struct {
	path    string
	holders []string
	tests   []string // folders whose tests may too
	fix     string
}{
	{"github.com/dgraph-io/badger", []string{"runtime/store"}, []string{"runtime/engine/live"}, "go through engine.Store"},
	{"github.com/go-vgo/robotgo", []string{"hardware/robot"}, nil, "go through the interfaces of hardware"},
	{"github.com/tmc/langchaingo", []string{"actors/llm"}, nil, "make a call to the llm worker"},
	{"github.com/asynkron/protoactor-go", []string{"runtime/engine/live", "runtime/cluster"}, nil, "go through engine"},
	{"github.com/asynkron/protoactor-go/persistence", nil, []string{"runtime/engine/live"}, "go through engine.Store"},
	{module + "/hardware/robot", []string{"cmd/kehai"}, []string{"hardware/robot"}, "let the host hand it in; only cmd/kehai does so here"},
}

// monopoliesHeld checks who imports what only one may.
func monopoliesHeld(t *tree) (found []string) {
	for _, f := range t.gos {
		for _, full := range f.imports {
			for _, m := range monopolies {
				if full != m.path && !strings.HasPrefix(full, m.path+"/") {
					continue
				}
				allowed := slices.Contains(m.holders, f.dir) || f.test && slices.Contains(m.tests, f.dir)
				if !allowed {
					found = append(found, fmt.Sprintf("%s: %s may not import %s: %s", f.path, f.dir, full, m.fix))
				}
			}
		}
	}
	return found
}
