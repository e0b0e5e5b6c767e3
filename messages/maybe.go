package messages

import (
	"bytes"
	"encoding/json"
	"math"
)

// Maybe is a measurement that may be missing. The zero value is missing. In
// JSON a missing one is null, and so is a number that is not finite; a field
// that is left out is missing too.
type Maybe[T any] struct {
	Value T // the zero value when it is missing
	Known bool
}

// Just is a measurement that was made.
func Just[T any](v T) Maybe[T] { return Maybe[T]{Value: v, Known: true} }

// MarshalJSON implements [json.Marshaler].
func (m Maybe[T]) MarshalJSON() ([]byte, error) {
	if f, ok := any(m.Value).(float64); !m.Known || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return []byte("null"), nil
	}
	return json.Marshal(m.Value)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Maybe[T]) UnmarshalJSON(data []byte) error {
	*m = Maybe[T]{}
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(data, &m.Value); err != nil {
		return err
	}
	m.Known = true
	return nil
}
