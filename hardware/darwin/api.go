package darwin

import (
	"sync"
	"sync/atomic"
)

// obj is a CFTypeRef or an Objective-C object, which share one reference count; 0
// is nil. A message to 0 does nothing and returns 0.
type obj uintptr

// rect has the layout of CGRect: four doubles.
type rect struct{ X, Y, W, H float64 }

// point has the layout of CGPoint.
type point struct{ X, Y float64 }

// size has the layout of CGSize.
type size struct{ W, H float64 }

// api holds the system functions that the drivers use. The result of a C function
// named Create or Copy, and of alloc and init, belongs to the caller, and the next
// line releases it. Everything else lives as long as the surrounding pool.
type api struct {
	// pool runs f on one thread inside an autorelease pool.
	//	void *objc_autoreleasePoolPush(void)
	//	void objc_autoreleasePoolPop(void *pool)
	pool func(f func())
	// class is objc_getClass; 0 for an unknown class.
	class func(name string) obj
	// selector is sel_registerName, for methods that take a selector.
	selector func(name string) uintptr
	// The send functions are objc_msgSend, one for each result type. Arguments
	// must have exactly the method's types; an object is an obj, never nil.
	send        func(to obj, selector string, args ...any) obj
	sendBool    func(to obj, selector string, args ...any) bool
	sendInt     func(to obj, selector string, args ...any) int
	sendDouble  func(to obj, selector string, args ...any) float64
	sendFloat   func(to obj, selector string, args ...any) float32
	sendCString func(to obj, selector string, args ...any) string
	sendRect    func(to obj, selector string, args ...any) rect
	// block makes a void (^)(id, id). The caller calls free once; a receiver of the
	// block keeps its own copy.
	block func(f func(first, second obj)) (b obj, free func())

	recording atomic.Bool // Screen Recording was seen to be granted, whatever the system says
	axTurn    sync.Mutex  // held during all calls of ax: an application may not stand two at a time

	cf struct {
		release func(o obj)          // void CFRelease(CFTypeRef cf)
		typeOf  func(o obj) uint     // CFTypeID CFGetTypeID(CFTypeRef cf)
		bytes   func(data obj) *byte // const UInt8 *CFDataGetBytePtr(CFDataRef data)
		length  func(data obj) int   // CFIndex CFDataGetLength(CFDataRef data)
	}

	window struct {
		// CFArrayRef CGWindowListCopyWindowInfo(CGWindowListOption option, CGWindowID relativeToWindow)
		list func(option, relativeTo uint32) obj
		// picture is nil if the system no longer has the call.
		//	CGImageRef CGWindowListCreateImage(CGRect screenBounds, CGWindowListOption listOption,
		//		CGWindowID windowID, CGWindowImageOption imageOption)
		picture func(bounds rect, list, id, image uint32) obj
		allowed func() bool   // bool CGPreflightScreenCaptureAccess(void)
		ask     func() bool   // bool CGRequestScreenCaptureAccess(void)
		display func() uint32 // CGDirectDisplayID CGMainDisplayID(void)
	}

	image struct {
		width     func(image obj) uint   // size_t CGImageGetWidth(CGImageRef image)
		height    func(image obj) uint   // size_t CGImageGetHeight(CGImageRef image)
		component func(image obj) uint   // size_t CGImageGetBitsPerComponent(CGImageRef image)
		pixel     func(image obj) uint   // size_t CGImageGetBitsPerPixel(CGImageRef image)
		stride    func(image obj) uint   // size_t CGImageGetBytesPerRow(CGImageRef image)
		info      func(image obj) uint32 // CGBitmapInfo CGImageGetBitmapInfo(CGImageRef image)
		space     func(image obj) obj    // CGColorSpaceRef CGImageGetColorSpace(CGImageRef image)
		provider  func(image obj) obj    // CGDataProviderRef CGImageGetDataProvider(CGImageRef image)
		data      func(provider obj) obj // CFDataRef CGDataProviderCopyData(CGDataProviderRef provider)
	}

	bitmap struct {
		// CGContextRef CGBitmapContextCreate(void *data, size_t width, size_t height, size_t bitsPerComponent,
		//	size_t bytesPerRow, CGColorSpaceRef space, uint32_t bitmapInfo)
		create func(data uintptr, width, height, component, stride uint, space obj, info uint32) obj
		bytes  func(context obj) *byte // void *CGBitmapContextGetData(CGContextRef context)
		stride func(context obj) uint  // size_t CGBitmapContextGetBytesPerRow(CGContextRef context)
		image  func(context obj) obj   // CGImageRef CGBitmapContextCreateImage(CGContextRef context)
		// void CGContextDrawImage(CGContextRef c, CGRect rect, CGImageRef image)
		draw func(context obj, to rect, image obj)
		gray func() obj // CGColorSpaceRef CGColorSpaceCreateDeviceGray(void)
		rgb  func() obj // CGColorSpaceRef CGColorSpaceCreateDeviceRGB(void)
	}

	ax struct {
		trusted func() bool // Boolean AXIsProcessTrusted(void)
		// Boolean AXIsProcessTrustedWithOptions(CFDictionaryRef options)
		ask    func(options obj) bool
		system func() obj // AXUIElementRef AXUIElementCreateSystemWide(void)
		// AXUIElementRef AXUIElementCreateApplication(pid_t pid)
		app func(pid int32) obj
		// AXError AXUIElementSetMessagingTimeout(AXUIElementRef element, float timeoutInSeconds)
		timeout func(element obj, seconds float32) int32
		// AXError AXUIElementCopyAttributeValue(AXUIElementRef element, CFStringRef attribute, CFTypeRef *value)
		copy func(element, attribute obj, value *obj) int32
		// AXError AXUIElementGetAttributeValueCount(AXUIElementRef element, CFStringRef attribute, CFIndex *count)
		count func(element, attribute obj, count *int) int32
		// AXError AXUIElementSetAttributeValue(AXUIElementRef element, CFStringRef attribute, CFTypeRef value)
		set func(element, attribute, value obj) int32
		// AXError AXUIElementPerformAction(AXUIElementRef element, CFStringRef action)
		perform func(element, action obj) int32
		// key is deprecated since macOS 10.9; nil if the system no longer has it.
		//	AXError AXUIElementPostKeyboardEvent(AXUIElementRef application, CGCharCode keyChar,
		//		CGKeyCode virtualKey, Boolean keyDown)
		key       func(app obj, char, code uint16, down bool) int32
		valueType func() uint // CFTypeID AXValueGetTypeID(void)
		// Boolean AXValueGetValue(AXValueRef value, AXValueType theType, void *valuePtr)
		point func(value obj, kind uint32, to *point) bool
		size  func(value obj, kind uint32, to *size) bool // the same function
	}

	event struct {
		// CFTimeInterval CGEventSourceSecondsSinceLastEventType(CGEventSourceStateID stateID, CGEventType eventType)
		since func(state int32, kind uint32) float64
		// uint32_t CGEventSourceCounterForEventType(CGEventSourceStateID stateID, CGEventType eventType)
		counter func(state int32, kind uint32) uint32
		// CGEventRef CGEventCreateKeyboardEvent(CGEventSourceRef source, CGKeyCode virtualKey, bool keyDown)
		key func(source obj, code uint16, down bool) obj
		// void CGEventKeyboardSetUnicodeString(CGEventRef event, UniCharCount stringLength,
		//	const UniChar *unicodeString)
		text func(event obj, length uint, units *uint16)
		// void CGEventSetFlags(CGEventRef event, CGEventFlags flags)
		flags func(event obj, flags uint64)
		// CGEventRef CGEventCreateMouseEvent(CGEventSourceRef source, CGEventType mouseType,
		//	CGPoint mouseCursorPosition, CGMouseButton mouseButton)
		mouse func(source obj, kind uint32, at point, button uint32) obj
		// CGEventRef CGEventCreateScrollWheelEvent2(CGEventSourceRef source, CGScrollEventUnit units,
		//	uint32_t wheelCount, int32_t wheel1, int32_t wheel2, int32_t wheel3)
		wheel func(source obj, units, count uint32, vertical, horizontal, third int32) obj
		// void CGEventPost(CGEventTapLocation tap, CGEventRef event)
		post func(tap uint32, event obj)
		// secure is nil if the system does not have it.
		secure func() bool // Boolean IsSecureEventInputEnabled(void)
	}
}

