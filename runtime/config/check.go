package config

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
)

// Validate returns an error wrapping [ErrConfig] that lists everything that is wrong.
// Only New knows which drivers and engines there are, because hosts add some: see
// [Config.CheckDrivers].
func (c *Config) Validate() error {
	p := problems{}
	fields := c.fields()
	for _, f := range fields {
		p.add(c, f.key, f.wrong())
	}
	if c.Data == "" {
		p.add(c, "data", "want a folder (where this machine tells no home folder there is no default)")
	}
	if c.Encryption.KeyFile != "" && c.Encryption.KeyEnv != "" {
		p.add(c, "encryption.key_env", "encryption.key_file is set too: set only one of them")
	}
	c.LLM.Check(p.of(c, "llm"))
	c.checkOrder(&p, fields)
	c.checkWindows(&p)
	if _, err := c.JudgeRules(); err != nil {
		p.add(c, "judge.thresholds", strings.TrimPrefix(err.Error(), judge.ErrRules.Error()+": "))
	}
	app := "line"
	if len(c.Windows) > 0 {
		app = cmp.Or(c.Windows[0].App, app)
	}
	c.Replies.Check(app, slices.ContainsFunc(c.Windows, Window.Drawn), p.of(c, "replies"))
	recall.CheckPeople(c.People, func(key, what string) { p.add(c, key, what) })
	return p.err()
}

// checkOrder checks pairs of numbers of which one may not exceed the other. It complains
// about the one that somebody set.
func (c *Config) checkOrder(p *problems, fields []field) {
	for _, low := range fields {
		name := low.tag.Get("atmost")
		if name == "" {
			continue
		}
		section, _ := low.cut()
		high, _ := c.field(section + name)
		switch {
		case inOrder(low.value, high.value):
		case c.originOf(high.key) == (origin{}):
			p.add(c, low.key, fmt.Sprintf("%s: want at most %s, which is %s", low.text(), high.key, high.text()))
		default:
			p.add(c, high.key, fmt.Sprintf("%s: want at least %s, which is %s", high.text(), low.key, low.text()))
		}
	}
}

// maxWindows is how many windows may be watched.
const maxWindows = 16

func (c *Config) checkWindows(p *problems) {
	if n := len(c.Windows); n > maxWindows {
		p.add(c, "windows", tooManyWindows(n))
	}
	names, refs := map[string]int{}, map[string]int{}
	for i, w := range c.Windows {
		key := fmt.Sprintf("windows.%d.", i)
		if w.Script != "" && !w.Drawn() {
			p.add(c, key+"script", "only a drawn window can play one: leave it out or set driver: drawn")
		}
		if first, ok := names[w.Name]; ok {
			p.add(c, key+"name", fmt.Sprintf("%s: windows.%d has that name: give each window its own",
				quote(w.Name), first))
			continue
		}
		names[w.Name] = i
		ref := w.Driver + "\x00" + w.Capture()
		if first, ok := refs[ref]; ok {
			p.add(c, key+"ref", fmt.Sprintf("%s: windows.%d shows the same window: give each its own ref",
				quote(w.Capture()), first))
			continue
		}
		refs[ref] = i
	}
}

func tooManyWindows(n int) string { return fmt.Sprintf("%d windows: want at most %d", n, maxWindows) }

// Drawn says that Kehai draws the window itself.
func (w Window) Drawn() bool { return w.Driver == "drawn" }

// Capture is the driver's own name of the window: Ref, or else Name.
func (w Window) Capture() string {
	if w.Ref != "" {
		return w.Ref
	}
	return w.Name
}

// ID is the name of the window among those of all nodes: line@mac-a.
func (w Window) ID(node string) messages.WindowID {
	return messages.WindowID(w.Name + "@" + node)
}

// Drivers are the names of what can be chosen, by what it does: DriverScreen
// and the others.
type Drivers map[string][]string

// What drivers do, as the tags of the fields say that name them.
const (
	DriverScreen    = "screen"    // windows.N.driver
	DriverStructure = "structure" // windows.N.structure
	DriverOCR       = "ocr"       // ocr.engine
	DriverUsage     = "usage"     // focus.usage
)

// CheckDrivers returns an error wrapping [ErrConfig] where the configuration
// names a driver other than these. A kind that is not among them is not checked.
func (c *Config) CheckDrivers(known Drivers) error {
	var p problems
	for _, f := range c.fields() {
		names, ok := known[f.tag.Get("driver")]
		if name := f.text(); ok && name != "" {
			p.add(c, f.key, wrongChoice(name, slices.Sorted(slices.Values(names))))
		}
	}
	return p.err()
}

// forms are the formats of texts. Each returns what is wrong, "" if nothing is.
var forms = map[string]func(string) string{
	"name": wrongName, "loopback": wrongLoopback, "layout": wrongLayout, "quiet": wrongQuiet,
}

func wrongQuiet(s string) string {
	if _, err := reply.ParseQuiet(s); err != nil {
		return quote(s) + ": want hours such as 22:00-07:00, which end at another time than they begin; empty for none"
	}
	return ""
}

var nameForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

func wrongName(name string) string {
	if nameForm.MatchString(name) {
		return ""
	}
	return quote(name) + ": want 1 to 32 characters of a to z, 0 to 9 and -, neither first nor last a -"
}

func wrongLoopback(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return quote(addr) + ": want a host and a port such as 127.0.0.1:7411"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return quote(addr) + ": want a port from 0 to 65535"
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return ""
	}
	return quote(addr) + ": want a loopback address such as 127.0.0.1 or [::1], because the page shows private messages"
}

func wrongChoice(value string, allowed []string) string {
	switch {
	case slices.Contains(allowed, value):
		return ""
	case len(allowed) == 0:
		return quote(value) + ": there is none to choose from here"
	}
	return quote(value) + ": want " + orList(allowed) + didYouMean(value, allowed)
}

// orList is "a, b or c".
func orList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
