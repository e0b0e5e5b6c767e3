package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/runtime/config/settings"
)

// commented are the packages whose structs are sections of a configuration.
var commented = []string{
	"actors/burst", "actors/conversation",
	"actors/conversation/reply", "actors/judge", "actors/dedup/ledger", "actors/dedup/recent",
	"actors/attention", "actors/attention/landmarks", "actors/attention/notify", "actors/directory",
	"actors/fusion", "actors/growth", "actors/ingress", "actors/insight", "actors/llm", "actors/ocr", "actors/outbound",
	"actors/catchup", "actors/poller", "actors/memory", "actors/recall", "actors/stall",
	"actors/text", "runtime/config",
}

// TestReferenceGolden checks that reference.yaml has the comment of each field as it stands
// beside the field, and its default; go generate rewrites the file.
func TestReferenceGolden(t *testing.T) {
	found := map[string]string{}
	for _, dir := range commented {
		paths, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no Go files in %s: %v", dir, err)
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil,
				parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			collect(file, found)
		}
	}
	c := exampleDefault()
	c.Replies.Conversations, c.People = []Conversation{conversation.DefaultParticular()}, []Person{{}}
	var b strings.Builder
	document(t, &b, c.tree().Field, "", found)
	const path = "reference.yaml"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the structs say (%v): run go generate ./runtime/config", path, err)
	}
}

// document writes the fields below one, each with its comment.
func document(t *testing.T, b *strings.Builder, f settings.Field, indent string, found map[string]string) {
	t.Helper()
	for i, child := range f.Below() {
		if indent == "" && i > 0 {
			b.WriteString("\n")
		}
		if f.IsList() {
			b.WriteString(indent + "-\n")
			document(t, b, child, indent+"  ", found)
			continue
		}
		said := found[declared(f.Type(), child.Name())]
		if said == "" {
			t.Errorf("%s has no comment: say above it what it means, its unit, range and default", child.Key)
		}
		for line := range strings.SplitSeq(said, "\n") {
			b.WriteString(indent + "# " + line + "\n")
		}
		if b.WriteString(indent + child.Name() + ":"); child.IsSection() || child.IsList() {
			b.WriteString("\n")
			document(t, b, child, indent+"  ", found)
			continue
		}
		b.WriteString(" " + child.YAML() + "\n")
	}
}

// declared is the Go name of the field that a key sets, in a struct or one that is
// embedded there: "burst.Rules.Quiet".
func declared(t reflect.Type, key string) string {
	for i := range t.NumField() {
		switch f := t.Field(i); f.Tag.Get("yaml") {
		case key:
			return t.String() + "." + f.Name
		case ",inline":
			if name := declared(f.Type, key); name != "" {
				return name
			}
		}
	}
	return ""
}

// collect notes the comments of all fields that have a key.
func collect(file *ast.File, found map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		typ, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := typ.Type.(*ast.StructType)
		if !ok {
			return false
		}
		for _, f := range s.Fields.List {
			if f.Tag == nil || !strings.Contains(f.Tag.Value, `yaml:"`) || len(f.Names) != 1 || f.Doc == nil {
				continue
			}
			name := file.Name.Name + "." + typ.Name.Name + "." + f.Names[0].Name
			found[name] = strings.TrimSpace(f.Doc.Text())
		}
		return false
	})
}
