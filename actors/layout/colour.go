package layout

// Range holds the numbers from Min to Max, both included.
type Range struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// Has reports whether v is inside.
func (r Range) Has(v int) bool { return r.Min <= v && v <= r.Max }

// Green holds the colours with g > Min, g > r+OverRed and g > b+OverBlue.
// Differences of channels survive a display's colour profile better than a
// colour with a tolerance does. A Min of 255 holds no colour.
type Green struct {
	Min      int `yaml:"min"`
	OverRed  int `yaml:"over_red"`
	OverBlue int `yaml:"over_blue"`
}

// Has reports whether a colour is inside.
func (c Green) Has(r, g, b uint8) bool {
	return int(g) > c.Min && int(g) > int(r)+c.OverRed && int(g) > int(b)+c.OverBlue
}

// Grey holds the colours whose channels all lie in Min..Max and differ by at
// most Spread.
type Grey struct {
	Min    int `yaml:"min"`
	Max    int `yaml:"max"`
	Spread int `yaml:"spread"`
}

// Has reports whether a colour is inside.
func (c Grey) Has(r, g, b uint8) bool {
	lo, hi := int(min(r, g, b)), int(max(r, g, b))
	return lo >= c.Min && hi <= c.Max && hi-lo <= c.Spread
}

// Near holds the colours whose channels are each at most Off away.
type Near struct {
	R   int `yaml:"r"`
	G   int `yaml:"g"`
	B   int `yaml:"b"`
	Off int `yaml:"off"`
}

// Has reports whether a colour is inside.
func (c Near) Has(r, g, b uint8) bool {
	return within(int(r)-c.R, c.Off) && within(int(g)-c.G, c.Off) && within(int(b)-c.B, c.Off)
}

func within(d, off int) bool { return -off <= d && d <= off }

func isNear(list []Near, r, g, b uint8) bool {
	for _, c := range list {
		if c.Has(r, g, b) {
			return true
		}
	}
	return false
}
