//go:build darwin && (amd64 || arm64)

package darwin

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"

	"github.com/kehai-run/kehai/hardware"
)

// load binds the frameworks once for the process; they are never unloaded.
var load = sync.OnceValues(func() (*api, error) {
	a := &api{}
	for _, f := range a.frameworks() {
		if err := bindFramework(f); err != nil {
			return nil, err
		}
	}
	if err := a.bindRuntime(); err != nil {
		return nil, err
	}
	a.prepare()
	return a, nil
})

func bindFramework(f framework) error {
	path := "/System/Library/Frameworks/" + f.name + ".framework/" + f.name
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil && f.name == "ScreenCaptureKit" {
		return nil // older than macOS 12.3: its classes are missing then
	}
	if err != nil {
		return fmt.Errorf("darwin: load %s: %w; macOS 12 or newer is needed: %w", f.name, err, hardware.ErrUnavailable)
	}
	for _, s := range f.symbols {
		address, err := purego.Dlsym(lib, s.name)
		if err != nil && s.optional {
			continue
		}
		if err != nil {
			return fmt.Errorf("darwin: %s has no %s; macOS 12 or newer is needed: %w", f.name, s.name,
				hardware.ErrUnavailable)
		}
		purego.RegisterFunc(s.to, address)
	}
	return nil
}

// bindRuntime binds the Objective-C runtime.
func (a *api) bindRuntime() error {
	lib, err := purego.Dlopen("/usr/lib/libobjc.A.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("darwin: load libobjc: %w: %w", err, hardware.ErrUnavailable)
	}
	var (
		push    func() uintptr
		pop     func(pool uintptr)
		sendObj func(to obj, selector objc.SEL, args ...any) obj
		toBool  func(to obj, selector objc.SEL, args ...any) bool
		toInt   func(to obj, selector objc.SEL, args ...any) int
		double  func(to obj, selector objc.SEL, args ...any) float64
		float   func(to obj, selector objc.SEL, args ...any) float32
		text    func(to obj, selector objc.SEL, args ...any) string
	)
	for _, s := range []symbol{
		{name: "objc_autoreleasePoolPush", to: &push},
		{name: "objc_autoreleasePoolPop", to: &pop},
		{name: "objc_msgSend", to: &sendObj},
		{name: "objc_msgSend", to: &toBool},
		{name: "objc_msgSend", to: &toInt},
		{name: "objc_msgSend", to: &double},
		{name: "objc_msgSend", to: &float},
		{name: "objc_msgSend", to: &text},
	} {
		address, err := purego.Dlsym(lib, s.name)
		if err != nil {
			return fmt.Errorf("darwin: libobjc has no %s: %w", s.name, hardware.ErrUnavailable)
		}
		purego.RegisterFunc(s.to, address)
	}
	a.pool = func(f func()) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer pop(push())
		f()
	}
	a.class = func(name string) obj { return obj(objc.GetClass(name)) }
	a.selector = func(name string) uintptr { return uintptr(selector(name)) }
	a.send = func(to obj, s string, args ...any) obj { return sendObj(to, selector(s), args...) }
	a.sendBool = func(to obj, s string, args ...any) bool { return toBool(to, selector(s), args...) }
	a.sendInt = func(to obj, s string, args ...any) int { return toInt(to, selector(s), args...) }
	a.sendDouble = func(to obj, s string, args ...any) float64 { return double(to, selector(s), args...) }
	a.sendFloat = func(to obj, s string, args ...any) float32 { return float(to, selector(s), args...) }
	a.sendCString = func(to obj, s string, args ...any) string { return text(to, selector(s), args...) }
	a.sendRect = func(to obj, s string, args ...any) rect {
		if to == 0 {
			return rect{} // a message to 0 would leave the struct result unset
		}
		return objc.Send[rect](objc.ID(to), selector(s), args...) // objc_msgSend_stret on amd64
	}
	a.block = func(f func(first, second obj)) (obj, func()) {
		b := objc.NewBlock(func(_ objc.Block, first, second objc.ID) { f(obj(first), obj(second)) })
		return obj(b), b.Release
	}
	return nil
}

var selectors sync.Map // string to objc.SEL

func selector(name string) objc.SEL {
	if s, ok := selectors.Load(name); ok {
		return s.(objc.SEL)
	}
	s := objc.RegisterName(name)
	selectors.Store(name, s)
	return s
}
