package segment

import "image"

// openAuto is [Open] for a layout that says nothing of places and colours.
func (p *Pane) openAuto(whole pixels, img *image.RGBA) (err error) {
	box, bar := whole.transcript()
	p.At = box.Min
	p.image = img.SubImage(box.Add(img.Rect.Min)).(*image.RGBA)
	if p.pixels, err = pixelsOf(p.image, whole.scale); err != nil {
		return err
	}
	middle := image.Rect(0, p.h*3/10, p.w, max(p.h*7/10, p.h*3/10+1))
	columns := p.columns()
	best, count := p.colours(middle.Min.Y, middle.Max.Y, columns[:]...)
	// A gradient may have near colours only, but not one.
	p.background = background{colour: best, patterned: 10*count[best] < 6*2*middle.Dy()}
	title, top, bottom := p.between(p.background)
	if below := p.beneathMenu(whole, box.Min.X, title); below > 0 {
		p.menu, title, top = title, below, max(top, below)
	}
	if title == 0 {
		title = min(p.px(p.layout.Header.Height), p.h)
		top = max(top, title)
	}
	p.title = title
	p.Area = image.Rect(0, min(top, p.h), p.w, max(bottom, min(top, p.h)))
	if p.Area.Max.Y < p.h && p.endsAtMessage() {
		p.Area.Max.Y = p.h
	}
	if p.Area.Max.Y == p.h {
		p.Area.Max.Y = p.aboveField()
	}
	p.Area.Min.Y, p.Area.Max.Y = whole.besideBar(box, bar, p.Area.Min.Y, p.Area.Max.Y)
	p.theme = p.layout.ThemeFor(p.background.colour.luma())
	return p.withoutHighlight()
}

// nameInHeader is the name in the band between a menu and the messages.
func (p *Pane) nameInHeader() image.Rectangle { return p.nameIn(p.menu, p.title) }

// nameIn finds the conversation's name in a band: the first line of the widest column
// of text that is no icon. Below the name often stands a status.
func (p *Pane) nameIn(top, bottom int) image.Rectangle {
	band := p.bandBetween(top, bottom)
	if band.Empty() {
		return image.Rectangle{}
	}
	paper := p.commonLuma(band)
	band = p.withoutBorder(band, paper)
	var best, single, first image.Rectangle // a name of one letter is as square as an icon
	words := 0
	for _, column := range p.textColumns(band, paper) {
		column = p.besidePortrait(column, paper)
		switch line := p.firstLine(column, paper); {
		case square(line) && line.Dy() > p.px(12):
			if 2*line.Max.X < p.w {
				single = line
			}
		case !line.Empty():
			if line.Dx() >= 2*line.Dy() {
				if words++; first.Empty() {
					first = line
				}
			}
			if line.Dx() > best.Dx() {
				best = line
			}
		}
	}
	if words >= menuWords && first.Dy() >= best.Dy() && p.px(nameFirst) >= first.Min.X {
		best = first // the rest are words to click on
	}
	if !single.Empty() && best.Dx() <= 2*single.Dx() && best.Min.X > p.w/2 || best.Empty() {
		best = single
	}
	if best.Empty() {
		best = p.belowPortrait(band, paper)
	}
	if best.Empty() {
		return best
	}
	return best.Inset(-p.px(3)).Intersect(image.Rect(0, top, p.w, bottom))
}

// belowPortrait is the line below a portrait in the middle of a band, empty if there is none.
func (p *Pane) belowPortrait(band image.Rectangle, paper int) image.Rectangle {
	for _, column := range p.textColumns(band, paper) {
		inked := func(y int) bool { return !p.inkOn(image.Rect(column.Min.X, y, column.Max.X, y+1), paper).Empty() }
		above, below := column, column
		for above.Min.Y < column.Max.Y && !inked(above.Min.Y) {
			above.Min.Y++
		}
		for below.Min.Y = above.Min.Y; below.Min.Y < column.Max.Y && inked(below.Min.Y); {
			below.Min.Y++
		}
		above.Max.Y = below.Min.Y
		off := column.Min.X + column.Max.X - band.Min.X - band.Max.X
		if at := p.inkOn(above, paper); square(at) && at.Dy() > p.px(lineHigh) && abs(off) <= p.px(2*markCentre) {
			return p.firstLine(below, paper)
		}
	}
	return image.Rectangle{}
}

