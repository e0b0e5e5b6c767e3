package messages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"hash/fnv"
	"image"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Golden files hold each type's sealed form, "name.vN.json". They are rewritten
// with
//
//	go test ./messages -run Golden -update
//
// A new field may be added to a type; the file then changes. Where the change
// renames a field, removes one or gives one another meaning, and the type is
// durable, raise its version, add an Upcast and keep the file of the old
// version: stores out there hold it.
var update = flag.Bool("update", false, "rewrite the golden files")

const goldenDir = "testdata/golden"

func goldenPath(t messages.Type) string { return filepath.Join(goldenDir, t.String()+".json") }

func core(t testing.TB) *messages.Codec {
	t.Helper()
	c, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatalf("NewCodec(events.Core()) = %v, want none", err)
	}
	return c
}

func TestGoldenFormOfEachType(t *testing.T) {
	codec := core(t)
	for _, e := range events.Core() {
		want := filled(t, reflect.TypeOf(e.Zero()))
		sealed, err := codec.Encode(want)
		if err != nil {
			t.Errorf("Encode(%s) = %v", e.Type, err)
			continue
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, append(sealed, '\n'), "", "  "); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(goldenPath(e.Type), pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(goldenPath(e.Type))
		if err != nil {
			t.Errorf("%s has no golden file: %v; make it with -update", e.Type, err)
			continue
		}
		if !bytes.Equal(pretty.Bytes(), golden) {
			t.Errorf("Encode(%s) =\n%s\nwant as in %s:\n%s", e.Type, pretty.Bytes(), goldenPath(e.Type), golden)
		}
		got, err := codec.Decode(golden)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Decode(%s) = %+v, %v, want %+v", goldenPath(e.Type), got, err, want)
		}
	}
}

// A golden file of an older version must load too, as long as Kehai can meet
// a store that holds it.
func TestGoldenFilesAllLoad(t *testing.T) {
	codec := core(t)
	for name, raw := range goldenFiles(t) {
		if m, err := codec.Decode(raw); err != nil {
			t.Errorf("Decode(%s) = %v, %v; a type that was ever stored must stay readable", name, m, err)
		}
	}
}

func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(goldenDir, "*.json"))
	if err != nil || len(paths) < len(events.Core()) {
		t.Fatalf("%s has %d golden files, %v, want at least %d", goldenDir, len(paths), err, len(events.Core()))
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if files[p], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// filled makes a message of a type without a zero field. A field's value comes
// from its path alone, so that a new field changes no other.
func filled(t testing.TB, typ reflect.Type) messages.Message {
	t.Helper()
	v := reflect.New(typ).Elem()
	fill(t, v, typ.Name())
	return v.Interface().(messages.Message)
}

func fill(t testing.TB, v reflect.Value, path string) {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(path))
	sum := h.Sum64()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 2, 3, 4, 5, 6, int(sum%1e9), time.UTC)))
		return
	case *image.RGBA:
		img := image.NewRGBA(image.Rect(0, 0, 2, 1))
		copy(img.Pix, []byte{1, 2, 3, 4, 5, 6, 7, 8})
		v.Set(reflect.ValueOf(img))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				t.Fatalf("%s.%s is not exported: it would be lost in the stored form", path, f.Name)
			}
			if f.Tag.Get("json") == "-" {
				continue // in memory alone
			}
			fill(t, v.Field(i), path+"."+f.Name)
			if v.Field(i).IsZero() && (f.Type.Kind() != reflect.Struct || f.Type.NumField() > 0) {
				t.Fatalf("%s.%s was left zero by the test", path, f.Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), path+"[0]")
		fill(t, v.Index(1), path+"[1]")
	case reflect.String:
		v.SetString("「" + path + "」")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(sum%100) + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(sum>>(64-v.Type().Bits()) | 1) // large: JSON numbers must not lose bits
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(sum%1000)/1000 + 0.5)
	default:
		t.Fatalf("%s is a %s: teach this test to fill it", path, v.Type())
	}
}

// A durable type of ours that has a field for a conversation is about it.
func TestCoreSubjects(t *testing.T) {
	codec := core(t)
	for _, e := range events.Core() {
		m := filled(t, reflect.TypeOf(e.Zero()))
		field := reflect.ValueOf(m).FieldByName("Conversation")
		if !e.Durable || !field.IsValid() {
			continue
		}
		raw, err := codec.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := codec.Subject(raw); string(got) != field.String() || err != nil {
			t.Errorf("Subject(%s) = %q, %v, want its conversation %q", e.Type, got, err, field)
		}
	}
}

// Names are lower-case words, and a type says the same as its row.
func TestCoreNames(t *testing.T) {
	for _, e := range events.Core() {
		if strings.Trim(e.Type.Name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("Core() has the name %q, want lower-case words joined by _", e.Type.Name)
		}
		if got := e.Zero().MessageType(); got != e.Type {
			t.Errorf("%T says %s, want %s", e.Zero(), got, e.Type)
		}
	}
}

// A form that decodes must encode, and come out the same again.
func FuzzDecode(f *testing.F) {
	codec := core(f)
	for _, raw := range goldenFiles(f) {
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
	}
	f.Add([]byte(`{"type":"heard","v":1,"body":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := codec.Decode(raw)
		if err != nil {
			if !errors.Is(err, messages.ErrBadBody) && !errors.Is(err, messages.ErrUnknownType) {
				t.Errorf("Decode(%q) = %v, want %v or %v", raw, err, messages.ErrBadBody, messages.ErrUnknownType)
			}
			return
		}
		sealed, err := codec.Encode(m)
		if err != nil {
			t.Fatalf("Encode(Decode(%q)) = %v", raw, err)
		}
		again, err := codec.Decode(sealed)
		if err != nil {
			t.Fatalf("Decode(%s) = %v", sealed, err)
		}
		twice, err := codec.Encode(again)
		if err != nil || string(twice) != string(sealed) {
			t.Errorf("Encode(Decode(%s)) = %s, %v, want the same", sealed, twice, err)
		}
	})
}
