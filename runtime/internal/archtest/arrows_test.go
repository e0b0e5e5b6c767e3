package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// leaves are the packages below actors that any actor may import.
var leaves = []string{"actors/text", "actors/text/lenient", "actors/text/stream", "actors/text/when",
	"actors/text/yamlfile", "actors/prompt", "actors/interview", "actors/pii", "actors/backoff", "actors/layout",
	"actors/memory", "actors/memory/lexical", "actors/memory/rank", "actors/memory/vector"}

// rooms are the packages inside runtime. A room may import the rooms of lower levels and the
// folders inside itself.
var rooms = []struct {
	level   int
	dir     string
	outside []string // what it may import outside of runtime; with /... also the folders inside
}{
	{0, "runtime/engine", []string{"messages/...", "actors"}},
	{0, "runtime/private", nil},
	{0, "runtime/describe", []string{"messages/..."}},
	{1, "runtime/secret", []string{"actors/text"}},
	{1, "runtime/engine/live", []string{"messages/...", "actors"}},
	{1, "runtime/control", []string{"messages/...", "actors"}},
	{1, "runtime/follow", []string{"hardware"}},
	{1, "runtime/feed", []string{"messages/...", "actors"}},
	{1, "runtime/telemetry", []string{"messages/...", "actors"}},
	// Only what belongs to a cluster imports it, so that a host without one links nothing of it.
	{1, "runtime/cluster", nil},
	{2, "runtime/cluster/identity", nil},
	{3, "runtime/cluster/invite", nil},
	{3, "runtime/cluster/keys", nil},
	{3, "runtime/cluster/transport", nil},
	{5, "runtime/cluster/seat", nil},
	{3, "runtime/cluster/journal", nil},
	{2, "runtime/maintenance", nil},
	{2, "runtime/store", nil},
	{2, "runtime/store/raftlog", nil},
	{2, "runtime/keyring", nil},
	{2, "runtime/web", []string{"messages/...", "actors"}},
	// These know the rules and tables that actors export.
	{3, "runtime/config", []string{"messages/...", "actors/..."}},
	{3, "runtime/privacy", []string{"actors/..."}},
	{4, "runtime/drivers", []string{"messages/...", "actors/structure", "actors/llm", "hardware/..."}},
	{4, "runtime/snapshot", []string{"messages/...", "actors/..."}},
	{4, "runtime/attention", []string{"messages/...", "actors/..."}},
	{4, "runtime/datadir", []string{"actors/prompt"}},
	{4, "runtime/names", []string{"messages/...", "actors/..."}},
	{4, "runtime/pause", []string{"messages", "actors/..."}},
	{4, "runtime/health", []string{"messages/...", "actors/..."}},
	{4, "runtime/calibrate", []string{"messages", "actors/..."}},
	{5, "runtime/recording", []string{"messages/...", "actors", "actors/llm", "hardware"}},
	{5, "runtime/trace", []string{"messages/...", "actors/..."}},
	{6, "runtime/admin", []string{"messages/...", "actors/..."}},
	{7, "runtime/offline", []string{"messages/...", "actors/..."}},
	// How the actors of the topology are made.
	{5, "runtime/parts", []string{"messages/...", "actors/...", "hardware"}},
	// A host's own actors without the topology.
	{8, "runtime/bare", []string{"messages/...", "actors"}},
	// Only the root wires actors.
	{9, "runtime", []string{"messages/...", "actors/...", "hardware/..."}},
}

// room finds the place in rooms of a folder, or of what it is inside of; -1 if it
// has none. The root stands for itself alone.
func room(dir string) int {
	found := -1
	for i, r := range rooms {
		if dir == r.dir || r.dir != "runtime" && within(dir, r.dir) &&
			(found < 0 || len(r.dir) > len(rooms[found].dir)) {
			found = i
		}
	}
	return found
}

// layered says whether a package inside runtime may import another one of ours.
func layered(from, to string) bool {
	r := room(from)
	if r < 0 {
		return false
	}
	if other := room(to); other >= 0 {
		return rooms[other].level < rooms[r].level || other == r && within(to, from)
	}
	return slices.ContainsFunc(rooms[r].outside, func(o string) bool {
		root, inside := strings.CutSuffix(o, "/...")
		return to == root || inside && within(to, root) && to != "hardware/robot"
	})
}

