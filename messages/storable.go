package messages

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

var (
	marshalsJSON = reflect.TypeFor[json.Marshaler]()
	marshalsText = reflect.TypeFor[encoding.TextMarshaler]()
)

// unstorable says what keeps values of a type from being stored, or would leave them out; "" if
// nothing does. name names the type or field, for people.
func unstorable(t reflect.Type, name string, seen map[reflect.Type]bool) string {
	for _, as := range []reflect.Type{marshalsJSON, marshalsText} {
		if t.Implements(as) || reflect.PointerTo(t).Implements(as) {
			return ""
		}
	}
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return fmt.Sprintf("%s is a %s", name, t.Kind())
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return unstorable(t.Elem(), name, seen)
	case reflect.Struct:
		return unstorableField(t, name, seen)
	}
	return ""
}

func unstorableField(t reflect.Type, name string, seen map[reflect.Type]bool) string {
	hidden := true
	for f := range t.Fields() {
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		hidden = false
		if f.Tag.Get("json") == "-" {
			continue
		}
		if why := unstorable(f.Type, name+"."+f.Name, seen); why != "" {
			return why
		}
	}
	if hidden && t.NumField() > 0 {
		return name + " has no exported field, so nothing of it would be there after a restart"
	}
	return ""
}
