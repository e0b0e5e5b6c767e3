package darwin

import (
	"fmt"
	"math"
)

// is reports whether o is of the class. An object of an unexpected class would end
// the process at the first message that it does not understand.
func (a *api) is(o obj, class string) bool {
	return o != 0 && a.sendBool(o, "isKindOfClass:", a.class(class)) // - (BOOL)isKindOfClass:(Class)aClass
}

// text reads an NSString; "" for anything else.
func (a *api) text(o obj) string {
	if !a.is(o, "NSString") {
		return ""
	}
	return a.sendCString(o, "UTF8String") // @property const char *UTF8String
}

// number reads an NSNumber, booleans included; NaN for anything else.
func (a *api) number(o obj) float64 {
	if !a.is(o, "NSNumber") {
		return math.NaN()
	}
	return a.sendDouble(o, "doubleValue") // @property double doubleValue
}

// list reads an NSArray; nil for anything else.
func (a *api) list(o obj) []obj {
	if !a.is(o, "NSArray") {
		return nil
	}
	out := make([]obj, max(0, a.sendInt(o, "count"))) // @property NSUInteger count
	for i := range out {
		out[i] = a.send(o, "objectAtIndex:", i) // - (id)objectAtIndex:(NSUInteger)index
	}
	return out
}

// at reads one entry of an NSDictionary; 0 if there is none.
func (a *api) at(o obj, key string) obj {
	if !a.is(o, "NSDictionary") {
		return 0
	}
	return a.send(o, "objectForKey:", a.string(key)) // - (id)objectForKey:(id)aKey
}

// string makes an NSString.
func (a *api) string(s string) obj {
	// + (instancetype)stringWithUTF8String:(const char *)string
	return a.send(a.class("NSString"), "stringWithUTF8String:", s)
}

// array makes an NSArray.
func (a *api) array(items ...obj) obj {
	out := a.send(a.class("NSMutableArray"), "array") // + (instancetype)array
	for _, item := range items {
		a.send(out, "addObject:", item) // - (void)addObject:(id)anObject
	}
	return out
}

// failure reads an NSError: its domain, its code and its description.
func (a *api) failure(o obj) systemError {
	if !a.is(o, "NSError") {
		return systemError{domain: "unknown"}
	}
	return systemError{
		domain: a.text(a.send(o, "domain")),               // @property NSErrorDomain domain
		code:   a.sendInt(o, "code"),                      // @property NSInteger code
		text:   a.text(a.send(o, "localizedDescription")), // @property NSString *localizedDescription
	}
}

// systemError is the content of an NSError.
type systemError struct {
	domain string
	code   int
	text   string
}

func (e systemError) Error() string { return fmt.Sprintf("%s (%s %d)", e.text, e.domain, e.code) }
