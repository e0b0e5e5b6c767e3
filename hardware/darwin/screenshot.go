package darwin

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/kehai-run/kehai/hardware"
)

// hasScreenshots reports whether ScreenCaptureKit can take single pictures, as it
// can since macOS 14.
func (a *api) hasScreenshots() bool { return a.class("SCScreenshotManager") != 0 }

// shot is the result of ScreenCaptureKit.
type shot struct {
	img *image.RGBA
	err error
}

// screenshot captures with ScreenCaptureKit, which answers on threads of its own.
// All conversion happens there, inside the blocks, and only Go memory leaves them.
// So a caller that stops waiting leaks nothing.
func (a *api) screenshot(ctx context.Context, id windowID) (*image.RGBA, error) {
	if !a.hasScreenshots() {
		return nil, fmt.Errorf("darwin: this macOS has no ScreenCaptureKit screenshots: %w", hardware.ErrUnavailable)
	}
	answer := make(chan shot, 1)
	found, free := a.block(func(content, failure obj) {
		a.answering(answer, func() error {
			if content == 0 {
				return kitError(a.failure(failure))
			}
			return a.shoot(content, id, answer)
		})
	})
	defer free()
	// + (void)getShareableContentExcludingDesktopWindows:(BOOL)excludeDesktopWindows
	//	onScreenWindowsOnly:(BOOL)onScreenWindowsOnly
	//	completionHandler:(void (^)(SCShareableContent *, NSError *))completionHandler
	a.send(a.class("SCShareableContent"),
		"getShareableContentExcludingDesktopWindows:onScreenWindowsOnly:completionHandler:", true, true, found)
	select {
	case s := <-answer:
		return s.img, s.err
	case <-ctx.Done():
		return nil, fmt.Errorf("darwin: ScreenCaptureKit did not answer: %w", ctx.Err())
	}
}

// answering runs f inside a block, in a pool. An error or a panic of f becomes the
// answer: a panic must not leave a block, where nothing can recover it.
func (a *api) answering(answer chan<- shot, f func() error) {
	a.pool(func() {
		defer func() {
			if p := recover(); p != nil {
				reply(answer, shot{err: fmt.Errorf("darwin: ScreenCaptureKit's answer could not be read: %v", p)})
			}
		}()
		if err := f(); err != nil {
			reply(answer, shot{err: err})
		}
	})
}

// reply sends the first answer and drops any other. It never waits.
func reply(answer chan<- shot, s shot) {
	select {
	case answer <- s:
	default:
	}
}

// shoot finds the window and asks for its picture. If it returns an error it has
// not sent an answer.
func (a *api) shoot(content obj, id windowID, answer chan<- shot) error {
	window := obj(0)
	for _, w := range a.list(a.send(content, "windows")) { // @property NSArray<SCWindow *> *windows
		if windowID(a.sendInt(w, "windowID")) == id { // @property CGWindowID windowID
			window = w
			break
		}
	}
	if window == 0 {
		return gone(id.ref())
	}
	// - (instancetype)initWithDesktopIndependentWindow:(SCWindow *)window
	filter := a.send(a.send(a.class("SCContentFilter"), "alloc"), "initWithDesktopIndependentWindow:", window)
	defer a.send(filter, "release")
	area := a.sendRect(filter, "contentRect")                  // @property CGRect contentRect, in points
	density := float64(a.sendFloat(filter, "pointPixelScale")) // @property float pointPixelScale
	width, height := math.Round(area.W*density), math.Round(area.H*density)
	if !(width >= 1 && height >= 1 && width <= maxSide && height <= maxSide) {
		return fmt.Errorf("darwin: window %d has no area: %w", id, hardware.ErrEmptyFrame)
	}
	config := a.send(a.send(a.class("SCStreamConfiguration"), "alloc"), "init")
	defer a.send(config, "release")
	a.send(config, "setWidth:", uint(width))   // @property size_t width, in pixels
	a.send(config, "setHeight:", uint(height)) // @property size_t height
	// A window that lies above the main display counts with another display's density, but still fills the picture.
	a.send(config, "setScalesToFit:", true)               // @property BOOL scalesToFit
	a.send(config, "setShowsCursor:", false)              // @property BOOL showsCursor
	a.send(config, "setIgnoreShadowsSingleWindow:", true) // @property BOOL ignoreShadowsSingleWindow, macOS 14
	taken, free := a.block(func(picture, failure obj) {
		a.answering(answer, func() error {
			if picture == 0 {
				return kitError(a.failure(failure))
			}
			img, err := a.content(picture)
			if err == nil {
				reply(answer, shot{img: img})
			}
			return err
		})
	})
	defer free()
	// + (void)captureImageWithFilter:(SCContentFilter *)contentFilter configuration:(SCStreamConfiguration *)config
	//	completionHandler:(void (^)(CGImageRef, NSError *))completionHandler
	a.send(a.class("SCScreenshotManager"), "captureImageWithFilter:configuration:completionHandler:", filter, config,
		taken)
	return nil
}

// userDeclined is SCStreamErrorUserDeclined.
const userDeclined = -3801

// kitError gives an error of ScreenCaptureKit its type.
func kitError(e systemError) error {
	if e.code == userDeclined && e.domain == "com.apple.ScreenCaptureKit.SCStreamErrorDomain" {
		return denied(ScreenRecording)
	}
	return fmt.Errorf("darwin: ScreenCaptureKit: %w", e)
}