// symbol is one function of a framework and the field that calls it.
type symbol struct {
	name     string
	to       any // pointer to a func field
	optional bool
}

// framework is a shared library and the functions used from it.
type framework struct {
	name    string
	symbols []symbol
}

// frameworks lists the libraries that fill the table. It is long because it has a line for
// each function.
func (a *api) frameworks() []framework {
	return []framework{
		{"CoreFoundation", []symbol{
			{name: "CFRelease", to: &a.cf.release},
			{name: "CFGetTypeID", to: &a.cf.typeOf},
			{name: "CFDataGetBytePtr", to: &a.cf.bytes},
			{name: "CFDataGetLength", to: &a.cf.length},
		}},
		{"CoreGraphics", []symbol{
			{name: "CGWindowListCopyWindowInfo", to: &a.window.list},
			{name: "CGWindowListCreateImage", to: &a.window.picture, optional: true},
			{name: "CGPreflightScreenCaptureAccess", to: &a.window.allowed},
			{name: "CGRequestScreenCaptureAccess", to: &a.window.ask},
			{name: "CGMainDisplayID", to: &a.window.display},
			{name: "CGImageGetWidth", to: &a.image.width},
			{name: "CGImageGetHeight", to: &a.image.height},
			{name: "CGImageGetBitsPerComponent", to: &a.image.component},
			{name: "CGImageGetBitsPerPixel", to: &a.image.pixel},
			{name: "CGImageGetBytesPerRow", to: &a.image.stride},
			{name: "CGImageGetBitmapInfo", to: &a.image.info},
			{name: "CGImageGetColorSpace", to: &a.image.space},
			{name: "CGImageGetDataProvider", to: &a.image.provider},
			{name: "CGDataProviderCopyData", to: &a.image.data},
			{name: "CGBitmapContextCreate", to: &a.bitmap.create},
			{name: "CGBitmapContextGetData", to: &a.bitmap.bytes},
			{name: "CGBitmapContextGetBytesPerRow", to: &a.bitmap.stride},
			{name: "CGBitmapContextCreateImage", to: &a.bitmap.image},
			{name: "CGContextDrawImage", to: &a.bitmap.draw},
			{name: "CGColorSpaceCreateDeviceGray", to: &a.bitmap.gray},
			{name: "CGColorSpaceCreateDeviceRGB", to: &a.bitmap.rgb},
			{name: "CGEventSourceSecondsSinceLastEventType", to: &a.event.since},
			{name: "CGEventSourceCounterForEventType", to: &a.event.counter},
			{name: "CGEventCreateKeyboardEvent", to: &a.event.key},
			{name: "CGEventKeyboardSetUnicodeString", to: &a.event.text},
			{name: "CGEventSetFlags", to: &a.event.flags},
			{name: "CGEventCreateMouseEvent", to: &a.event.mouse},
			{name: "CGEventCreateScrollWheelEvent2", to: &a.event.wheel},
			{name: "CGEventPost", to: &a.event.post},
		}},
		{"ApplicationServices", []symbol{
			{name: "AXIsProcessTrusted", to: &a.ax.trusted},
			{name: "AXIsProcessTrustedWithOptions", to: &a.ax.ask},
			{name: "AXUIElementCreateSystemWide", to: &a.ax.system},
			{name: "AXUIElementCreateApplication", to: &a.ax.app},
			{name: "AXUIElementSetMessagingTimeout", to: &a.ax.timeout},
			{name: "AXUIElementCopyAttributeValue", to: &a.ax.copy},
			{name: "AXUIElementGetAttributeValueCount", to: &a.ax.count},
			{name: "AXUIElementSetAttributeValue", to: &a.ax.set},
			{name: "AXUIElementPerformAction", to: &a.ax.perform},
			{name: "AXUIElementPostKeyboardEvent", to: &a.ax.key, optional: true},
			{name: "AXValueGetTypeID", to: &a.ax.valueType},
			{name: "AXValueGetValue", to: &a.ax.point},
			{name: "AXValueGetValue", to: &a.ax.size},
		}},
		{"Carbon", []symbol{{name: "IsSecureEventInputEnabled", to: &a.event.secure, optional: true}}},
		// Classes only.
		{"Foundation", nil},
		{"Vision", nil},
		{"ScreenCaptureKit", nil},
	}
}

// prepare is called once, after binding.
func (a *api) prepare() {
	// Connect the process to the window server. Without that ScreenCaptureKit
	// aborts the process.
	a.window.display()
	// For every element of this process: set on one of them, the rest would wait six seconds.
	system := a.ax.system()
	a.ax.timeout(system, axTimeout)
	a.cf.release(system)
}
