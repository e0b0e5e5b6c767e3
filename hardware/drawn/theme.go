package drawn

import "image/color"

// Theme holds the colours of a window. In both themes own fill satisfies
// g > 130, g > r+8 and g > b+12, and nothing else in the message area does.
type Theme struct {
	Name         string
	Background   color.RGBA // of the message area
	Header       color.RGBA
	HeaderText   color.RGBA
	Incoming     color.RGBA // fill of incoming bubbles
	IncomingText color.RGBA
	Own          color.RGBA // fill of own bubbles
	OwnText      color.RGBA
	Timestamp    color.RGBA // and read marks
	Pill         color.RGBA // background of dates and notices
	PillText     color.RGBA
	Bar          color.RGBA // input bar
	Field        color.RGBA // input field inside the bar
	FieldText    color.RGBA
	Placeholder  color.RGBA
	Line         color.RGBA // icons and dividers
}

// Light and Dark are the themes.
var (
	Light = Theme{
		Name:         "light",
		Background:   rgb(140, 171, 216),
		Header:       rgb(226, 232, 240),
		HeaderText:   rgb(24, 28, 34),
		Incoming:     rgb(255, 255, 255),
		IncomingText: rgb(20, 20, 20),
		Own:          rgb(195, 246, 157),
		OwnText:      rgb(18, 26, 14),
		Timestamp:    rgb(62, 77, 104),
		Pill:         rgb(110, 139, 181),
		PillText:     rgb(252, 252, 252),
		Bar:          rgb(250, 250, 250),
		Field:        rgb(250, 250, 250),
		FieldText:    rgb(24, 24, 24),
		Placeholder:  rgb(160, 164, 170),
		Line:         rgb(120, 126, 134),
	}
	Dark = Theme{
		Name:         "dark",
		Background:   rgb(23, 25, 30),
		Header:       rgb(34, 37, 43),
		HeaderText:   rgb(236, 238, 241),
		Incoming:     rgb(54, 57, 64),
		IncomingText: rgb(238, 239, 241),
		Own:          rgb(102, 205, 124),
		OwnText:      rgb(8, 22, 11),
		Timestamp:    rgb(150, 156, 166),
		Pill:         rgb(44, 47, 54),
		PillText:     rgb(206, 210, 216),
		Bar:          rgb(34, 37, 43),
		Field:        rgb(240, 241, 243),
		FieldText:    rgb(24, 24, 24),
		Placeholder:  rgb(150, 154, 160),
		Line:         rgb(150, 156, 166),
	}
)

func rgb(r, g, b uint8) color.RGBA { return color.RGBA{R: r, G: g, B: b, A: 255} }
