package pii

import "sync"

// starts says which words may begin at a rune, by the first two letters of the words that are looked for at every
// place of a text. Most pairs begin none, so that one look at them spares many.
type starts uint16

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
	startsTitle    // a title in English
	startsIntro    // what introduces a name in English
	startsInc      // the legal form of a company in Latin letters
	startsCollege  // what begins or ends the name of a school in English, or the whole of it
	startsJob      // what ends the name of a hospital in English, or introduces an employer
	startsStreet   // an address in Latin letters
	startsState    // a state of the USA, Canada or Australia
	startsPlace    // a place of several words in Latin letters
)

// startsTable has the words that begin with two letters, and those of one letter, at a part of a hash of the letters
// in lower case. Where two of them share a place, both have the words of either.
type startsTable struct {
	pairs [1 << 13]starts
	lone  [1 << 10]starts
}

func (t *startsTable) of(r, next rune) starts {
	return t.pairs[placeOfPair(lowered(r), lowered(next))] | t.lone[placeOfLetter(lowered(r))]
}

// The factors are two primes of xxHash, which spread letters that follow each other.
func placeOfPair(r, next rune) uint32 {
	return (uint32(r)*0x9E3779B1 ^ uint32(next)*0x85EBCA77) >> (32 - 13)
}
func placeOfLetter(r rune) uint32 { return uint32(r) * 0x9E3779B1 >> (32 - 10) }

func (t *startsTable) add(mark starts, x *index) {
	for _, s := range x.slots {
		switch {
		case s.list == nil:
		case s.pair.beside() == 0:
			t.lone[placeOfLetter(s.pair.end())] |= mark
		default:
			t.pairs[placeOfPair(s.pair.end(), s.pair.beside())] |= mark
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
		startsTitle:     {titles},
		startsIntro:     {introductions},
		startsInc:       {forms},
		startsCollege:   {famousSchools, englishSchools},
		startsJob:       {englishClinics, employers},
		startsStreet:    {romanceStreets, houseNumbers, unitWords},
		startsState:     {states},
		startsPlace:     {placesOfWords},
	}
}

// titleLists are lists of words that come before a name.
func titleLists() []*lexicon {
	return []*lexicon{beforeName, unitsOfCompany, honorifics, legalForms, kin}
}

// titleEnds say where such a word may end, by its last letter and the one before it.
var titleEnds = sync.OnceValue(func() *startsTable {
	var t startsTable
	for _, l := range titleLists() {
		t.add(1, &l.last)
	}
	return &t
})

var wordStarts = sync.OnceValue(func() *startsTable {
	var t startsTable
	for mark, lists := range startLists() {
		for _, l := range lists {
			t.add(mark, &l.first)
		}
	}
	return &t
})
