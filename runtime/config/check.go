package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Every check returns what is wrong, "" for nothing.

// maxWindows is how many windows may be watched.
const maxWindows = 16

var (
	nameForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)
	envForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

func checkData(dir string) string {
	if dir == "" {
		return "want a folder (where this machine tells no home folder there is no default)"
	}
	return ""
}

func checkName(name string) string {
	if nameForm.MatchString(name) {
		return ""
	}
	return quote(name) + ": want 1 to 32 characters of a to z, 0 to 9 and -, neither first nor last a -"
}

// checkKeyFile and checkKeyEnv never quote: what stands there may be the key by
// mistake.
func checkKeyFile(path string) string {
	if endsInKey(path) {
		return "want the path of a file, not the key itself (the value is not shown); if it was the key, make a new one"
	}
	return ""
}

// endsInKey tells a key where a path is wanted, also behind the folder that
// relative paths are given. Hashes that name files count as keys.
func endsInKey(path string) bool {
	for _, n := range [...]int{64, 44, 43} { // hex, base64, base64 without padding
		start := len(path) - n
		if start == 0 || start > 0 && os.IsPathSeparator(path[start-1]) {
			if isKey(path[start:]) {
				return true
			}
		}
	}
	return false
}

// isKey tells a key from a name of 43 or 44 characters: random base64 has all
// three classes of characters, or padding.
func isKey(s string) bool {
	if _, ok := decodeKey(s); !ok {
		return false
	}
	return len(s) == 64 || strings.HasSuffix(s, "=") ||
		strings.ContainsAny(s, "0123456789") && strings.ToLower(s) != s && strings.ToUpper(s) != s
}

func checkKeyEnv(e Encryption) string {
	switch {
	case e.KeyEnv == "":
		return ""
	case looksSecret(e.KeyEnv):
		return "want the name of an environment variable, not the key itself (the value is not shown); " +
			"if it was the key, make a new one"
	case e.KeyFile != "":
		return "encryption.key_file is set too: set only one of them"
	}
	return ""
}

// looksSecret tells a key from the name of an environment variable.
func looksSecret(s string) bool {
	return isKey(s) || !envForm.MatchString(s)
}

func checkLoopback(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return quote(addr) + ": want a host and a port such as 127.0.0.1:7411"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return quote(addr) + ": want a port from 0 to 65535"
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return ""
	}
	return quote(addr) + ": want a loopback address such as 127.0.0.1 or [::1], because the page shows private messages"
}

func (c *Config) checkWindows(p *problems) {
	if n := len(c.Windows); n > maxWindows {
		p.add(c, "windows", fmt.Sprintf("%d windows: want at most %d", n, maxWindows))
	}
	names, refs := map[string]int{}, map[string]int{}
	for i, w := range c.Windows {
		key := fmt.Sprintf("windows.%d.", i)
		p.add(c, key+"name", checkName(w.Name))
		p.add(c, key+"app", checkName(w.App))
		p.add(c, key+"driver", checkName(w.Driver))
		if w.Structure != "" {
			p.add(c, key+"structure", checkName(w.Structure))
		}
		p.add(c, key+"layout", checkLayout(w.Layout))
		if w.Script != "" && w.Driver != "drawn" {
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

// Capture is the driver's own name of the window: Ref, or else Name.
func (w Window) Capture() string {
	if w.Ref != "" {
		return w.Ref
	}
	return w.Name
}

// CheckDrivers returns an error wrapping [ErrConfig] where the configuration
// names a screen driver or an OCR engine other than these.
func (c *Config) CheckDrivers(screens, engines []string) error {
	var p problems
	for i, w := range c.Windows {
		p.add(c, fmt.Sprintf("windows.%d.driver", i), checkOneOf(w.Driver, screens))
	}
	p.add(c, "ocr.engine", checkOneOf(c.OCR.Engine, engines))
	return p.err()
}

// ID is the name of the window among those of all nodes: line@mac-a.
func (w Window) ID(node string) messages.WindowID {
	return messages.WindowID(w.Name + "@" + node)
}

// CheckUsages returns an error wrapping [ErrConfig] where focus.usage is not one
// of these drivers.
func (c *Config) CheckUsages(drivers []string) error {
	return c.Wrong("focus.usage", checkOneOf(c.Focus.Usage, append(drivers, UsageNone)))
}

// CheckStructures returns an error wrapping [ErrConfig] where a window names a
// structure driver other than these.
func (c *Config) CheckStructures(drivers []string) error {
	var p problems
	for i, w := range c.Windows {
		if w.Structure != "" {
			p.add(c, fmt.Sprintf("windows.%d.structure", i), checkOneOf(w.Structure, drivers))
		}
	}
	return p.err()
}

func checkOneOf(value string, allowed []string) string {
	if slices.Contains(allowed, value) {
		return ""
	}
	if len(allowed) == 0 {
		return quote(value) + ": there is none to choose from here"
	}
	allowed = slices.Sorted(maps.Keys(setOf(allowed)))
	return quote(value) + ": want " + orList(allowed) + didYouMean(value, allowed)
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// orList is "a, b or c".
func orList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
