package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/kehai-run/kehai/runtime/describe"
)

// steering is what people write that must not reach a terminal.
var steering = []string{
	"a\x1b[2Jb\tc\x9b", "a\u009b31mb\u007f",
	"\u202egnp.exe\u2066", "a\u200bb\ufeffc\u00ad", "a\u2028b\u2029c",
	"hidden\U000e0041", "a\u3164b\u115fc\uffa0", "👩\u200d👩\u200d👧 ❤️\u200d🔥",
	"a\u200db", "\xff\xfe", "\x1b]0;owned\x07",
	"e\u0301 はな ｶﾅ", "one\ntwo\r\n", `"\u202e"`,
}

func FuzzClean(f *testing.F) {
	for _, s := range steering {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := clean(in)
		if !utf8.ValidString(got) || strings.ContainsRune(got, '\n') {
			t.Errorf("clean(%q) = %q, want one line of UTF-8", in, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) = %q, and clean of that %q", in, got, again)
		}
		for g := uniseg.NewGraphemes(got); g.Next(); {
			for i, r := range g.Runes() {
				if describe.Steers(r) && (r != '\u200d' || i == 0) {
					t.Errorf("clean(%q) = %q, which has %U", in, got, r)
				}
			}
		}
		var b bytes.Buffer
		tb := table{}
		tb.row(in, "x")
		tb.row("y", in)
		if err := tb.write(&b); err != nil || strings.Count(b.String(), "\n") != 2 {
			t.Errorf("a table with %q is %q, %v, want two lines", in, b.String(), err)
		}
	})
}

// What --json writes steers no terminal, and says the same.
func FuzzJSON(f *testing.F) {
	for _, s := range steering {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, html := range []bool{true, false} {
			var b bytes.Buffer
			out := terminal{Writer: &b}.json()
			out.SetEscapeHTML(html)
			if err := out.Encode(map[string]string{"text": in, in: "key"}); err != nil {
				t.Fatalf("%q is not written: %v", in, err)
			}
			if i := strings.IndexFunc(strings.TrimSuffix(b.String(), "\n"), describe.Steers); i >= 0 {
				t.Errorf("%q is written as %q, which a terminal obeys", in, b.String())
			}
			var got, want map[string]string
			plain, err := json.Marshal(map[string]string{"text": in, in: "key"})
			if err != nil || json.Unmarshal(plain, &want) != nil {
				t.Fatalf("%q is no JSON: %v", in, err)
			}
			if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got) != len(want) ||
				got["text"] != want["text"] {
				t.Errorf("%q is written as %q, which is %q, %v, want %q", in, b.String(), got, err, want)
			}
		}
	})
}

// rawWriters may write to the terminal as it is, with the reason.
var rawWriters = map[string]string{
	"terminal.go":   "is what cleans",
	"privacy.go":    "passes on its input to a program; a person's terminal gets it cleaned",
	"focus_feed.go": "prints a program that is a constant",
	"config.go":     "prints the person's own configuration as YAML, which escapes",
	"layout.go":     "prints numbers that it has found",
}

// Verbs write through printf, lines, table and json, which clean.
func TestNothingWritesPastTheTerminal(t *testing.T) {
	own := func(e ast.Expr) bool { // v.stdout, v.stderr
		s, ok := e.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "stdout" || s.Sel.Name == "stderr")
	}
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v, want some", len(names), err)
	}
	for _, name := range names {
		if rawWriters[name] != "" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, _ := fun.X.(*ast.Ident)
			raw := pkg != nil && (pkg.Name == "fmt" && strings.HasPrefix(fun.Sel.Name, "Fprint") ||
				pkg.Name == "io" && fun.Sel.Name == "WriteString" || pkg.Name == "json" && fun.Sel.Name == "NewEncoder")
			if raw && own(call.Args[0]) || fun.Sel.Name == "Write" && own(fun.X) {
				t.Errorf("%s writes to the terminal as it is: use printf, lines, table or json of the terminal",
					set.Position(n.Pos()))
			}
			return true
		})
	}
}
