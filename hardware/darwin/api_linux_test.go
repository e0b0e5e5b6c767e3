//go:build linux && (amd64 || arm64)

package darwin

import (
	"reflect"
	"testing"

	"github.com/ebitengine/purego"
)

// TestSignatures sends every declared call through the calling convention and
// back: only use shows that a declaration can be bound and loses no argument. The
// comment beside a declaration must show that it is the framework's own.
func TestSignatures(t *testing.T) {
	a := &api{}
	for _, f := range a.frameworks() {
		for _, s := range f.symbols {
			t.Run(s.name, func(t *testing.T) { roundTrip(t, reflect.ValueOf(s.to).Elem().Type()) })
		}
	}
}

func roundTrip(t *testing.T, declared reflect.Type) {
	var args []reflect.Value
	var kinds []reflect.Type
	for i := range declared.NumIn() {
		kinds = append(kinds, declared.In(i))
		args = append(args, sample(t, declared.In(i), i))
	}
	// A callback cannot answer a float, so that answer is left out.
	var results []reflect.Type
	var answer []reflect.Value
	if declared.NumOut() == 1 && declared.Out(0).Kind() != reflect.Float64 {
		results = append(results, declared.Out(0))
		answer = append(answer, sample(t, declared.Out(0), 9))
	}
	var got []any
	callback := purego.NewCallback(reflect.MakeFunc(reflect.FuncOf(kinds, results, false),
		func(in []reflect.Value) []reflect.Value {
			for _, v := range in {
				got = append(got, v.Interface())
			}
			return answer
		}).Interface())
	call := reflect.New(declared)
	purego.RegisterFunc(call.Interface(), callback)
	out := call.Elem().Call(args)
	for i, want := range args {
		if i >= len(got) || got[i] != want.Interface() {
			t.Errorf("argument %d of %v = %v, want %v", i, declared, got, want)
		}
	}
	if len(answer) == 1 && out[0].Interface() != answer[0].Interface() {
		t.Errorf("%v = %v, want %v", declared, out[0], answer[0])
	}
}

// sample is a value of a type that differs from those at other places.
func sample(t *testing.T, kind reflect.Type, place int) reflect.Value {
	v := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uintptr, reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(1000 + place))
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(-1000 - place))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(place) + 0.5)
	case reflect.Struct:
		for i := range v.NumField() {
			v.Field(i).SetFloat(float64(place*10+i) + 0.25)
		}
	case reflect.Pointer:
		v.Set(reflect.New(kind.Elem()))
	default:
		t.Fatalf("no sample of %v", kind)
	}
	return v
}
