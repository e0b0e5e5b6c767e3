package pii

import (
	"sync"
	"unicode"
)

// starts says which words may begin at a rune, by the first letters of the words that are looked for at every
// place of a text. Most runes begin none, so that one look at it spares many.
type starts uint8

// The words.
const (
	startsCue starts = 1 << iota
	startsPassword
	startsHonorific
	startsSaying   // with which somebody introduces themself, or a name is introduced
	startsForm     // the legal form of a company
	startsEmployer // a label of an employer, or what follows one
	startsOffice   // what ends the name of a school, a hospital or a trade
	startsTown     // a prefecture, or a municipality with kana in its name
)

// startsTable has the pages of 256 runes in which any of those words begin.
type startsTable [256]*[256]starts

func (t *startsTable) of(r rune) starts {
	if p := t[uint16(r)>>8]; p != nil && r <= 0xFFFF {
		return p[r&0xFF]
	}
	return 0
}

func (t *startsTable) add(mark starts, l *lexicon) {
	for _, s := range l.first.slots {
		for _, r := range [...]rune{s.pair.end(), unicode.ToUpper(s.pair.end())} {
			if s.list == nil || r > 0xFFFF {
				continue
			}
			p := &t[r>>8]
			if *p == nil {
				*p = &[256]starts{}
			}
			(*p)[r&0xFF] |= mark
		}
	}
}

// startLists are the lists of those words.
func startLists() map[starts][]*lexicon {
	return map[starts][]*lexicon{
		startsCue:       {cueWords},
		startsPassword:  {passwordWords},
		startsHonorific: {honorifics},
		startsSaying:    {saysName, namedBy},
		startsForm:      {legalForms},
		startsEmployer:  {worksAt, workplaces},
		startsOffice:    {schoolWords, clinicWords, trades},
		startsTown:      {prefectures, kanaTowns},
	}
}

var wordStarts = sync.OnceValue(func() *startsTable {
	var t startsTable
	for mark, lists := range startLists() {
		for _, l := range lists {
			t.add(mark, l)
		}
	}
	return &t
})
