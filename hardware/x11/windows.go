package x11

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// Windows lists the windows of the desktop, topmost first, minimised ones too.
// Panels and the desktop's background are left out.
func (d *Display) Windows(ctx context.Context) ([]hardware.Window, error) {
	var list []hardware.Window
	err := d.with(ctx, func(s *session) error {
		ids, err := s.clients()
		if err != nil {
			return err
		}
		list, err = s.describe(ids)
		return err
	})
	return list, err
}

// Find returns the topmost window whose application or title contains query,
// ignoring case. An application of exactly this name comes first. It wraps
// hardware.ErrWindowGone if there is none.
func (d *Display) Find(ctx context.Context, query string) (hardware.Window, error) {
	list, err := d.Windows(ctx)
	if err != nil {
		return hardware.Window{}, err
	}
	if i := match(list, query); i >= 0 {
		return list[i], nil
	}
	return hardware.Window{}, fmt.Errorf("x11: none of the %d open windows has the wanted text in its title or "+
		"application (open the window, or list them and choose another): %w", len(list), hardware.ErrWindowGone)
}

func match(list []hardware.Window, query string) int {
	query = strings.ToLower(strings.TrimSpace(query))
	if query == "" {
		return -1
	}
	exact := slices.IndexFunc(list, func(w hardware.Window) bool { return strings.ToLower(w.App) == query })
	if exact >= 0 {
		return exact
	}
	return slices.IndexFunc(list, func(w hardware.Window) bool {
		return strings.Contains(strings.ToLower(w.App), query) || strings.Contains(strings.ToLower(w.Title), query)
	})
}

// Active is the window that gets the keyboard; the zero Window if none does.
func (d *Display) Active(ctx context.Context) (hardware.Window, error) {
	var active hardware.Window
	err := d.with(ctx, func(s *session) error {
		id, err := s.active()
		if err != nil || id == 0 {
			return err
		}
		list, err := s.describe([]xproto.Window{id})
		if len(list) > 0 {
			active = list[0]
		}
		return err
	})
	return active, err
}

// Manager names the window manager; "" if there is none that supports the common
// protocol (EWMH).
func (d *Display) Manager(ctx context.Context) (name string, err error) {
	err = d.with(ctx, func(s *session) error {
		check, err := s.property(s.root, "_NET_SUPPORTING_WM_CHECK")
		if err != nil || len(check) < 4 {
			return err
		}
		w := xproto.Window(firstWord(check))
		// A crashed window manager leaves the property behind. Its window is gone,
		// and the id may belong to another window by now.
		own, err := s.property(w, "_NET_SUPPORTING_WM_CHECK")
		if isGone(err) || err == nil && (len(own) < 4 || firstWord(own) != firstWord(check)) {
			return nil
		}
		if err != nil {
			return err
		}
		title, err := s.property(w, "_NET_WM_NAME")
		if name = text(title); name == "" {
			name = "one without a name"
		}
		return err
	})
	return name, err
}

// How long a window may take to become active, and how often that is checked.
const (
	activateTimeout = 3 * time.Second
	activatePoll    = 15 * time.Millisecond
	activateRest    = 100 * time.Millisecond // for its application to notice: earlier input is lost
)

// Activate brings a window to the front and returns once the display reports it
// as active. Otherwise it wraps hardware.ErrNotActive.
func (d *Display) Activate(ctx context.Context, ref string) error {
	w, err := parseRef(ref)
	if err != nil {
		return err
	}
	return d.with(ctx, func(s *session) error {
		if _, err := xproto.GetWindowAttributes(s.x, w).Reply(); err != nil {
			if isGone(err) {
				return gone(w)
			}
			return err
		}
		rested := true
		for deadline := time.Now().Add(activateTimeout); ; {
			active, err := s.active()
			if err != nil {
				return err
			}
			if active == w && rested {
				return nil
			}
			if active == w {
				if err := hardware.Pause(ctx, activateRest); err != nil {
					return err
				}
				rested = true
				continue
			}
			rested = false
			if time.Now().After(deadline) {
				return fmt.Errorf("x11: window %s (another one holds the keyboard: close dialogs, unlock the "+
					"screen): %w", ref, hardware.ErrNotActive)
			}
			// Repeat the request: a window manager that is starting, or busy with
			// another window, may lose it.
			if err := s.activate(w); err != nil {
				return err
			}
			if err := hardware.Pause(ctx, activatePoll); err != nil {
				return err
			}
		}
	})
}

// activate asks the window manager, or does it itself if there is none.
func (s *session) activate(w xproto.Window) error {
	managed, err := s.property(s.root, "_NET_SUPPORTING_WM_CHECK")
	if err != nil {
		return err
	}
	if len(managed) == 0 {
		xproto.ConfigureWindow(s.x, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
		xproto.SetInputFocus(s.x, xproto.InputFocusParent, w, xproto.TimeCurrentTime)
		return nil
	}
	a, err := s.atom("_NET_ACTIVE_WINDOW")
	if err != nil {
		return err
	}
	const fromPager = 2 // a person's own choice, which focus-stealing prevention allows
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: a,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{fromPager, xproto.TimeCurrentTime, 0, 0, 0}),
	}
	mask := uint32(xproto.EventMaskSubstructureRedirect | xproto.EventMaskSubstructureNotify)
	return xproto.SendEventChecked(s.x, false, s.root, mask, string(ev.Bytes())).Check()
}

