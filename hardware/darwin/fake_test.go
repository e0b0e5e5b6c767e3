package darwin

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// world is a system made of Go values. It fails the test if an object is released
// without being owned, is used after its release, or is still owned at the end.
type world struct {
	t      *testing.T
	api    *api
	next   obj
	things map[obj]any
	owned  map[obj]string
	pools  int

	classes map[string]bool // those that exist beside Foundation's
	methods map[string]func(to obj, args []any) any

	allowed, trusted bool
	windows          []map[string]any // of the window server, front to back
	picture          *cgImage         // what the old call gives; nil: none
	kit              *cgImage         // what ScreenCaptureKit gives; nil: an error
	kitCode          int
	elements         map[int32]obj // accessible applications by pid
	counters         map[uint32]uint32
	elapsed          map[uint32]float64
	events           []string
	onPost           func()
	onSet            func(attribute string) int32 // what setting one answers, instead of doing it; nil does it
	held, selected   bool                         // Cmd is down; the focused field is selected
	asked            []string                     // what the person was asked for
	timeout          float32                      // of the whole process, 0: the system's own
	density          float64                      // of the display that a window is on
}

// class, cgImage, cgContext, axElement, axVal and cgEvent are kinds of things
// beside string, float64, []obj and map[string]obj.
type (
	class   string
	cgImage struct {
		width, height, component, pixel, stride uint
		info                                    uint32
		data                                    []byte
	}
	cgContext struct {
		cgImage
		memory []byte
	}
	axElement struct {
		attributes map[string]any // obj, []obj, string, float64, point, size
		code       int32          // answer of everything; 0: success
	}
	axVal   struct{ v any }
	cgEvent struct {
		what  string
		flags uint64
		text  string
	}
	instance struct {
		class string
		props map[string]any
	}
)

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, next: 1, things: map[obj]any{}, owned: map[obj]string{}, allowed: true, trusted: true,
		classes: map[string]bool{"NSString": true, "NSNumber": true, "NSArray": true, "NSMutableArray": true,
			"NSDictionary": true, "NSError": true},
		methods: map[string]func(obj, []any) any{}, elements: map[int32]obj{},
		counters: map[uint32]uint32{}, elapsed: map[uint32]float64{},
	}
	w.api = &api{}
	w.runtime()
	w.graphics()
	w.accessibility()
	w.input()
	t.Cleanup(func() {
		for _, o := range slices.Sorted(maps.Keys(w.owned)) {
			t.Errorf("%s was never released", w.owned[o])
		}
	})
	return w
}

// put makes a thing that a pool would free.
func (w *world) put(v any) obj {
	w.next++
	w.things[w.next] = v
	return w.next
}

// create makes a thing that the caller must release.
func (w *world) create(v any) obj {
	o := w.put(v)
	w.owned[o] = fmt.Sprintf("%T %d", v, o)
	return o
}

func (w *world) thing(o obj) any {
	w.t.Helper()
	v, ok := w.things[o]
	if !ok {
		w.t.Errorf("object %d is used but does not exist", o)
	}
	return v
}

func (w *world) release(o obj) {
	w.t.Helper()
	if _, ok := w.owned[o]; !ok {
		w.t.Errorf("object %d is released but not owned", o)
	}
	delete(w.owned, o)
	delete(w.things, o)
}

// value turns a Go value into a thing, as a dictionary or an attribute holds it.
func (w *world) value(v any) obj {
	switch v := v.(type) {
	case obj:
		return v
	case int:
		return w.put(float64(v))
	case bool:
		if v {
			return w.put(1.0)
		}
		return w.put(0.0)
	case point, size:
		return w.put(axVal{v})
	case map[string]any:
		out := map[string]obj{}
		for k, inner := range v {
			out[k] = w.value(inner)
		}
		return w.put(out)
	}
	return w.put(v)
}

