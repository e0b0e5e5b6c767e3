package vector

import (
	"encoding/binary"
	"errors"
	"math"
)

// Vector is a direction, rounded to a byte for each dimension. The zero value is none.
type Vector struct {
	codes []int8
	scale float32   // of the codes, so that its length is 1
	exact []float32 // what [Of] was given, of length 1; nil of a stored vector
}

// MaxLength is the most dimensions of a vector.
const MaxLength = 1 << 14

// Errors of [Of] and [Parse].
var (
	ErrValues = errors.New("vector: want 1 to 16384 finite numbers that are not all 0")
	ErrBytes  = errors.New("vector: these bytes are no vector")
)

// Of makes a vector from a model's answer; only its direction counts.
func Of(values []float32) (Vector, error) {
	if len(values) == 0 || len(values) > MaxLength {
		return Vector{}, ErrValues
	}
	most := 0.0
	for _, x := range values {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return Vector{}, ErrValues
		}
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return Vector{}, ErrValues
	}
	v := Vector{codes: make([]int8, len(values))}
	for i, x := range values {
		v.codes[i] = int8(math.Round(float64(x) / most * math.MaxInt8))
	}
	v.scale = unit(v.codes)
	v.exact = scaled(values, most)
	return v, nil
}

// scaled is values at length 1; most, the largest of them, keeps their squares finite.
func scaled(values []float32, most float64) []float32 {
	sum := 0.0
	for _, x := range values {
		sum += float64(x) / most * float64(x) / most
	}
	list := make([]float32, len(values))
	for i, x := range values {
		list[i] = float32(float64(x) / most / math.Sqrt(sum))
	}
	return list
}

// unit is what codes are multiplied by to have length 1; 0 if all of them are 0.
func unit(codes []int8) float32 {
	sum := int64(0)
	for _, c := range codes {
		sum += int64(c) * int64(c)
	}
	if sum == 0 {
		return 0
	}
	return float32(1 / math.Sqrt(float64(sum)))
}

// Len is how many dimensions it has.
func (v Vector) Len() int { return len(v.codes) }

// format is the first byte of a stored vector.
const format = 1

// Bytes are its stored form: a byte for the form, the length as a varint, a byte for each
// dimension.
func (v Vector) Bytes() []byte {
	b := binary.AppendUvarint([]byte{format}, uint64(len(v.codes)))
	for _, c := range v.codes {
		b = append(b, byte(c))
	}
	return b
}

// Parse reads a stored vector.
func Parse(b []byte) (Vector, error) {
	if len(b) == 0 || b[0] != format {
		return Vector{}, ErrBytes
	}
	n, size := binary.Uvarint(b[1:])
	if size <= 0 || n == 0 || n > MaxLength || uint64(len(b)-1-size) != n {
		return Vector{}, ErrBytes
	}
	v := Vector{codes: make([]int8, n)}
	for i, c := range b[1+size:] {
		v.codes[i] = int8(c)
	}
	if v.scale = unit(v.codes); v.scale == 0 {
		return Vector{}, ErrBytes
	}
	return v, nil
}

// Cosine is how alike two vectors of one length are, -1 to 1. Where w comes from [Of], only v is rounded.
func (v Vector) Cosine(w Vector) float64 {
	if w.exact != nil {
		return float64(dot(v.codes, w.exact)) * float64(v.scale)
	}
	sum := int64(0)
	for i, c := range v.codes {
		sum += int64(c) * int64(w.codes[i])
	}
	return float64(sum) * float64(v.scale) * float64(w.scale)
}

// dot adds in four sums, so that the processor need not wait for one.
func dot(codes []int8, to []float32) float32 {
	to = to[:len(codes)]
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(codes); i += 4 {
		a += float32(codes[i]) * to[i]
		b += float32(codes[i+1]) * to[i+1]
		c += float32(codes[i+2]) * to[i+2]
		d += float32(codes[i+3]) * to[i+3]
	}
	for ; i < len(codes); i++ {
		a += float32(codes[i]) * to[i]
	}
	return a + b + c + d
}

// words is how many words the signs of n dimensions take.
func words(n int) int { return (n + 63) / 64 }

// signs writes the signs of codes as bits.
func signs(bits []uint64, codes []int8) {
	for i, c := range codes {
		if c >= 0 {
			bits[i/64] |= 1 << (i % 64)
		}
	}
}
