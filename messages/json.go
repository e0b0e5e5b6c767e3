package messages

import (
	"encoding/json"
	"sync"
)

// EncodeJSON is json.Marshal with a prefix before the value, without another copy.
func EncodeJSON(before string, v any) ([]byte, error) { return encodeJSON(v, before, "", "", "") }

func encodeJSON(v any, before1, before2, behind1, behind2 string) ([]byte, error) {
	w := writers.Get().(*jsonWriter)
	w.before, w.behind = [...]string{before1, before2}, [...]string{behind1, behind2}
	if err := w.Encode(v); err != nil {
		return nil, err
	}
	whole := w.whole
	w.whole = nil
	writers.Put(w)
	return whole, nil
}

var writers = sync.Pool{New: func() any {
	w := new(jsonWriter)
	w.Encoder = json.NewEncoder(w)
	return w
}}

// jsonWriter receives what its encoder writes of one value.
type jsonWriter struct {
	*json.Encoder
	before, behind [2]string
	whole          []byte
}

// Write receives the whole value at once, followed by a line feed.
func (w *jsonWriter) Write(p []byte) (int, error) {
	value := p[:len(p)-1]
	size := len(value)
	for i := range w.before {
		size += len(w.before[i]) + len(w.behind[i])
	}
	w.whole = append(append(make([]byte, 0, size), w.before[0]...), w.before[1]...)
	w.whole = append(append(append(w.whole, value...), w.behind[0]...), w.behind[1]...)
	return len(p), nil
}
