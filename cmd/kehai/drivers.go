package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// desktopDriver captures the windows of real applications; native is the one of
// this system.
type desktopDriver struct {
	name string // in the configuration: driver: NAME
	open func() (hardware.Screen, error)

	// Its accessibility trees; windows lists what refs mean.
	structure string // structure: NAME
	openTree  func(windows listWindows) (hardware.Structure, error)

	openNotifier func() (hardware.Notifier, error)

	typist     string // what types, as status calls it
	openTypist func() (handsOn, error)
}

// handsOn types, clicks, turns the wheel, and knows which window is active and whether somebody uses the
// keyboard.
type handsOn interface {
	hardware.Typist
	hardware.Pointer
	hardware.Wheel
}

type listWindows = func(context.Context) ([]hardware.Window, error)

// drivers are what a build of this program adds to the runtime: the screen and the
// accessibility trees of this system's desktop, whose windows are found by name, and the
// desktop's notices.
func drivers() []runtime.Option {
	shown := &claims{shown: map[string]string{}}
	return []runtime.Option{
		runtime.WithScreen(native.name, func(w config.Window) (hardware.Screen, string, error) {
			screen, err := openFinder()
			if err != nil {
				return nil, "", err
			}
			screen.name, screen.claims = w.Name, shown
			return screen, w.Capture(), nil
		}),
		runtime.WithTypist(native.name, native.typist, openTypist),
		runtime.WithStructure(native.structure, func(w config.Window) (hardware.Structure, string, error) {
			rows, err := openRows()
			return rows, w.Capture(), err
		}),
		runtime.WithNotifier(desktopNotices{native.openNotifier}),
	}
}

func openFinder() (*finder, error) {
	screen, err := native.open()
	if err != nil {
		return nil, err
	}
	return &finder{screen: screen, known: map[string]string{}}, nil
}

// finder is a Screen whose refs are queries: title:TEXT, app:TEXT, plain text
// that stands in either, or the driver's own id. The query is asked again for
// every capture, so that a window that was closed and opened again is found
// again, and one that shows something else by now is not captured.
type finder struct {
	screen hardware.Screen
	name   string  // of the configured window, for its claims
	claims *claims // nil where any window may be captured

	mu    sync.Mutex
	known map[string]string // the driver's id of the last window that a query found
}

// Windows implements [hardware.Screen].
func (f *finder) Windows(ctx context.Context) ([]hardware.Window, error) {
	return f.screen.Windows(ctx)
}

// Capture implements [hardware.Screen].
func (f *finder) Capture(ctx context.Context, query string) (hardware.Capture, error) {
	ref := query
	if !isRef(query) {
		w, err := f.find(ctx, query)
		if err != nil {
			f.release()
			return hardware.Capture{}, err
		}
		ref = w.Ref
	}
	if f.claims != nil {
		if err := f.claims.claim(f.name, ref); err != nil {
			return hardware.Capture{}, err
		}
	}
	c, err := f.screen.Capture(ctx, ref)
	if errors.Is(err, hardware.ErrWindowGone) {
		f.release()
	}
	return c, err
}

func (f *finder) release() {
	if f.claims != nil {
		f.claims.release(f.name)
	}
}

