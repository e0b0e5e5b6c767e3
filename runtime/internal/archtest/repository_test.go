package archtest

import (
	"slices"
	"strings"
	"testing"
)

// rules are all rules, each with trees that break it: what must be found there,
// and files that are fine beside it.
var rules = []struct {
	name   string
	check  func(*tree) []string
	broken map[string]string // each file has exactly one finding
	fine   map[string]string // none has one
}{
	{"Arrows", arrowsHeld, map[string]string{
		"messages/a.go":              imports("messages", module+"/hardware"),
		"hardware/a.go":              imports("hardware", module+"/actors"),
		"hardware/x11/a.go":          imports("x11", module+"/hardware/drawn"),
		"hardware/drawn/script/a.go": imports("script", module+"/hardware"),
		"actors/a.go":                imports("actors", module+"/runtime/engine"),
		"actors/burst/a.go":          imports("burst", module+"/actors/dedup"),
		"actors/burst/b.go":          imports("burst", module+"/hardware/drawn"),
		"runtime/engine/a.go":        imports("engine", module+"/runtime/store"),
		"runtime/engine/live/a.go":   imports("live", module+"/runtime/store"),
		"runtime/store/a.go":         imports("store", module+"/messages"),
		"runtime/store/mem/a.go":     imports("mem", module+"/runtime/store"),
		"runtime/a.go":               imports("runtime", module+"/hardware/robot"),
		"runtime/web/a.go":           imports("web", module+"/runtime/store"),
		"runtime/control/a.go":       imports("control", module+"/actors/burst"),
		"runtime/config/a.go":        imports("config", module+"/runtime/admin"),
		"runtime/config/b.go":        imports("config", module+"/hardware"),
		"runtime/snapshot/a.go":      imports("snapshot", module+"/runtime/attention"),
		"runtime/admin/a.go":         imports("admin", module+"/runtime"),
		"runtime/trace/a.go":         imports("trace", module+"/runtime/admin"),
		"runtime/elsewhere/a.go":     imports("elsewhere", module+"/runtime/engine"),
		"testkit/actortest/a.go":     imports("actortest", module+"/runtime"),
		"testkit/a.go":               imports("testkit", module+"/cmd/kehai"),
		"cmd/kehai/a.go":             imports("main", module+"/actors/burst"),
		"cmd/kehai/b.go":             imports("main", module+"/testkit"),
		"elsewhere/a.go":             imports("elsewhere", module+"/messages"),
	}, map[string]string{
		"hardware/x11/a.go": imports("x11", module+"/hardware", module+"/messages",
			module+"/hardware/x11/internal/wire"),
		"actors/burst/a.go": imports("burst", module+"/actors", module+"/actors/text", module+"/actors/text/when",
			module+"/actors/burst/inner", module+"/hardware", "time"),
		"actors/burst/a_test.go": imports("burst", module+"/testkit/actortest"),
		"runtime/a.go": imports("runtime", module+"/actors/burst", module+"/hardware/drawn",
			module+"/runtime/web"),
		"runtime/config/a.go": imports("config", module+"/actors/burst", module+"/runtime/store",
			module+"/runtime/engine"),
		"runtime/admin/a.go": imports("admin", module+"/runtime/config", module+"/runtime/snapshot",
			module+"/actors/attention/history"),
		"runtime/store/mem/a.go": imports("mem", module+"/runtime/engine", module+"/runtime/store/mem/inner"),
		"testkit/a.go":           imports("testkit", module+"/runtime", module+"/actors/burst"),
		"cmd/kehai/a.go": imports("main", module+"/runtime", module+"/runtime/config", module+"/testkit/replay",
			module+"/hardware/robot"),
	}},
	{"Bare", bareIsLight, map[string]string{
		"runtime/bare/a.go": imports("bare", module+"/runtime/web"),
		"runtime/bare/b.go": imports("bare", module+"/actors/ocr"),
	}, map[string]string{
		"runtime/bare/a.go":      imports("bare", module+"/runtime/health", module+"/actors", module+"/hardware"),
		"runtime/bare/a_test.go": imports("bare", module+"/runtime/web"),
		"runtime/health/a.go":    imports("health", module+"/messages"),
		"runtime/web/a.go":       imports("web", module+"/actors/ocr"),
	}},
	{"Monopolies", monopoliesHeld, map[string]string{
		"runtime/a.go":             "package runtime\nimport _ \"github.com/dgraph-io/badger/v4\"\nimport _ \"time\"",
		"runtime/a_test.go":        imports("runtime", "github.com/dgraph-io/badger/v4"),
		"runtime/engine/live/a.go": imports("live", "github.com/asynkron/protoactor-go/persistence"),
		"actors/burst/a.go":        imports("burst", "github.com/asynkron/protoactor-go/actor"),
		"actors/judge/a.go":        imports("judge", "github.com/tmc/langchaingo/llms"),
		"hardware/x11/a.go":        imports("x11", "github.com/go-vgo/robotgo"),
		"testkit/a.go":             imports("testkit", module+"/hardware/robot"),
	}, map[string]string{
		"runtime/store/a.go":       imports("store", "github.com/dgraph-io/badger/v4"),
		"runtime/engine/live/a.go": imports("live", "github.com/asynkron/protoactor-go/actor"),
		"runtime/engine/live/a_test.go": imports("live", "github.com/asynkron/protoactor-go/actor",
			"github.com/dgraph-io/badger/v4"),
		"hardware/robot/a.go":  imports("robot", "github.com/go-vgo/robotgo"),
		"actors/llm/worker.go": imports("llm", "github.com/tmc/langchaingo/llms"),
		"cmd/kehai/a.go":       imports("main", module+"/hardware/robot"),
	}},
	{"Purity", rulesArePure, map[string]string{
		"actors/burst/a.go":      imports("burst", "log/slog"),
		"actors/burst/actor.go":  "package burst\nimport \"sync\"\nvar mu = sync.Mutex{}",
		"actors/burst/b.go":      "package burst\nimport \"time\"\nvar t = time.Now()",
		"actors/burst/c.go":      "package burst\nimport \"" + module + "/actors\"\nfunc f(*actors.Turn) {}",
		"actors/burst/worker.go": "package burst\nimport \"" + module + "/actors\"\nfunc f(*actors.Turn) {}",
	}, map[string]string{
		"actors/burst/actor.go":        "package burst\nimport \"" + module + "/actors\"\nfunc f(*actors.Turn) {}",
		"actors/burst/worker.go":       imports("burst", "sync", "context", "net/http"),
		"actors/burst/worker_cache.go": imports("burst", "sync"),
		"actors/burst/once.go": "package burst\nimport \"sync\"\nvar v = sync.OnceValue(func() int { return 1 " +
			"})",
		"actors/burst/b_test.go": imports("burst", "os"),
		"actors/worker.go":       imports("actors", "context"),
		"actors/burst/rule.go": "package burst\nimport \"time\"\nfunc f(now time.Time) time.Time { return " +
			"now.Add(time.Second) }",
		"runtime/a.go": imports("runtime", "os"),
	}},
	{"Waiting", testsNeverWait, map[string]string{
		"a/a_test.go": "package a\nimport \"time\"\nfunc f() { time.Sleep(1) }",
		"a/b_test.go": "package a\nimport \"testing\"\nfunc f(t *testing.T) { t." + "Skip(1) }",
		"a/c_test.go": "package a\nimport \"testing\"\nfunc f(b *testing.B) { b." + "SkipNow() }",
	}, map[string]string{
		"a/a.go": "package a\nimport \"time\"\nfunc f() { time.Sleep(1) }",
		"a/b_test.go": "package a\nimport (\"time\"; \"testing/synctest\")\nfunc f() { synctest.Test(nil, " +
			"func(*testing.T) { time.Sleep(1) }) }",
	}},
	{"Children", childrenAreTold, map[string]string{
		"a/a.go": "package a\nimport \"os/exec\"\nfunc f() { exec.Command(\"true\").Run() }",
		"b/a.go": "package b\nimport \"os/exec\"\nfunc f() *exec.Cmd { return &exec.Cmd{Path: \"true\"} }",
	}, map[string]string{
		"a/a.go":       "package a\nimport \"os/exec\"\nfunc f() { c := exec.Command(\"true\"); c.Env = []string{} }",
		"a/b.go":       "package a\nimport \"os/exec\"\nfunc g(c *exec.Cmd) error { return c.Run() }",
		"a/a_test.go":  "package a\nimport \"os/exec\"\nfunc h() { exec.Command(\"true\").Run() }",
		"testkit/a.go": "package testkit\nimport \"os/exec\"\nfunc f() { exec.Command(\"true\").Run() }",
	}},
	{"State", noHiddenState, map[string]string{
		"a/a.go": "package a\nfunc init() {}",
		"b/a.go": "package b\nvar count int",
		"c/a.go": "package c\nvar count = 0\nfunc f() { count++ }",
		"d/a.go": "package d\nvar m = map[string]int{}\nfunc f() { m[\"a\"] = 1 }",
		"e/a.go": "package e\nimport \"sync\"\nvar mu = sync.Mutex{}",
		"f/a.go": "package f\nvar c = make(chan int)",
		"g/a.go": "package g\nvar m = map[string]int{}\nfunc f() { delete(m, \"\") }",
	}, map[string]string{
		"a/a.go": "package a\nimport (\"errors\"; \"regexp\"; " +
			"\"sync\")\nvar ErrA = errors.New(\"a\")\nvar re = regexp.MustCompile(\"a\")\nvar v = " +
			"sync.OnceValue(func() int { var c chan int; return <-c })\nvar _ = 1",
		"b/a.go":      "package b\nimport _ \"embed\"\n\n//go:embed a.txt\nvar s string",
		"c/a.go":      "package c\nvar count = 0\nfunc f(count int) { count++ }\nfunc g() { count := 1; count++ }",
		"d/a_test.go": "package d\nvar m int\nfunc init() { m = 1 }",
	}},
	{"PackageComments", onePackageComment, map[string]string{
		"a/a.go": "package a",
		"b/a.go": "// Package b is short.\npackage b",
	}, map[string]string{
		"a/a.go":      "// Package a is long\n// enough.\npackage a",
		"a/b.go":      "package a",
		"a/a_test.go": "// Package a has tests.\npackage a",

		"testkit/examples/a/main.go": "// Command a is short.\npackage main",
	}},
	{"Layout", layoutTold, map[string]string{
		"actors/a/a.go": "// Package a keeps \"tail\".\npackage a\n" + table("tails"),
		"actors/b/a.go": "// Package b keeps:\n//\n//\ttail-fins\n//\tfins tail\npackage b\n" + table("tail"),
		"runtime/a.go":  "// Package runtime.\npackage runtime\nconst aSetting = \"a\"",
	}, map[string]string{
		"actors/a/a.go": "// Package a keeps \"tail\".\npackage a\n" + table("tail"),
		"actors/b/a.go": "// Package b keeps:\n//\n//\ttail  it\npackage b\n" + table("tail"),
		"runtime/a.go":  "// Package runtime:\n//\n//\ta  it\npackage runtime\nconst aSetting = \"a\"",
		"cmd/a/a.go":    "package main\n" + table("tail"),
	}},
	{"Tables", tablesOnce, map[string]string{
		"runtime/admin/a.go": "package admin\n" + table("tail"),
		"actors/a/b/c.go":    "package b\n" + table("tail") + "\nvar u = actors.NewTable[string](\"tail\")",
	}, map[string]string{
		"actors/a/b/c.go":            "package b\n" + table("tail"),
		"actors/b/c.go":              "package b\n" + table("tail"),
		"runtime/admin/a_test.go":    "package admin\n" + table("tail"),
		"testkit/examples/a/main.go": "package main\n" + table("tail"),
	}},
	{"Computing", computingIsAlone, map[string]string{
		"Makefile":                 "COMPUTES = image/...\n",
		"actors/text/lenient/a.go": imports("lenient", "sync"),
		"actors/ocr/segment/a.go":  "package segment\nfunc f() { go f() }",
		"actors/dedup/ledger/a.go": "package ledger\nvar c chan int",
	}, map[string]string{
		"Makefile":              "COMPUTES = image/... \\\n\t" + computesLine + "\n",
		"actors/text/a.go":      imports("text", "strings"),
		"actors/text/a_test.go": imports("text", "sync"),
		"actors/ocr/a.go":       "package ocr\nfunc f() { go f() }",
	}},
	{"Tags", tagsNamed, map[string]string{
		"Makefile": "TAGS = look\n",
		"a/a.go":   "//go:build look || !unix\n\npackage a",
	}, map[string]string{
		"Makefile":    "TAGS = look,speed\n",
		"a/a.go":      "//go:build look || linux && !cgo\n\npackage a",
		"a/a_test.go": "// A comment.\n\n//go:build !speed\n\npackage a",
	}},
	{"Comments", exportsDocumented, map[string]string{
		"messages/a.go":   "package messages\ntype A int",
		"hardware/x/a.go": "package x\nfunc A() {}",
		"actors/a.go":     "package actors\nconst A = 1",
		"runtime/a.go":    "package runtime\n\n// A is one.\ntype A int\nfunc (a *A) B() {}",
		"testkit/a.go":    "package testkit\n\n// Both.\ntype (\n\tA int\n)",
	}, map[string]string{
		"messages/a.go": "package messages\n\n// A is one.\ntype A int\n\n// Some.\nconst (\n\tB = 1\n\tC " +
			"= 2\n)\nconst D = 1 // last\nfunc (A) String() string { return \"\" }",
		"runtime/a.go":            "package runtime\ntype a int\nfunc (a) B() {}",
		"runtime/internal/x/a.go": "package x\nfunc A() {}",
		"cmd/kehai/a.go":          "package main\nfunc A() {}",
		"runtime/a_test.go":       "package runtime\nfunc A() {}",
	}},
	{"Columns", linesFit, map[string]string{
		"a/a.go":      "package a\n// " + strings.Repeat("x", 118),
		"b/a.go":      "package a\n\t\t\t// " + strings.Repeat("日", 106),
		"c/c.go":      "package a\nvar s = `" + strings.Repeat("x", 111) + "`",
		"a/a_test.go": "package a\n// " + strings.Repeat("x", 118),
		"a/b_test.go": "package a\nvar s, t = `" + strings.Repeat("x", 30) + "`, 1 // " + strings.Repeat("x", 100),
		"a/a.js":      "// " + strings.Repeat("x", 118),
		"a/a.css":     "/* " + strings.Repeat("x", 118),
	}, map[string]string{
		"a/a.go": "package a\n// " + strings.Repeat("日", 117) + "\n// https://example.org/" +
			strings.Repeat("x", 120),
		"a/b.go":          "package a\nimport _ \"embed\"\n\n//go:embed " + strings.Repeat("x", 120) + "\nvar s string",
		"a/c.go":          "// Code generated by a test; DO NOT EDIT.\n\npackage a\n\n// " + strings.Repeat("x", 120),
		"a/a_test.go":     "package a\nvar s = `\n" + strings.Repeat("x", 121) + "\n`",
		"a/testdata/b.go": "package a\n// " + strings.Repeat("x", 120),
		"a/testdata/b.js": "// " + strings.Repeat("x", 120),
		"a/a.html":        strings.Repeat("x", 121),
	}},
	{"Functions", functionsFit, map[string]string{
		"a/a.go": "package a\n\n// f is long.\nfunc f() {" + strings.Repeat("\n", 60) + "}",
		"b/a.go": "package a\nfunc (t) f() {" + strings.Repeat("\n", 60) + "}",
	}, map[string]string{
		"a/a.go": "package a\nfunc f() {" + strings.Repeat("\n", 59) + "}",
		"a/b.go": "package a\n\n// f is a table. It is long\n// because each case is a line.\nfunc f() {" +
			strings.Repeat("\n", 99) + "}",
		"a/a_test.go": "package a\nfunc f() {" + strings.Repeat("\n", 99) + "}",
	}},
	{"Files", filesFit, map[string]string{
		"testkit/examples/a/main.go": "package main" + strings.Repeat("\n", 81),
		"runtime/a.go":               "package runtime" + strings.Repeat("\n", maxRoot+1),
	}, map[string]string{
		"testkit/examples/a/main.go":      "package main" + strings.Repeat("\n", 80),
		"testkit/examples/a/main_test.go": "package main" + strings.Repeat("\n", 99),
		"runtime/a.go":                    "package runtime" + strings.Repeat("\n", maxRoot),
		"runtime/a_test.go":               "package runtime" + strings.Repeat("\n", 9000),
		"runtime/b/a.go":                  "package b" + strings.Repeat("\n", 9000),
	}},
	{"OwnPlaces", noOwnPlaces, map[string]string{
		"a.txt":         "see /" + "work/main\n",
		"b.go":          "package b\n// \"/" + "home/somebody/x\"",
		"c.md":          "(/" + "Users/me.too/x)",
		"testdata/d.go": "../" + "shared/x",
	}, map[string]string{
		"a.txt": "/home/hana/x, https://example.org/" + "work/x, net/" + "work/, a/" + "root/b, the/ work/ flow",
		"b.md":  "/tmp/kehai /home/",
	}},
}

