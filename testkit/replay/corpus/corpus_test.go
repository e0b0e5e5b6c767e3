package corpus

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
)

func written(t *testing.T, s script.Script) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatalf("Write() = %v, want nil", err)
	}
	return b.String()
}

func friends(s script.Script) (n int) {
	for _, e := range s.Events {
		if e.Do == "" && e.Who == drawn.Friend {
			n++
		}
	}
	return n
}

func TestCases(t *testing.T) {
	cases := Cases(2000, 1)
	again := Cases(2000, 1)
	names, verbs, total := map[string]bool{}, map[script.Verb]bool{}, 0
	for i, c := range cases {
		text := written(t, c.Script)
		if written(t, again[i].Script) != text || again[i].Scale != c.Scale || again[i].Theme != c.Theme {
			t.Errorf("Cases() made another case %s the second time, want the same", c.Name)
		}
		s, err := script.Parse(strings.NewReader(text))
		if err != nil {
			t.Errorf("Parse(case %s) = %v, want a script", c.Name, err)
		} else if !slices.EqualFunc(s.Events, c.Script.Events, same) {
			t.Errorf("Parse(case %s) gave other events", c.Name)
		}
		names[c.Name] = true
		total += friends(c.Script)
		for _, e := range c.Script.Events {
			verbs[e.Do] = true
		}
	}
	if len(names) != len(cases) || len(cases) < 30 || total < 2000 {
		t.Errorf("Cases(2000) = %d cases, %d names, %d messages of friends, "+
			"want 2000 in 30 or more with names of their own", len(cases), len(names), total)
	}
	for _, v := range []script.Verb{
		"", script.Scroll, script.Rerender, script.Resize, script.Hide, script.Show, script.Cover,
		script.Uncover, script.Switch,
		script.Unsend, script.Edit, script.Type, script.Send, script.Restart, script.Crash, script.ResetBaseline,
	} {
		if !verbs[v] {
			t.Errorf("no case has the verb %q", v)
		}
	}
	if other := Cases(2000, 2); written(t, other[0].Script) == written(t, cases[0].Script) {
		t.Error("Cases() of two seeds is the same")
	}
}

func TestGenerateKeepsToItsTopic(t *testing.T) {
	for topic, verb := range map[string]script.Verb{
		"crashes": script.Crash, "restarts": script.Restart, "scrolling": script.Scroll,
		"conversations": script.Switch, "sizes": script.Resize,
	} {
		c, said := Generate(topic, 60, 3)
		if got := friends(c.Script); got != said || said < 60 {
			t.Errorf("Generate(%s) = %d messages of friends and says %d, want 60 or more", topic, got, said)
		}
		n := bytes.Count([]byte(written(t, c.Script)), []byte(`"do":"`+verb+`"`))
		if n < 5 {
			t.Errorf("Generate(%s) has %d times %s, want 5 or more", topic, n, verb)
		}
	}
}

func TestShrink(t *testing.T) {
	s, err := script.Parse(strings.NewReader(`{"at_ms":0,"who":"friend","text":"a","conversation":"Hana"}
{"at_ms":1,"who":"me","text":"b"}
{"at_ms":2,"do":"rerender"}
{"at_ms":3,"who":"friend","text":"c"}
{"at_ms":4,"who":"friend","text":"d","conversation":"Ren"}
{"at_ms":5,"do":"edit","index":2,"text":"e"}
{"at_ms":6,"do":"unsend","index":0}
`))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	got := Shrink(s, func(s script.Script) bool {
		calls++
		return slices.ContainsFunc(s.Events, func(e script.Event) bool { return e.Do == script.Edit })
	})
	want := `{"at_ms":3,"who":"friend","text":"c","conversation":"Hana"}
{"at_ms":5,"do":"edit","index":0,"text":"e"}
`
	if text := written(t, got); text != want {
		t.Errorf("Shrink() = %s, want %s", text, want)
	}
	if calls > 40 {
		t.Errorf("Shrink() tried %d scripts, want at most 40 of 7 events", calls)
	}
}
