package layout

// Range holds the numbers from Min to Max, both included.
type Range struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// Has reports that v is inside.
func (r Range) Has(v int) bool { return r.Min <= v && v <= r.Max }

// Green holds the colours with g > Min, g > r+OverRed and g > b+OverBlue.
// Differences of channels survive a display's colour profile better than a
// colour with a tolerance does.
type Green struct {
	Min      int `yaml:"min"`
	OverRed  int `yaml:"over_red"`
	OverBlue int `yaml:"over_blue"`
}

// Has reports that a colour is inside.
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

// Has reports that a colour is inside.
func (c Grey) Has(r, g, b uint8) bool {
	lo, hi := int(min(r, g, b)), int(max(r, g, b))
	return lo >= c.Min && hi <= c.Max && hi-lo <= c.Spread
}