// mayImport says whether a package of ours may import another. Folders are
// relative to the module.
func mayImport(from, to string) bool {
	oneOf := func(dirs ...string) bool { return slices.Contains(dirs, to) }
	switch {
	case within(from, "messages"):
		return to == "messages" && from != to
	case from == "hardware", from == "actors":
		return to == "messages" || within(to, "messages")
	case from == "hardware/drawn/script":
		return oneOf("messages", "hardware/drawn")
	case from == "hardware/tesseract" && to == "actors/text": // pure functions over texts
		return true
	case within(from, "hardware"):
		return oneOf("hardware", "hardware/internal/bus") || within(to, "messages") || within(to, from)
	case within(from, "actors"):
		return oneOf("actors", "hardware") || within(to, "messages") || slices.Contains(leaves, to) ||
			within(to, actorRoot(from))
	case within(from, "runtime"):
		return layered(from, to)
	case from == "testkit/actortest":
		return oneOf("actors", "runtime/engine", "runtime/store/mem") || within(to, "messages")
	case within(from, "testkit"):
		return !within(to, "cmd")
	case within(from, "cmd"):
		return within(to, "messages") || within(to, "testkit/replay") || within(to, "runtime") ||
			within(to, "hardware") || within(to, from)
	}
	return false
}

// arrowsHeld checks the imports of our packages by each other.
func arrowsHeld(t *tree) (found []string) {
	for _, f := range t.gos {
		for _, full := range f.imports {
			to, ours := strings.CutPrefix(full, module+"/")
			if ours && !f.test && !mayImport(f.dir, to) {
				found = append(found, fmt.Sprintf("%s: %s may not import %s: hand it over from above, "+
					"move what both need below both, or change mayImport or rooms and say why", f.path, f.dir, to))
			}
		}
	}
	return found
}

// heavy is what [runtime/bare] links nothing of, by folder; with /... also the folders inside.
var heavy = []string{"actors/...", "hardware/...", "runtime/config/...", "runtime/drivers", "runtime/parts",
	"runtime/web/...", "runtime/feed", "runtime/control", "runtime/datadir", "runtime/admin", "runtime/cluster/..."}

// light are the exceptions from heavy.
var light = []string{"actors", "hardware"}

// bareIsLight checks all that runtime/bare links of ours: a host without windows gets nothing that
// sees, reads, asks a model or shows a page.
func bareIsLight(t *tree) (found []string) {
	from := map[string]string{"runtime/bare": ""} // who imports it
	for queue := []string{"runtime/bare"}; len(queue) > 0; queue = queue[1:] {
		for _, f := range t.gos {
			if f.dir != queue[0] || f.test {
				continue
			}
			for _, full := range f.imports {
				to, ours := strings.CutPrefix(full, module+"/")
				if _, known := from[to]; !ours || known {
					continue
				}
				from[to] = f.path
				queue = append(queue, to)
				if slices.ContainsFunc(heavy, func(h string) bool {
					root, inside := strings.CutSuffix(h, "/...")
					return to == root || inside && within(to, root)
				}) && !slices.Contains(light, to) {
					found = append(found, fmt.Sprintf("%s: runtime/bare would link %s: hand it over from the root",
						f.path, to))
				}
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
	{"github.com/dgraph-io/badger", []string{"runtime/store"}, []string{"runtime/engine/live"},
		"go through engine.Store"},
	{"github.com/hashicorp/raft", []string{"runtime/cluster/journal", "runtime/store/raftlog"}, nil,
		"go through runtime.Cluster, so that a host without a cluster links nothing of it"},
	{"github.com/go-vgo/robotgo", []string{"hardware/robot"}, nil, "go through the interfaces of hardware"},
	{"github.com/tmc/langchaingo", []string{"actors/llm"}, nil, "make a call to the llm worker"},
	{"github.com/ikawaha", []string{"actors/insight"}, nil, "make a call to the words worker"},
	{"github.com/asynkron/protoactor-go", []string{"runtime/engine/live"}, nil, "go through engine"},
	{"github.com/asynkron/protoactor-go/persistence", nil, []string{"runtime/engine/live"}, "go through engine.Store"},
	{module + "/hardware/robot", []string{"cmd/kehai"}, []string{"hardware/robot"},
		"let the host hand it in; only cmd/kehai does so here"},
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

// namesExist checks that the lists of this file name folders that there are.
func namesExist(t *tree) (found []string) {
	dirs := map[string]bool{}
	for _, f := range t.gos {
		dirs[f.dir] = true
	}
	names := slices.Clone(leaves)
	for _, r := range rooms {
		names = append(names, r.dir)
	}
	for _, m := range monopolies {
		names = append(append(names, m.holders...), m.tests...)
	}
	for _, dir := range names {
		if !dirs[dir] {
			found = append(found, dir+": there is no such package: drop it from leaves, rooms and monopolies")
		}
	}
	return found
}