// Close closes the driver if it can be closed.
func (f *finder) Close() error {
	if c, ok := f.screen.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// find returns the window that a query means now.
func (f *finder) find(ctx context.Context, query string) (hardware.Window, error) {
	list, err := f.screen.Windows(ctx)
	if err != nil {
		return hardware.Window{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := choose(list, query, f.known[query])
	if err == nil {
		f.known[query] = w.Ref
	}
	return w, err
}

// rowFinder is a Structure whose refs are queries, as those of a finder are.
type rowFinder struct {
	*finder
	tree hardware.Structure
}

func openRows() (*rowFinder, error) {
	f, err := openFinder()
	if err != nil {
		return nil, err
	}
	tree, err := native.openTree(f.Windows)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &rowFinder{f, tree}, nil
}

// Rows implements [hardware.Structure].
func (r *rowFinder) Rows(ctx context.Context, query string) (int, error) {
	n, _, err := r.Chat(ctx, query)
	return n, err
}

// Chat implements [hardware.ChatNamer]; a tree that is none has no names.
func (r *rowFinder) Chat(ctx context.Context, query string) (int, []string, error) {
	if !isRef(query) {
		w, err := r.find(ctx, query)
		if err != nil {
			return 0, nil, err
		}
		query = w.Ref
	}
	if namer, ok := r.tree.(hardware.ChatNamer); ok {
		return namer.Chat(ctx, query)
	}
	n, err := r.tree.Rows(ctx, query)
	return n, nil, err
}

// Close closes both drivers if they can be closed.
func (r *rowFinder) Close() error {
	var err error
	if c, ok := r.tree.(io.Closer); ok {
		err = c.Close()
	}
	return errors.Join(err, r.finder.Close())
}

// idForm is the form of a driver's id: 0x1a00003 or 4711.
var idForm = regexp.MustCompile(`^(?:0x[0-9a-fA-F]+|[0-9]+)$`)

func isRef(query string) bool { return idForm.MatchString(query) }

// choose returns the window that a query means. If several match, the one it meant before
// comes first, then one with exactly that name.
func choose(list []hardware.Window, query, before string) (hardware.Window, error) {
	var part, exact []hardware.Window
	for _, w := range list {
		switch match(w, query) {
		case wholly:
			exact = append(exact, w)
		case partly:
		default:
			continue
		}
		if w.Ref == before {
			return w, nil
		}
		part = append(part, w)
	}
	found := part
	if len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return hardware.Window{}, fmt.Errorf("none of the %d open windows is the wanted one: open it, "+
			"or choose another from `kehai windows`: %w", len(list), hardware.ErrWindowGone)
	}
	return hardware.Window{}, &ambiguousError{found}
}

// matchQuality is how well a window matches.
type matchQuality int

const (
	notAtAll matchQuality = iota
	partly
	wholly
)

func match(w hardware.Window, query string) matchQuality {
	if isRef(query) {
		return like(w.Ref, query, false)
	}
	if text, ok := strings.CutPrefix(query, "title:"); ok {
		return like(w.Title, text, true)
	}
	if text, ok := strings.CutPrefix(query, "app:"); ok {
		return like(w.App, text, true)
	}
	return max(like(w.Title, query, true), like(w.App, query, true))
}

// like compares without regard to letter case and the encoding of characters.
func like(name, text string, parts bool) matchQuality {
	name, text = fold(name), fold(text)
	switch {
	case text == "":
		return notAtAll
	case name == text:
		return wholly
	case parts && strings.Contains(name, text):
		return partly
	}
	return notAtAll
}

func fold(s string) string { return strings.TrimSpace(strings.ToLower(norm.NFKC.String(s))) }

// ambiguousError is a query that several windows match. Its text goes to logs and
// contains no titles, because titles name people.
type ambiguousError struct{ found []hardware.Window }

func (e *ambiguousError) Error() string {
	const most = 8
	var list []string
	for _, w := range e.found[:min(len(e.found), most)] {
		list = append(list, fmt.Sprintf("%s (%s, %d×%d)", w.Ref, clean(w.App), w.Box.Dx(), w.Box.Dy()))
	}
	more := ""
	if n := len(e.found) - len(list); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d windows match: %s%s: say title:TEXT or app:TEXT, or give a ref from `kehai windows`",
		len(e.found), strings.Join(list, ", "), more)
}

// Unwrap makes it the typed error of a window that cannot be captured: the poller waits
// and asks again.
func (e *ambiguousError) Unwrap() error { return hardware.ErrWindowGone }

// findWindow returns the window that a query means now, for verbs that check it before
// they begin.
func findWindow(ctx context.Context, query string) (hardware.Window, error) {
	w, _, err := findInStack(ctx, query)
	return w, err
}

// findInStack also returns the windows above it.
func findInStack(ctx context.Context, query string) (w hardware.Window, above []hardware.Window, err error) {
	f, err := openFinder()
	if err != nil {
		return w, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	list, err := f.screen.Windows(ctx)
	if err != nil {
		return w, nil, err
	}
	w, err = choose(list, query, "")
	return w, list[:max(0, slices.Index(list, w))], err
}

// coveredBy returns a window that covers another one wholly.
func coveredBy(above []hardware.Window, w hardware.Window) (hardware.Window, bool) {
	i := slices.IndexFunc(above, func(a hardware.Window) bool { return w.Box.In(a.Box) })
	if i < 0 {
		return hardware.Window{}, false
	}
	return above[i], true
}

// desktopNotices opens this system's notifier anew for each notice, because notices are few.
type desktopNotices struct {
	open func() (hardware.Notifier, error)
}

// Notify implements [hardware.Notifier].
func (d desktopNotices) Notify(ctx context.Context, title, body string) error {
	n, err := d.open()
	if err != nil {
		return err
	}
	return n.Notify(ctx, title, body)
}