func (w *world) classOf(o obj) string {
	switch v := w.thing(o).(type) {
	case string:
		return "NSString"
	case float64:
		return "NSNumber"
	case []obj, *[]obj:
		return "NSArray"
	case map[string]obj:
		return "NSDictionary"
	case instance:
		return v.class
	}
	return "other"
}

// runtime fills in the Objective-C part.
func (w *world) runtime() {
	a := w.api
	a.pool = func(f func()) {
		w.pools++
		defer func() { w.pools-- }()
		f()
	}
	classObjects := map[string]obj{}
	a.class = func(name string) obj {
		if !w.classes[name] {
			return 0
		}
		if classObjects[name] == 0 {
			classObjects[name] = w.put(class(name))
		}
		return classObjects[name]
	}
	a.selector = func(string) uintptr { return 1 }
	a.send = func(to obj, s string, args ...any) obj {
		v := w.message(to, s, args)
		if v == nil {
			return 0
		}
		return w.value(v)
	}
	a.sendBool = func(to obj, s string, args ...any) bool {
		if s == "isKindOfClass:" {
			return string(w.thing(args[0].(obj)).(class)) == w.classOf(to)
		}
		v, _ := w.message(to, s, args).(bool)
		return v
	}
	a.sendInt = func(to obj, s string, args ...any) int { v, _ := w.message(to, s, args).(int); return v }
	a.sendDouble = func(to obj, s string, args ...any) float64 { v, _ := w.message(to, s, args).(float64); return v }
	a.sendFloat = func(to obj, s string, args ...any) float32 { v, _ := w.message(to, s, args).(float32); return v }
	a.sendCString = func(to obj, s string, args ...any) string { v, _ := w.message(to, s, args).(string); return v }
	a.sendRect = func(to obj, s string, args ...any) rect { v, _ := w.message(to, s, args).(rect); return v }
	a.block = func(f func(first, second obj)) (obj, func()) {
		b := w.create(f)
		return b, func() { w.release(b) }
	}
	a.cf.release = w.release
	a.cf.typeOf = func(o obj) uint {
		if _, ok := w.thing(o).(axVal); ok {
			return 7
		}
		return 1
	}
}

// message answers one message; methods of the test come first.
func (w *world) message(to obj, s string, args []any) any {
	w.t.Helper()
	if w.pools == 0 {
		w.t.Errorf("%s is sent outside of a pool", s)
	}
	if to == 0 {
		return nil
	}
	if strings.Count(s, ":") != len(args) {
		w.t.Errorf("%s is sent with %d arguments", s, len(args))
	}
	if m := w.methods[s]; m != nil {
		return m(to, args)
	}
	thing := w.thing(to)
	switch s {
	case "alloc":
		return w.create(instance{class: string(thing.(class)), props: map[string]any{}})
	case "init":
		return to
	case "release":
		w.release(to)
		return nil
	case "stringWithUTF8String:":
		return args[0]
	case "array":
		return w.put(&[]obj{})
	case "addObject:":
		list := thing.(*[]obj)
		*list = append(*list, args[0].(obj))
		return nil
	case "dictionary":
		return w.put(map[string]obj{})
	case "numberWithBool:":
		return args[0]
	case "dictionaryWithObject:forKey:":
		return w.put(map[string]obj{w.thing(args[1].(obj)).(string): args[0].(obj)})
	case "UTF8String", "doubleValue":
		return thing
	case "count":
		return len(w.items(to))
	case "objectAtIndex:":
		return w.items(to)[args[0].(int)]
	case "objectForKey:":
		if o, ok := thing.(map[string]obj)[w.thing(args[0].(obj)).(string)]; ok {
			return o
		}
		return nil
	}
	object, ok := thing.(instance)
	if !ok {
		w.t.Errorf("%T does not know %s", thing, s)
		return nil
	}
	if name, ok := strings.CutPrefix(s, "set"); ok && len(args) == 1 {
		object.props[name] = args[0]
		return nil
	}
	return object.props[s]
}

func (w *world) items(o obj) []obj {
	if list, ok := w.thing(o).(*[]obj); ok {
		return *list
	}
	return w.thing(o).([]obj)
}