func table(name string) string {
	return "import \"" + module + "/actors\"\nvar t = actors.NewTable[int](\"" + name + "\")"
}

func imports(pkg string, paths ...string) string {
	var b strings.Builder
	b.WriteString("package " + pkg + "\n")
	for _, p := range paths {
		b.WriteString("import \"" + p + "\"\n")
	}
	return b.String()
}

func TestRepository(t *testing.T) {
	repository, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(repository.gos) < 50 {
		t.Fatalf("readTree() = %d Go files, want the whole repository", len(repository.gos))
	}
	for _, finding := range repository.bad {
		t.Error(finding)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, finding := range r.check(repository) {
				t.Error(finding)
			}
		})
	}
	t.Run("Names", func(t *testing.T) {
		for _, finding := range namesExist(repository) {
			t.Error(finding)
		}
	})
	t.Run("TopLevel", func(t *testing.T) {
		for _, finding := range topLevelExact(repository) {
			t.Error(finding)
		}
	})
}

// A rule that finds nothing anywhere guards nothing.
func TestRulesFind(t *testing.T) {
	for _, r := range rules {
		for p, text := range r.broken {
			broken := newTree(map[string]string{p: text})
			if found := r.check(broken); len(found) != 1 || len(broken.bad) != 0 {
				t.Errorf("%s(%s) = %q, %q, want one finding in\n%s", r.name, p, found, broken.bad, text)
			}
		}
		fine := newTree(r.fine)
		if found := r.check(fine); len(found) != 0 || len(fine.bad) != 0 {
			t.Errorf("%s(fine) = %q, %q, want nothing found", r.name, found, fine.bad)
		}
	}
}

