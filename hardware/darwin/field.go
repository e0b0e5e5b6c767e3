package darwin

import (
	"context"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// errSecure refuses key events while macOS keeps them from reaching other programs.
var errSecure = errors.New("darwin: a program holds the keyboard for a password (secure input): close its password " +
	"field")

// setText appends text to the window's input field. done is false if the tree shows no
// field, or the field did not take the text.
func (t *Typist) setText(ctx context.Context, ref, text string) (done bool, err error) {
	t.a.pool(func() {
		err = t.withField(ctx, ref, func(_, field element) error {
			before, err := field.value()
			if err != nil {
				return nil
			}
			if text == "" {
				done = true
				return nil
			}
			if err := field.set("AXValue", t.a.string(before+text)); errors.Is(err, hardware.ErrPermission) {
				return notActive(err)
			}
			switch after, err := field.value(); {
			case err == nil && after == before+text:
				done = true
			case err != nil || after != before:
				return fmt.Errorf("darwin: the field holds something else than its value was set to: %w",
					hardware.ErrPartlyTyped)
			}
			return nil
		})
	})
	return done, err
}

// postKey focuses the input field and posts a key to the application. done is false if
// the tree shows no field, or the application did not take the key.
func (t *Typist) postKey(ctx context.Context, ref string, s stroke) (done bool, err error) {
	if t.a.ax.key == nil {
		return false, nil
	}
	t.a.pool(func() {
		err = t.withField(ctx, ref, func(app, _ element) error {
			type move struct {
				code uint16
				down bool
			}
			moves := []move{{s.code, true}, {s.code, false}}
			if s.flags&flagCommand != 0 {
				moves = []move{{keyCommand, true}, {s.code, true}, {s.code, false}, {keyCommand, false}}
			}
			var failed error
			for i, m := range moves { // a pressed key is released, whatever fails
				const char = 0 // the code says which key it is
				err := axError(t.a.ax.key(app.o, char, m.code, m.down))
				if i == 0 && err != nil {
					return nil
				}
				failed = errors.Join(failed, err)
			}
			if done = true; failed != nil {
				return fmt.Errorf("darwin: press a key: %w: %w", failed, hardware.ErrPartlyTyped)
			}
			return nil
		})
	})
	return done, err
}

// withField focuses a window's input field and runs f with it, unless the tree shows
// none.
func (t *Typist) withField(ctx context.Context, ref string, f func(app, field element) error) error {
	return t.withApp(ref, func(keep *keeper, w windowInfo, _ element) error {
		app, window, err := keep.accessible(w)
		if err != nil {
			return nil // key events need no tree
		}
		found, _ := survey(ctx, window)
		input, ok := inputAmong(found)
		if !ok {
			return nil
		}
		field := input.node.(element)
		if field.set("AXFocused", t.a.boolean(true)) != nil {
			return nil
		}
		return f(app, field)
	})
}

// value returns the text of an element; an empty field may have none.
func (e element) value() (string, error) {
	o, err := e.copy("AXValue")
	if errors.Is(err, errAbsent) {
		err = nil
	}
	return e.k.a.text(o), err
}

func (e element) set(attribute string, value obj) error {
	return axError(e.k.a.ax.set(e.o, e.k.a.string(attribute), value))
}

// boolean makes an NSNumber.
func (a *api) boolean(v bool) obj {
	return a.send(a.class("NSNumber"), "numberWithBool:", v) // + (NSNumber *)numberWithBool:(BOOL)value
}