// graphics fills in windows and pictures.
func (w *world) graphics() {
	a := w.api
	a.window.allowed = func() bool { return w.allowed }
	a.window.display = func() uint32 { return 1 }
	a.window.ask = func() bool {
		w.asked = append(w.asked, ScreenRecording)
		return w.allowed
	}
	a.window.list = func(option, _ uint32) obj {
		list := []obj{}
		for _, entry := range w.windows {
			if option&listOnScreen == 0 || entry[keyOnScreen] == true {
				list = append(list, w.value(entry))
			}
		}
		return w.create(list)
	}
	a.window.picture = func(bounds rect, list, id, image uint32) obj {
		if bounds.X != math.Inf(1) || bounds.Y != math.Inf(1) || bounds.W != 0 || list != listIncluding || id == 0 ||
			image != 9 {
			w.t.Errorf("picture(%v, %d, %d, %d), want the window alone, without shadow", bounds, list, id, image)
		}
		if w.picture == nil {
			return 0
		}
		return w.create(*w.picture)
	}
	of := func(o obj) cgImage { return w.thing(o).(cgImage) }
	a.image.width = func(o obj) uint { return of(o).width }
	a.image.height = func(o obj) uint { return of(o).height }
	a.image.component = func(o obj) uint { return of(o).component }
	a.image.pixel = func(o obj) uint { return of(o).pixel }
	a.image.stride = func(o obj) uint { return of(o).stride }
	a.image.info = func(o obj) uint32 { return of(o).info }
	a.image.space = func(o obj) obj { return o }
	a.image.provider = func(o obj) obj { return o }
	a.image.data = func(o obj) obj {
		if of(o).data == nil {
			return 0
		}
		return w.create(of(o).data)
	}
	a.cf.bytes = func(o obj) *byte { return unsafe.SliceData(w.thing(o).([]byte)) }
	a.cf.length = func(o obj) int { return len(w.thing(o).([]byte)) }
	space := func() obj { return w.create(class("space")) }
	a.bitmap.gray, a.bitmap.rgb = space, space
	a.bitmap.create = func(_ uintptr, width, height, component, stride uint, space obj, info uint32) obj {
		w.thing(space)
		stride += 16 // the system may align rows
		c := cgContext{cgImage: cgImage{width, height, component, stride * 8 / width, stride, info, nil}}
		c.memory = make([]byte, stride*height)
		return w.create(c)
	}
	context := func(o obj) cgContext { return w.thing(o).(cgContext) }
	a.bitmap.bytes = func(o obj) *byte { return &context(o).memory[0] }
	a.bitmap.stride = func(o obj) uint { return context(o).stride }
	a.bitmap.image = func(o obj) obj {
		c := context(o)
		c.data = slices.Clone(c.memory)
		return w.create(c.cgImage)
	}
	a.bitmap.draw = func(o obj, _ rect, picture obj) {
		w.thing(picture)
		for i := range context(o).memory {
			context(o).memory[i] = byte(i%4*10 + 1)
		}
	}
}

// input fills in events.
func (w *world) input() {
	a := w.api
	a.event.counter = func(_ int32, kind uint32) uint32 { return w.counters[kind] }
	a.event.since = func(_ int32, kind uint32) float64 { return w.elapsed[kind] }
	a.event.key = func(_ obj, code uint16, down bool) obj {
		return w.create(&cgEvent{what: fmt.Sprintf("key %d %v", code, down)})
	}
	a.event.wheel = func(_ obj, units, count uint32, vertical, horizontal, third int32) obj {
		return w.create(&cgEvent{what: fmt.Sprintf("wheel %d %d %d %d %d", units, count, vertical, horizontal, third)})
	}
	a.event.mouse = func(_ obj, kind uint32, at point, button uint32) obj {
		return w.create(&cgEvent{what: fmt.Sprintf("mouse %d %v %d", kind, at, button)})
	}
	event := func(o obj) *cgEvent { return w.thing(o).(*cgEvent) }
	a.event.text = func(o obj, length uint, units *uint16) { event(o).text = decode(unsafe.Slice(units, length)) }
	a.event.flags = func(o obj, flags uint64) { event(o).flags = flags }
	a.event.post = func(_ uint32, o obj) {
		e := event(o)
		w.events = append(w.events, strings.TrimSpace(fmt.Sprintf("%s %#x %s", e.what, e.flags, e.text)))
		if w.onPost != nil {
			w.onPost()
		}
	}
}