// textColumns are the columns of a band in which something is written, parted by more than words are.
func (p *Pane) textColumns(band image.Rectangle, paper int) (columns []image.Rectangle) {
	inked := make([]bool, band.Dx())
	p.stretches(band, func(at image.Rectangle, c colour) {
		if d := c.luma() - paper; d >= inkContrast || -d >= inkContrast {
			for x := at.Min.X; x < at.Max.X; x++ {
				inked[x-band.Min.X] = true
			}
		}
	})
	start, gap := -1, 0
	for x := 0; x <= len(inked); x++ {
		if x < len(inked) && inked[x] {
			if start < 0 {
				start = x
			}
			gap = 0
			continue
		}
		if gap++; start < 0 || x < len(inked) && gap <= p.px(titleGap) {
			continue
		}
		columns = append(columns, image.Rect(band.Min.X+start, band.Min.Y, band.Min.X+x-gap+1, band.Max.Y))
		start = -1
	}
	return columns
}

// withoutBorder cuts off the line in which a band ends, if one runs all along it.
func (p *Pane) withoutBorder(band image.Rectangle, paper int) image.Rectangle {
	for band.Dy() > p.px(bandLeast) {
		last, n := image.Rect(band.Min.X, band.Max.Y-1, band.Max.X, band.Max.Y), 0
		p.stretches(last, func(at image.Rectangle, c colour) {
			if d := c.luma() - paper; d >= inkContrast || -d >= inkContrast {
				n += at.Dx()
			}
		})
		if 10*n < 9*band.Dx() {
			break
		}
		band.Max.Y--
	}
	return band
}

// besidePortrait cuts off the portrait at the left of a column: as wide as high, and higher than what is
// written right of it.
func (p *Pane) besidePortrait(column image.Rectangle, paper int) image.Rectangle {
	front := column
	for x := column.Min.X; x < column.Max.X; x++ {
		if p.inkOn(image.Rect(x, column.Min.Y, x+1, column.Max.Y), paper).Empty() {
			front.Max.X = x
			break
		}
	}
	rest := column
	rest.Min.X = front.Max.X
	at, name := p.inkOn(front, paper), p.firstLine(rest, paper)
	p.stretches(front, func(r image.Rectangle, c colour) { // also where it is as bright as the band
		if c.chroma() >= tickChroma {
			at = at.Union(r)
		}
	})
	if square(at) && at.Dx() >= p.px(blockHeight) && !name.Empty() && 4*at.Dy() > 5*name.Dy() {
		return rest
	}
	return column
}

// A header with so many texts is a row of buttons behind a name that begins at the left.
const (
	menuWords = 3
	nameFirst = 80 // logical pixels
)

// What a name in a header is at most, logical pixels.
const (
	titleGap = 12 // between its words
	lineHigh = 28
)

// firstLine is the uppermost ink of a column that is as high as a line of text;
// empty for an icon or a portrait.
func (p *Pane) firstLine(column image.Rectangle, paper int) image.Rectangle {
	start := -1
	for y := column.Min.Y; y <= column.Max.Y; y++ {
		inked := false
		if y < column.Max.Y {
			p.stretches(image.Rect(column.Min.X, y, column.Max.X, y+1), func(_ image.Rectangle, c colour) {
				d := c.luma() - paper
				inked = inked || d >= inkContrast || -d >= inkContrast
			})
		}
		switch {
		case inked && start < 0:
			start = y
		case !inked && start >= 0:
			line := p.ink(image.Rect(column.Min.X, start, column.Max.X, y))
			if h := line.Dy(); h < p.px(6) || h > p.px(lineHigh) || square(line) && h > p.px(22) {
				return image.Rectangle{}
			}
			return line
		}
	}
	return image.Rectangle{}
}
