package ingress

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// Profile says what decides.
type Profile string

// Profiles.
const (
	Default Profile = "default" // place and side, text where they are silent
	Seed    Profile = "seed"    // text alone
)

// strategy says what decides beside text.
type strategy struct {
	place bool // a message whose place proves it new passes the windows
	side  bool // one on the friend's side is no echo, and short texts of two sides are two
}

var strategies = map[Profile]strategy{Default: {place: true, side: true}, Seed: {}}

// Options of a gate. A zero field means its default.
type Options struct {
	Profile Profile // Default

	EchoWindow time.Duration  // how long a sent text is expected back; 10 min
	Echo       text.EchoRules // text.DefaultEcho()
	Sends      int            // sent texts remembered, oldest out first; 128

	ShortWindow time.Duration // of texts of one line; 20 s
	ShortMin    int           // characters without white space and punctuation; 2
	ShortMax    int           // 24

	CommonWindow time.Duration // 20 s
	CommonMin    int           // characters without white space and punctuation; 10
	CommonMax    int           // a longer text is compared whole, and never nearly; 400
	Similar      float64       // trigram similarity, 0 to 1; 0.93
	Entries      int           // heard texts remembered, oldest out first; 2000

	// HashKey makes the hash of a text that the log shows. Without it there is
	// no hash, because that of a short text could be guessed.
	HashKey []byte
}

// WithDefaults fills in what is zero.
func (o Options) WithDefaults() Options {
	fill(&o.Profile, Default)
	fill(&o.EchoWindow, 10*time.Minute)
	fill(&o.Echo, text.DefaultEcho())
	fill(&o.Echo.Lines, text.DefaultLines())
	fill(&o.Sends, 128)
	fill(&o.ShortWindow, 20*time.Second)
	fill(&o.ShortMin, 2)
	fill(&o.ShortMax, 24)
	fill(&o.CommonWindow, 20*time.Second)
	fill(&o.CommonMin, 10)
	fill(&o.CommonMax, 400)
	fill(&o.Similar, 0.93)
	fill(&o.Entries, 2000)
	return o
}

func fill[V comparable](v *V, standard V) {
	var zero V
	if *v == zero {
		*v = standard
	}
}

// Validate says what is wrong with options, naming the field.
func (o Options) Validate() error {
	o = o.WithDefaults()
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{o.Profile == Default || o.Profile == Seed, fmt.Sprintf("Profile %q: want %q or %q", o.Profile, Default, Seed)},
		{o.EchoWindow > 0, fmt.Sprintf("EchoWindow %v: want more than 0", o.EchoWindow)},
		{o.ShortWindow > 0, fmt.Sprintf("ShortWindow %v: want more than 0", o.ShortWindow)},
		{o.CommonWindow > 0, fmt.Sprintf("CommonWindow %v: want more than 0", o.CommonWindow)},
		{o.ShortMin > 0 && o.ShortMin <= o.ShortMax, fmt.Sprintf("ShortMin %d, ShortMax %d: want 1 ≤ ShortMin ≤ ShortMax", o.ShortMin, o.ShortMax)},
		{o.CommonMin > 2 && o.CommonMin <= o.CommonMax, fmt.Sprintf("CommonMin %d, CommonMax %d: want 3 ≤ CommonMin ≤ CommonMax", o.CommonMin, o.CommonMax)},
		{o.CommonMax <= 4000, fmt.Sprintf("CommonMax %d: want at most 4000", o.CommonMax)},
		{o.Similar > 0 && o.Similar <= 1, fmt.Sprintf("Similar %v: want more than 0, at most 1", o.Similar)},
		{o.Echo.MinEqual > 0 && o.Echo.MinPart > 0 && o.Echo.MinLine > 0 && o.Echo.MinLines > 0, fmt.Sprintf("Echo %+v: want lengths and numbers of at least 1", o.Echo)},
		{percent(o.Echo.Contains) && percent(o.Echo.Contained) && percent(o.Echo.LinesMatch), fmt.Sprintf("Echo %+v: want shares of 1 to 100", o.Echo)},
		{o.Echo.Lines.Min > 0 && percent(o.Echo.Lines.Cover) && o.Echo.Lines.Similar > 0 && o.Echo.Lines.Similar <= 1, fmt.Sprintf("Echo.Lines %+v: want a length of at least 1, a share of 1 to 100 and a similarity above 0, at most 1", o.Echo.Lines)},
		{o.Sends > 0 && o.Sends <= 1000, fmt.Sprintf("Sends %d: want 1 to 1000", o.Sends)},
		{o.Entries > 0 && o.Entries <= 2000, fmt.Sprintf("Entries %d: want 1 to 2000", o.Entries)},
	} {
		if !c.ok {
			return fmt.Errorf("ingress: %s", c.what)
		}
	}
	return nil
}

func percent(n int) bool { return n > 0 && n <= 100 }