func TestNamesExistFinds(t *testing.T) {
	if found := namesExist(newTree(nil)); !slices.ContainsFunc(found, func(f string) bool {
		return strings.HasPrefix(f, "runtime/engine: ")
	}) {
		t.Errorf("namesExist(nothing) = %q, want each name found", found)
	}
}

func TestTopLevelFinds(t *testing.T) {
	files := map[string]string{"util/a.txt": ""}
	for _, name := range topLevel[1:] {
		files[name] = ""
	}
	found := topLevelExact(newTree(files))
	want := []string{"LICENSE: missing", "util: does not belong"}
	for i, w := range want {
		if len(found) != len(want) || !strings.HasPrefix(found[i], w) {
			t.Fatalf("topLevelExact() = %q, want %q", found, want)
		}
	}
	two := newTree(map[string]string{"a/a.go": "// Package a\n// one.\npackage a",
		"a/b.go": "// Package a\n// two.\npackage a"})
	if found := onePackageComment(two); len(found) != 1 || !strings.Contains(found[0], "a.go and b.go") {
		t.Errorf("onePackageComment(two) = %q, want one finding that names both", found)
	}
	if torn := newTree(map[string]string{"a.go": "package"}); len(torn.bad) != 1 {
		t.Errorf("newTree(torn file).bad = %q, want one finding", torn.bad)
	}
}
