package lenient_test

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/text/lenient"
)

func TestLast(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":1}`, `1`},
		{"<think>{\"a\":1}</think> ```json\n{\"a\":2}\n```", `2`},
		{`{"b":{"a":3}}`, `3`},
		{`{"a":"} {\"a\":4"} {"c":1}`, `"} {\"a\":4"`},
		{`{ hmm {"a":5}`, `5`},
		{`{"a":NaN}`, `""`},
		{`{"a":-Infinity,"b":"NaN"}`, `""`},
		{`{"a":"NaN \" Infinity"}`, `"NaN \" Infinity"`},
		{strings.Repeat("x", 9000) + `{"a":6}`, `6`},
		{`{"a":7}` + strings.Repeat("x", 9000), ``},
		{strings.Repeat(`{"a":`, 5000), ``},
		{`{"b":1}`, ``}, {`{"a":1`, ``}, {``, ``}, {`[1]`, ``},
	} {
		if got := string(lenient.Last(c.in, "a")["a"]); got != c.want {
			t.Errorf("Last(%.60q) has a = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestReplaceNaN(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":NaN,"b":-Infinity,"c":[Infinity]}`: `{"a":null,"b":null     ,"c":[null    ]}`,
		`{"NaN":"NaN \" NaN","x":NaN}`:           `{"NaN":"NaN \" NaN","x":null}`,
		`{"a":1}`:                                `{"a":1}`,
		`"NaN\`:                                  `"NaN\`,
		``:                                       ``,
	} {
		if got := string(lenient.ReplaceNaN([]byte(in), "null")); got != want {
			t.Errorf("ReplaceNaN(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a\n\tb\x00 c": "a b c", "あいうえおか": "あいうえ…", "": ""} {
		if got := lenient.OneLine(in, 5); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzLast(f *testing.F) {
	f.Add(`{"a":NaN}{"a":{"a":"\"}`)
	f.Fuzz(func(t *testing.T, s string) {
		if got := lenient.Last(s, "a"); got != nil && got["a"] == nil {
			t.Fatalf("Last(%q) = %v, without the field", s, got)
		}
	})
}
