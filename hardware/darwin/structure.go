package darwin

import (
	"context"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// Structure counts the rows of a chat's message list through the accessibility
// tree. It needs the permission Accessibility. All methods may be called
// concurrently; one call asks at a time.
type Structure struct{ a *api }

var _ hardware.Structure = (*Structure)(nil)

// OpenStructure binds the frameworks. Each call reports a missing permission.
func OpenStructure() (*Structure, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return &Structure{a}, nil
}

// Rows implements [hardware.Structure] for a Ref of [Screen]. The error for a
// window without a list above a text area wraps [hardware.ErrUnavailable]: some
// applications show their tree only in front.
func (s *Structure) Rows(ctx context.Context, ref string) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var n int
	var err error
	s.a.pool(func() { n, err = s.rows(ctx, ref) })
	return n, err
}

func (s *Structure) rows(ctx context.Context, ref string) (int, error) {
	w, err := s.a.find(ref)
	if err != nil {
		return 0, err
	}
	s.a.axTurn.Lock()
	defer s.a.axTurn.Unlock()
	keep := &keeper{a: s.a}
	defer keep.release()
	_, window, err := keep.accessible(w)
	if err != nil {
		return 0, err
	}
	return countRows(ctx, window)
}

// keeper owns everything that a walk copies, and releases it all at the end.
// Elements of a copied array live as long as the array.
type keeper struct {
	a    *api
	kept []obj
}

func (k *keeper) release() {
	for _, o := range k.kept {
		k.a.cf.release(o)
	}
	k.kept = nil
}

func (k *keeper) keep(o obj) obj {
	if o != 0 {
		k.kept = append(k.kept, o)
	}
	return o
}

// axTimeout is how long another application may take to answer, in seconds.
const axTimeout = 1

// accessible finds the elements of a window's application and of the window.
func (k *keeper) accessible(w windowInfo) (app, window element, err error) {
	if app, err = k.application(w); err != nil {
		return element{}, element{}, err
	}
	o, err := app.copy("AXWindows")
	if err != nil && !errors.Is(err, errAbsent) {
		return element{}, element{}, err
	}
	windows := k.a.list(o)
	among := make([]candidate, len(windows))
	var p silences
	for i, o := range windows {
		e := element{k, o}
		title, err := e.copy("AXTitle") // if this fails, the window matches nothing
		if p.over(err) {
			return element{}, element{}, err
		}
		frame, err := e.frame()
		if p.over(err) {
			return element{}, element{}, err
		}
		among[i] = candidate{title: k.a.text(title), frame: frame}
	}
	i := matchWindow(w, among)
	if i < 0 {
		return element{}, element{}, fmt.Errorf("darwin: none of the %d accessible windows of process %d is "+
			"window %d; go on without accessibility for it: %w",
			len(windows), w.pid, w.id, hardware.ErrUnavailable)
	}
	return app, element{k, windows[i]}, nil
}

// application finds the element of a window's application. Unlike the elements of its
// windows, it exists while the application is in the background.
func (k *keeper) application(w windowInfo) (element, error) {
	if !k.a.ax.trusted() {
		return element{}, denied(Accessibility)
	}
	app := element{k, k.keep(k.a.ax.app(int32(w.pid)))}
	if app.o == 0 {
		return element{}, gone(w.id.ref())
	}
	return app, nil
}

// element is an AXUIElement that the keeper holds.
type element struct {
	k *keeper
	o obj
}

var _ node = element{}

// copy reads an attribute; the keeper owns the value.
func (e element) copy(attribute string) (obj, error) {
	var value obj
	code := e.k.a.ax.copy(e.o, e.k.a.string(attribute), &value)
	return e.k.keep(value), axError(code)
}

func (e element) role() (string, error) {
	o, err := e.copy("AXRole")
	return e.k.a.text(o), err
}

// Kinds of AXValue.
const (
	axPoint = 1
	axSize  = 2
)

func (e element) frame() (rect, error) {
	a := e.k.a
	var at point
	var extent size
	position, err := e.copy("AXPosition")
	if err != nil {
		return rect{}, err
	}
	area, err := e.copy("AXSize")
	if err != nil {
		return rect{}, err
	}
	if !a.axValue(position) || !a.axValue(area) || !a.ax.point(position, axPoint, &at) ||
		!a.ax.size(area, axSize, &extent) {
		return rect{}, errAbsent
	}
	return rect{at.X, at.Y, extent.W, extent.H}, nil
}

func (a *api) axValue(o obj) bool { return o != 0 && a.cf.typeOf(o) == a.ax.valueType() }

func (e element) children() ([]node, error) {
	o, err := e.copy("AXChildren")
	if err != nil {
		if errors.Is(err, errAbsent) {
			err = nil
		}
		return nil, err
	}
	var out []node
	for _, child := range e.k.a.list(o) {
		out = append(out, element{e.k, child})
	}
	return out, nil
}
