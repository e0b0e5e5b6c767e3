package darwin

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// withInput gives a window an input field. A message, a search and a text above it are
// none.
func (w *world) withInput(window axElement) (field axElement) {
	element := func(role string, y float64, more ...any) axElement {
		e := axElement{attributes: map[string]any{"AXRole": role, "AXPosition": point{10, y}, "AXSize": size{40, 9}}}
		for i := 0; i < len(more); i += 2 {
			e.attributes[more[i].(string)] = more[i+1]
		}
		return e
	}
	message := w.put(element("AXTextArea", 500, "AXValue", "昨日の写真"))
	field = element("AXTextArea", 300)
	window.attributes["AXChildren"] = append(window.attributes["AXChildren"].([]obj),
		w.put(element("AXList", 20, "AXChildren", []obj{message})), w.put(element("AXTextField", 600)),
		w.put(field), w.put(element("AXTextArea", 30)), w.put(axElement{code: axInvalidElement}))
	return field
}

// TestTypeIntoAField sets the field's value, behind what stands there, and posts keys to
// the application: a Return that comes as a key event does not send in Qt.
func TestTypeIntoAField(t *testing.T) {
	w, typist, _, window := fakeTypist(t)
	field := w.withInput(window)
	field.attributes["AXValue"] = "もう"
	if err := typist.Type(t.Context(), "42", "はい\r\nOK\x1b"); err != nil {
		t.Fatalf("Type() = %v, want nil", err)
	}
	if got := field.attributes["AXValue"]; got != "もうはい\nOK" || len(w.events) > 0 {
		t.Errorf("Type() leaves %q after %q, want the value set and no event", got, w.events)
	}
	field.attributes["AXFocused"] = 0.0
	if err := typist.Press(t.Context(), "42", hardware.KeyEnter); err != nil || field.attributes["AXFocused"] != 1.0 {
		t.Errorf("Press() = %v, want nil and the field to have the focus", err)
	}
	want := []string{"to the application: key 36 true", "to the application: key 36 false"}
	if !slices.Equal(w.events, want) {
		t.Errorf("Press() posts %q, want %q", w.events, want)
	}
}

// TestFieldRefuses: where a field takes nothing, key events go to the window; where it
// holds something else than it was given, that is said.
func TestFieldRefuses(t *testing.T) {
	answers := func(attribute string, code int32) func(*world, axElement) {
		return func(w *world, _ axElement) {
			w.onSet = func(a string) int32 {
				if a == attribute {
					return code
				}
				return 0
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*world, axElement)
		events int // that Type posts
		want   error
	}{
		"no focus":    {answers("AXFocused", axUnsupported), 2, nil},
		"no value":    {answers("AXValue", axUnsupported), 2, nil},
		"no answer":   {answers("AXValue", axCannotComplete), 2, nil},
		"not allowed": {answers("AXValue", axDisabled), 0, hardware.ErrPermission},
		"another text": {func(w *world, field axElement) {
			w.onSet = func(a string) int32 {
				if a != "AXValue" {
					return 0
				}
				field.attributes["AXValue"] = "は"
				return axCannotComplete
			}
		}, 0, hardware.ErrPartlyTyped},
		"secure input": {func(w *world, field axElement) {
			answers("AXValue", axUnsupported)(w, field)
			w.api.event.secure = func() bool { return true }
		}, 0, hardware.ErrNotActive},
	} {
		t.Run(name, func(t *testing.T) {
			w, typist, _, window := fakeTypist(t)
			c.change(w, w.withInput(window))
			err := typist.Type(t.Context(), "42", "はい")
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || len(w.events) != c.events {
				t.Errorf("Type() = %v after %q, want %v after %d events", err, w.events, c.want, c.events)
			}
		})
	}
}

// TestPressWithoutTheCall: a system that has dropped the deprecated call, and an
// application that takes no key of it, get key events.
func TestPressWithoutTheCall(t *testing.T) {
	for name, key := range map[string]func(obj, uint16, uint16, bool) int32{
		"gone": nil, "refused": func(obj, uint16, uint16, bool) int32 { return axNotImplemented },
	} {
		w, typist, _, window := fakeTypist(t)
		w.withInput(window)
		w.api.ax.key = key
		err := typist.Press(t.Context(), "42", hardware.KeyEnter)
		if want := []string{"key 36 true 0x0", "key 36 false 0x0"}; err != nil || !slices.Equal(w.events, want) {
			t.Errorf("%s: Press() = %v after %q, want %q", name, err, w.events, want)
		}
	}
	w, typist, _, window := fakeTypist(t)
	w.withInput(window)
	calls := 0
	w.api.ax.key = func(obj, uint16, uint16, bool) int32 {
		if calls++; calls == 2 {
			return axCannotComplete
		}
		return 0
	}
	err := typist.Press(t.Context(), "42", hardware.KeySelectAll)
	if !errors.Is(err, hardware.ErrPartlyTyped) || calls != 4 || len(w.events) > 0 {
		t.Errorf("Press() that fails half way = %v after %d calls, want %v and every key released", err, calls,
			hardware.ErrPartlyTyped)
	}
}

// TestActivateInTheBackground: an application that shows its windows only in front is
// brought there first.
func TestActivateInTheBackground(t *testing.T) {
	w, typist, app, _ := fakeTypist(t)
	app.attributes["AXFrontmost"] = false
	windows := app.attributes["AXWindows"]
	app.attributes["AXWindows"] = []obj{}
	w.onSet = func(attribute string) int32 {
		if attribute == "AXFrontmost" {
			app.attributes["AXWindows"] = windows
		}
		return 0
	}
	if err := typist.Activate(t.Context(), "42"); err != nil || app.attributes["AXFrontmost"] != 1.0 {
		t.Errorf("Activate() = %v, want nil and the application in front", err)
	}
}

// TestClickByAnother has another driver click, at a point of the screen.
func TestClickByAnother(t *testing.T) {
	w, typist, _, _ := fakeTypist(t)
	var clicked image.Point
	typist.mouse = func(_ context.Context, at image.Point) error {
		clicked = at
		return nil
	}
	if err := typist.Click(t.Context(), "42", image.Pt(9, 19)); err != nil || clicked != image.Pt(15, 30) ||
		len(w.events) > 0 {
		t.Errorf("Click() = %v at %v after %q, want it at (15,30) and no event of ours", err, clicked, w.events)
	}
}

// TestActivateShows: a hidden application is shown, and a window taken out of the Dock.
func TestActivateShows(t *testing.T) {
	w, typist, app, window := fakeTypist(t)
	w.windows[0][keyOnScreen] = false
	app.attributes["AXHidden"], window.attributes["AXMinimized"] = 1.0, 1.0
	typist.pause = func(context.Context, time.Duration) error { // the system takes its time
		w.windows[0][keyOnScreen] = app.attributes["AXHidden"] == 0.0 && window.attributes["AXMinimized"] == 0.0
		return nil
	}
	if err := typist.Activate(t.Context(), "42"); err != nil {
		t.Errorf("Activate() = %v, want the window shown", err)
	}
}