// active is the active window; 0 if there is none.
func (s *session) active() (xproto.Window, error) {
	value, err := s.property(s.root, "_NET_ACTIVE_WINDOW")
	if err != nil {
		return 0, err
	}
	if len(value) >= 4 {
		return xproto.Window(firstWord(value)), nil
	}
	focus, err := xproto.GetInputFocus(s.x).Reply()
	if err != nil || focus.Focus <= xproto.InputFocusPointerRoot || focus.Focus == s.root {
		return 0, err
	}
	top, err := s.frame(focus.Focus)
	if isGone(err) {
		return 0, nil
	}
	return top, err
}

// frame returns the ancestor of w that is a child of the root. With most window
// managers that is their decoration, otherwise w itself.
func (s *session) frame(w xproto.Window) (xproto.Window, error) {
	for range 64 {
		tree, err := xproto.QueryTree(s.x, w).Reply()
		if err != nil {
			return 0, err
		}
		if tree.Parent == tree.Root || tree.Parent == 0 {
			return w, nil
		}
		w = tree.Parent
	}
	return w, nil
}

// clients lists the managed windows, topmost first. Without a window manager it
// lists the visible children of the root.
func (s *session) clients() ([]xproto.Window, error) {
	for _, name := range []string{"_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"} {
		value, err := s.property(s.root, name)
		if err != nil {
			return nil, err
		}
		if len(value) >= 4 {
			var ids []xproto.Window
			for _, id := range words(value) {
				ids = append(ids, xproto.Window(id))
			}
			slices.Reverse(ids)
			return ids, nil
		}
	}
	tree, err := xproto.QueryTree(s.x, s.root).Reply()
	if err != nil {
		return nil, err
	}
	cookies := make([]xproto.GetWindowAttributesCookie, len(tree.Children))
	for i, w := range tree.Children {
		cookies[i] = xproto.GetWindowAttributes(s.x, w)
	}
	var ids []xproto.Window
	for i, c := range cookies {
		a, err := c.Reply()
		if err != nil && !isGone(err) {
			return nil, err
		}
		if err == nil && a.MapState == xproto.MapStateViewable && !a.OverrideRedirect &&
			a.Class == xproto.WindowClassInputOutput {
			ids = append(ids, tree.Children[i])
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

// The properties that describe a window.
var described = []string{"_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WM_PID", "_NET_WM_WINDOW_TYPE"}

// describe queries all windows at once. It leaves out windows that are gone and
// windows that are part of the desktop.
func (s *session) describe(ids []xproto.Window) ([]hardware.Window, error) {
	desktop, err := s.atom("_NET_WM_WINDOW_TYPE_DESKTOP")
	if err != nil {
		return nil, err
	}
	dock, err := s.atom("_NET_WM_WINDOW_TYPE_DOCK")
	if err != nil {
		return nil, err
	}
	asked := make([]question, len(ids))
	for i, w := range ids {
		if asked[i], err = s.ask(w); err != nil {
			return nil, err
		}
	}
	var list []hardware.Window
	for i, w := range ids {
		in, kind, err := asked[i].answer()
		switch {
		case isGone(err):
		case err != nil:
			return nil, err
		case !slices.Contains(kind, uint32(desktop)) && !slices.Contains(kind, uint32(dock)):
			in.Ref = formatRef(w)
			list = append(list, in)
		}
	}
	return list, nil
}

// question holds the pending requests about one window. Every reply must be
// collected, even if one of them fails.
type question struct {
	geometry xproto.GetGeometryCookie
	place    xproto.TranslateCoordinatesCookie
	props    []func() ([]byte, error)
}

func (s *session) ask(w xproto.Window) (question, error) {
	q := question{
		geometry: xproto.GetGeometry(s.x, xproto.Drawable(w)),
		place:    xproto.TranslateCoordinates(s.x, w, s.root, 0, 0),
	}
	for _, name := range described {
		get, err := s.askProperty(w, name)
		if err != nil {
			return q, err
		}
		q.props = append(q.props, get)
	}
	return q, nil
}

func (q question) answer() (w hardware.Window, kind []uint32, err error) {
	size, err := q.geometry.Reply()
	place, e := q.place.Reply()
	if err == nil {
		err = e
	}
	values := make([][]byte, len(q.props))
	for i, get := range q.props {
		if values[i], e = get(); err == nil {
			err = e
		}
	}
	if err != nil {
		return w, nil, err
	}
	at := image.Pt(int(place.DstX), int(place.DstY))
	w = hardware.Window{
		Title: text(values[0]),
		App:   class(values[2]),
		PID:   int(firstWord(values[3])),
		Box:   image.Rectangle{Min: at, Max: at.Add(image.Pt(int(size.Width), int(size.Height)))},
	}
	if w.Title == "" {
		w.Title = text(values[1])
	}
	if w.App == "" {
		w.App = process(w.PID)
	}
	return w, words(values[4]), nil
}

// class is the application's part of WM_CLASS: the second of two zero-terminated
// strings, or the first if there is only one.
func class(b []byte) string {
	instance, rest, _ := bytes.Cut(b, []byte{0})
	name, _, _ := bytes.Cut(rest, []byte{0})
	if len(name) == 0 {
		name = instance
	}
	return text(name)
}

// text decodes UTF-8, or Latin-1, which the oldest properties use.
func text(b []byte) string {
	b = bytes.TrimRight(b, "\x00")
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// process names a process of this machine; "" if unknown.
func process(pid int) string {
	if pid <= 0 {
		return ""
	}
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
