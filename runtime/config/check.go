package config

import (
	"cmp"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/config/settings"
)

// Validate returns an error wrapping [ErrConfig] that lists everything that is wrong.
// Only New knows which drivers and engines there are, because hosts add some: see
// [Config.CheckDrivers].
func (c *Config) Validate() error {
	p := c.tree().Check()
	if c.Data == "" {
		p.Add("data", "want a folder (where this machine tells no home folder there is no default)")
	}
	if c.Encryption.KeyFile != "" && c.Encryption.KeyEnv != "" {
		p.Add("encryption.key_env", "encryption.key_file is set too: set only one of them")
	}
	c.LLM.Check(p.Of("llm"))
	c.Memory.EmbedSettings.Check(p.Of("memory"))
	c.checkWindows(p)
	if _, err := c.JudgeRules(); err != nil {
		p.Add("judge.thresholds", strings.TrimPrefix(err.Error(), judge.ErrRules.Error()+": "))
	}
	app := "line"
	if len(c.Windows) > 0 {
		app = cmp.Or(c.Windows[0].App, app)
	}
	c.Replies.Check(app, slices.ContainsFunc(c.Windows, Window.Drawn), p.Of("replies"))
	recall.CheckPeople(c.People, p.Add)
	if e := c.Focus.Eyes; e.BlinkTo > e.BlinkFrom {
		p.Add("focus.eyes.blink_to", "a blink ends where less is missing than where it begins: want at most blink_from")
	}
	if e := c.Focus.Eyes; e.Narrowest > e.Widest {
		p.Add("focus.eyes.narrowest", "want at most widest")
	}
	return p.Err()
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
	p := c.tree().Problems()
	for _, f := range c.tree().Values() {
		names, ok := known[f.Tag.Get("driver")]
		if name := f.Text(); ok && name != "" {
			p.Add(f.Key, settings.WrongChoice(name, slices.Sorted(slices.Values(names))))
		}
	}
	return p.Err()
}

// The forms of texts: each returns what is wrong, "" if nothing is.

func wrongLayout(s string) string {
	if _, ok := layout.ByName(s); ok || layout.IsFile(s) {
		return ""
	}
	return text.Quote(s) + ": want " + settings.OrList(layout.BuiltIn()) + ", or a file whose name ends in .yaml" +
		settings.DidYouMean(s, layout.BuiltIn())
}

func wrongQuiet(s string) string {
	if _, err := reply.ParseQuiet(s); err != nil {
		return text.Quote(s) +
			": want hours such as 22:00-07:00, which end at another time than they begin; empty for none"
	}
	return ""
}

var nameForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

func wrongName(name string) string {
	if nameForm.MatchString(name) {
		return ""
	}
	return text.Quote(name) + ": want 1 to 32 characters of a to z, 0 to 9 and -, neither first nor last a -"
}

func wrongLoopback(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return text.Quote(addr) + ": want a host and a port such as 127.0.0.1:7411"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return text.Quote(addr) + ": want a port from 0 to 65535"
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return ""
	}
	return text.Quote(addr) +
		": want a loopback address such as 127.0.0.1 or [::1], because the page shows private messages"
}

func wrongListen(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	n, perr := strconv.ParseUint(port, 10, 16)
	if err != nil || perr != nil || n == 0 || strings.ContainsAny(host, " /") {
		return text.Quote(addr) + ": want HOST:PORT, as in en0:7412 or 192.168.1.20:7412"
	}
	return ""
}
