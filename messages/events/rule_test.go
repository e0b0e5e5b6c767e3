package events_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages/events"
)

// TestRulesAreSpelledOneWay reads the source: what is stored has one spelling.
func TestRulesAreSpelledOneWay(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	form, found := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`), 0
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for n, value := range v.Values {
				lit, ok := value.(*ast.BasicLit)
				if !ok || !strings.HasPrefix(v.Names[n].Name, "Rule") {
					continue
				}
				found++
				if name, err := strconv.Unquote(lit.Value); err != nil || !form.MatchString(name) {
					t.Errorf("%s is %s, want words in lower case with underscores", v.Names[n].Name, lit.Value)
				}
			}
		}
	}
	if found < 70 {
		t.Errorf("rule.go has %d rules, want 70 at least", found)
	}
}

// TestRulesOfOlderStoresAreRead: three had spaces, and a host's may have them.
func TestRulesOfOlderStoresAreRead(t *testing.T) {
	for stored, want := range map[string]events.Rule{
		"no news": events.RuleNoNews, "new text": events.RuleNewText, "line memory": events.RuleLineMemory,
		"no_news": events.RuleNoNews, "gap": events.RuleGap, "not my business": "not my business",
	} {
		var d events.Detail
		if err := json.Unmarshal([]byte(`{"rule":"`+stored+`"}`), &d); err != nil || d.Rule != want {
			t.Errorf("a stored rule %q reads as %q, %v, want %q", stored, d.Rule, err, want)
		}
	}
}
