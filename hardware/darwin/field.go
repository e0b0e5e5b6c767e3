package darwin

import (
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// errSecure refuses key events while macOS keeps them from reaching other programs.
var errSecure = errors.New("darwin: a program holds the keyboard for a password (secure input): close its password " +
	"field")

// setText appends text to the window's input field. done is false if the tree shows no
// field, or the field did not take the text.
func (t *Typist) setText(ref, text string) (done bool, err error) {
	t.a.pool(func() {
		err = t.withField(ref, func(_, field element) error {
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
func (t *Typist) postKey(ref string, s stroke) (done bool, err error) {
	if t.a.ax.key == nil {
		return false, nil
	}
	t.a.pool(func() {
		err = t.withField(ref, func(app, _ element) error {
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
func (t *Typist) withField(ref string, f func(app, field element) error) error {
	return t.withApp(ref, func(keep *keeper, w windowInfo, _ element) error {
		app, window, err := keep.accessible(w)
		if err != nil {
			return nil // key events need no tree
		}
		field, ok := inputField(window)
		if !ok || field.(element).set("AXFocused", t.a.yes()) != nil {
			return nil
		}
		return f(app, field.(element))
	})
}

// inputField returns the text area below root, or else the text field, with the lowest
// lower edge; of equal ones the last in breadth-first order. A search field is above the
// list of chats, and texts inside lists are messages. An element that fails is skipped.
func inputField(root node) (field node, ok bool) {
	type step struct {
		node  node
		depth int
	}
	lowest, area := 0.0, false
	queue := []step{{root, 0}}
	for seen := 0; len(queue) > 0 && seen < maxNodes; seen++ {
		s := queue[0]
		queue = queue[1:]
		role, err := s.node.role()
		if err != nil || isList(role) {
			continue
		}
		if role == "AXTextArea" || role == "AXTextField" {
			box, err := s.node.frame()
			bottom := box.Y + box.H
			better := !ok || !area && role == "AXTextArea" || area == (role == "AXTextArea") && bottom >= lowest
			if err == nil && areaOf(box) > 0 && better {
				field, ok, lowest, area = s.node, true, bottom, role == "AXTextArea"
			}
			continue
		}
		if s.depth == maxDepth {
			continue
		}
		children, err := s.node.children()
		if err != nil {
			continue
		}
		for _, c := range children {
			queue = append(queue, step{c, s.depth + 1})
		}
	}
	return field, ok
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

// yes is true as an NSNumber.
func (a *api) yes() obj {
	return a.send(a.class("NSNumber"), "numberWithBool:", true) // + (NSNumber *)numberWithBool:(BOOL)value
}
