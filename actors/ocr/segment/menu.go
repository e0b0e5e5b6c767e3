package segment

import "image"

// menuHigh is the highest bar of menus, in logical pixels; the header of a conversation is higher.
const menuHigh = 34

// beneathMenu is where the band with the name ends if what stands above it, down to a row, is of the whole
// window and not of the pane: a bar of menus, with words along the window or with nothing above the messages;
// or a notice, whose text goes on across the pane's left side, which is at left. It is 0 if that is no such
// bar, or no name stands beneath.
func (p *Pane) beneathMenu(whole pixels, left, below int) int {
	if below == 0 || !crosses(whole, left, below) &&
		(below > p.px(menuHigh) || p.HasInk(p.bandBetween(0, below)) && !isMenu(whole, below)) {
		return 0
	}
	for _, y := range p.levels() {
		if y > p.h*3/10 || y-below > p.px(bandMost) {
			break
		}
		if y-below >= p.px(bandLeast) && !p.nameIn(below, y).Empty() {
			return y
		}
	}
	return 0
}

// isMenu reports whether the band at the top of a window holds words side by side, and nothing higher.
func isMenu(whole pixels, below int) bool {
	words := 0
	for _, line := range linesAbove(whole, below) {
		if !square(line) {
			words++
		}
	}
	return words >= menuWords
}

// crosses reports whether a line in the band at the top of a window stands left and right of a column.
func crosses(whole pixels, x, below int) bool {
	for _, line := range linesAbove(whole, below) {
		if line.Min.X < x-line.Dy() && line.Max.X > x+line.Dy() {
			return true
		}
	}
	return false
}

// linesAbove are the texts side by side in the band at the top of a window.
func linesAbove(whole pixels, below int) (lines []image.Rectangle) {
	p := &Pane{pixels: whole}
	band := p.bandBetween(0, below)
	paper := p.commonLuma(band)
	for _, column := range p.textColumns(p.withoutBorder(band, paper), paper) {
		if line := p.firstLine(column, paper); !line.Empty() {
			lines = append(lines, line)
		}
	}
	return lines
}

// bandBetween is a band without what parts it from others.
func (p *Pane) bandBetween(top, bottom int) image.Rectangle {
	return image.Rect(p.px(margin), top+p.px(2), p.w-p.px(margin), bottom-p.px(2))
}