// keyed is what a field with the focus makes of a key.
func (w *world) keyed(code uint16, down bool) {
	if code == keyCommand {
		w.held = down
		return
	}
	if !down {
		return
	}
	for _, thing := range w.things {
		e, ok := thing.(axElement)
		if !ok || e.attributes["AXRole"] != "AXTextArea" || e.attributes["AXFocused"] != 1.0 {
			continue
		}
		if code == keyBackspace && w.selected {
			e.attributes["AXValue"] = ""
		}
	}
	w.selected = code == keyA && w.held
}

// accessibility fills in the tree of other applications.
func (w *world) accessibility() {
	a := w.api
	alone := func() {
		if a.axTurn.TryLock() {
			a.axTurn.Unlock()
			w.t.Error("an application is asked while another call may ask it too")
		}
	}
	a.ax.trusted = func() bool { return w.trusted }
	a.ax.ask = func(options obj) bool {
		if prompt := a.at(options, "AXTrustedCheckOptionPrompt"); a.number(prompt) == 1 {
			w.asked = append(w.asked, Accessibility)
		}
		return w.trusted
	}
	a.ax.system = func() obj { return w.create(class("everything")) }
	a.ax.app = func(pid int32) obj {
		app, ok := w.elements[pid]
		if !ok {
			return w.create(axElement{code: axCannotComplete})
		}
		return w.create(w.thing(app))
	}
	a.ax.timeout = func(o obj, seconds float32) int32 {
		if w.thing(o) == class("everything") { // on another element it counts for that one alone
			w.timeout = seconds
		}
		return 0
	}
	get := func(element, attribute obj) (any, int32) {
		alone()
		e := w.thing(element).(axElement)
		if e.code != 0 {
			return nil, e.code
		}
		v, ok := e.attributes[w.thing(attribute).(string)]
		if !ok {
			return nil, axNoValue
		}
		return v, 0
	}
	a.ax.copy = func(element, attribute obj, to *obj) int32 {
		v, code := get(element, attribute)
		if code == 0 {
			*to = w.create(w.thing(w.value(v)))
		}
		return code
	}
	a.ax.count = func(element, attribute obj, to *int) int32 {
		v, code := get(element, attribute)
		if code == 0 {
			*to = reflect.ValueOf(v).Len()
		}
		return code
	}
	a.ax.set = func(element, attribute, value obj) int32 {
		alone()
		e := w.thing(element).(axElement)
		name := w.thing(attribute).(string)
		if e.code != 0 {
			return e.code
		}
		if w.onSet != nil {
			if code := w.onSet(name); code != 0 {
				return code
			}
		}
		e.attributes[name] = w.thing(value)
		return 0
	}
	a.ax.key = func(app obj, _, code uint16, down bool) int32 {
		alone()
		e := w.thing(app).(axElement)
		if e.code != 0 {
			return e.code
		}
		w.events = append(w.events, fmt.Sprintf("to the application: key %d %v", code, down))
		w.keyed(code, down)
		return 0
	}
	a.ax.perform = func(element, action obj) int32 {
		alone()
		e := w.thing(element).(axElement)
		e.attributes[w.thing(action).(string)] = true
		return e.code
	}
	a.ax.valueType = func() uint { return 7 }
	a.ax.point = func(o obj, _ uint32, to *point) (ok bool) { *to, ok = w.thing(o).(axVal).v.(point); return ok }
	a.ax.size = func(o obj, _ uint32, to *size) (ok bool) { *to, ok = w.thing(o).(axVal).v.(size); return ok }
}
