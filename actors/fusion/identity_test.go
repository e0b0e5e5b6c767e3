package fusion

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		title      messages.Text
		confidence float64
		want       string
	}{
		{"Hana", 0.9, "Hana"},
		{"  花子　 さん\n", 0.9, "花子 さん"},
		{"家族 (5)", 0.9, "家族"},
		{"家族（１２）", 0.9, "家族"},
		{"(5)", 0.9, "(5)"},
		{"Ha\x00na\u200b\xff", 0.9, "Hana"},
		{"", 0.9, ""},
		{" \t", 0.9, ""},
		{"Hana", 0.2, ""},
		{"Hana", 0, "Hana"},
		{messages.Text(strings.Repeat("長", 100)), 0.9, strings.Repeat("長", 64)},
	} {
		if got := standard.Name(messages.Line{Text: c.title, Confidence: c.confidence}); got != c.want {
			t.Errorf("Name(%q, %v) = %q, want %q", string(c.title), c.confidence, got, c.want)
		}
	}
}

func TestIdentify(t *testing.T) {
	known := []string{"Hana", "田中一郎", "開発チームの連絡用", "Support Desk East", "Support Desk Eazt", "Order 1234567890"}
	for _, c := range []struct {
		name, current string
		continued     bool
		want          string
		ok            bool
	}{
		{"Hana", "", false, "Hana", true},
		{"ＨＡＮＡ", "", false, "Hana", true},
		{"Ken", "Hana", true, "Ken", true},
		{"田中二郎", "", false, "田中二郎", true},           // another person
		{"田中ー郎", "Hana", true, "田中ー郎", true},        // misread, but nothing says so
		{"田中ー郎", "田中一郎", true, "田中一郎", true},        // misread over the same bubbles
		{"田中ー郎", "田中一郎", false, "田中ー郎", true},       // over others
		{"開発チームの連結用", "", false, "開発チームの連結用", true}, // not alike enough alone
		{"Support Desk East", "", false, "Support Desk East", true},
		{"Order 1234567891", "Order 1234567890", true, "Order 1234567891", true}, // digits count
	} {
		got, ok := Identify(c.name, known, c.current, c.continued)
		if got != c.want || ok != c.ok {
			t.Errorf("Identify(%q, current %q, continued %v) = %q, %v, want %q, %v", c.name, c.current, c.continued,
				got, ok, c.want, c.ok)
		}
	}
	long := []string{"Neighbourhood Watch of Elm Street A", "Neighbourhood Watch of Elm Street B"}
	if got, ok := Identify("Neighbourhood Watch of Elm Street", long, "", false); ok {
		t.Errorf("Identify between two alike = %q, want none", got)
	}
	if got, ok := Identify("Neighbourhood Watch of Elm Street", long[:1], "", false); !ok || got != long[0] {
		t.Errorf("Identify of one alike = %q, %v, want %q", got, ok, long[0])
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		signals []Signal
		want    int
	}{
		{nil, 0}, {[]Signal{TextChanged}, 62}, {[]Signal{TextUnchanged}, 35},
		{[]Signal{TextChanged, TextUnchanged, RowsShrank}, 100},
	} {
		if got := standard.Score(c.signals...); got != c.want {
			t.Errorf("Score(%v) = %d, want %d", c.signals, got, c.want)
		}
	}
}

// FuzzName: a name can be the key of an address and of a row.
func FuzzName(f *testing.F) {
	f.Add("Hana (3)")
	f.Add("\x00\xff　")
	f.Fuzz(func(t *testing.T, title string) {
		name := standard.Name(messages.Line{Text: messages.Text(title), Confidence: 1})
		if name == "" {
			return
		}
		if utf8.RuneCountInString(name) > titleLongest {
			t.Errorf("Name(%q) has %d characters", title, utf8.RuneCountInString(name))
		}
		if err := messages.To("dedup", string(Conversation("line", name))).Validate(); err != nil {
			t.Errorf("Name(%q) = %q: %v", title, name, err)
		}
		if again := standard.Name(messages.Line{Text: messages.Text(name), Confidence: 1}); again == "" {
			t.Errorf("Name(%q) = %q, whose name is empty", title, name)
		}
		if found, ok := Identify(name, []string{name}, "", false); !ok || found != name {
			t.Errorf("Identify(%q) among itself = %q, %v", name, found, ok)
		}
	})
}
