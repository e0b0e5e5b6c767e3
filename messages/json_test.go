package messages

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestEncodeJSON(t *testing.T) {
	for _, v := range []any{nil, 1, "<は&>\n\u2028", []int{}, map[string]int{"b": 1, "a": 2}, note{Words: "x"},
		strings.Repeat("x", 1<<20), json.RawMessage(" [1, 2] ")} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EncodeJSON("2 ", v)
		if string(got) != "2 "+string(want) || err != nil {
			t.Errorf("EncodeJSON(%T) = %.40s, %v, want what Marshal makes: %.40s", v, got, err, want)
		}
		if _, err := EncodeJSON("2 ", math.NaN()); err == nil {
			t.Error("EncodeJSON(NaN) = nil, want an error")
		}
	}
}
