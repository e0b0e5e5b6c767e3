package keyring

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

// reading is what a file of a list tells.
type reading struct {
	list
	unclear []id // of entries that cannot be read, as they stand
	all     int  // entries that the file should have
	cut     bool // some at its end are missing, or nobody can tell
	none    bool // nothing can be read
}

// mostRighted is how many changed entries of a list are put right. More are no accident of single bytes.
const mostRighted = 16

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	checkHead  = crc32.Checksum([]byte(listHead), castagnoli)
	checkPrior = crc32.Checksum([]byte(priorHead), castagnoli)
)

// checkOf is the check of an entry with a number, in a list with a head of which this is the checksum.
func checkOf(bare []byte, head uint32, number int) uint32 {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(number))
	return crc32.Update(crc32.Update(head, castagnoli, n[:]), castagnoli, bare)
}

// sound reports whether an entry is as it was written in this place.
func sound(line []byte, head uint32, number int) bool {
	return binary.BigEndian.Uint32(line[bareEntry:]) == checkOf(line[:bareEntry], head, number)
}

// under reports whether entries are of a list with a head of which this is the checksum: half of them or more.
func under(lines []byte, head uint32) bool {
	good, all := 0, len(lines)/listEntry
	for n := range all {
		if sound(lines[n*listEntry:][:listEntry], head, n) {
			good++
		}
	}
	return good > 0 && 2*good >= all
}

// righted is an entry of which one byte was changed, as it was written. ok is false where that is not all that
// happened to it, or more than one entry may have stood there.
func righted(line []byte, head uint32, number int) (was []byte, ok bool) {
	try := bytes.Clone(line)
	for at := range try {
		for try[at]++; try[at] != line[at]; try[at]++ {
			if !sound(try, head, number) {
				continue
			}
			if was != nil {
				return nil, false
			}
			was = bytes.Clone(try)
		}
	}
	return was, was != nil
}

// sector is what a disk writes whole, in bytes.
const sector = 512

// torn reports whether an entry that begins at a place of the file was being written when the power went: its end is
// zeros, or what of it is in one of two sectors.
func torn(line []byte, begin int) bool {
	edge := sector - begin%sector
	return blank(line[bareEntry:]) || edge < len(line) && (blank(line[:edge]) || blank(line[edge:]))
}

// parseList reads a list. later reports that it may be one of a later version.
func parseList(raw []byte) (r reading, later bool) {
	none := reading{list: newList(0), none: true}
	none.exists, none.stale = true, true
	if len(raw) < len(listHead) {
		return none, false
	}
	head, lines := string(raw[:len(listHead)]), raw[len(listHead):]
	switch old := head == oldHead || differ(head, oldHead) == 1 && !strings.HasPrefix(head, anyHead); {
	case head == listHead && len(lines) >= listEntry && sound(lines[:listEntry], checkHead, 0), under(lines, checkHead),
		head == listHead && !under(lines, checkPrior):
		r = parseCounted(lines)
		r.stale = r.stale || head != listHead
		return r, false
	case under(lines, checkPrior), head == priorHead:
		r = parseLines(lines, checkPrior, 0, 0)
		r.stale = true
		return r, false
	case old:
		return parseOld(lines), false
	}
	number, begins := strings.CutPrefix(head, anyHead)
	return none, begins && '3' < number[0] && number[0] <= '9' && number[1] == '\n'
}

// anyHead is how a list of any version begins.
const anyHead = "kehai keys "

// differ counts the bytes in which two texts of the same length differ.
func differ(a, b string) (n int) {
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// parseCounted reads a list whose first entry counts the others.
func parseCounted(lines []byte) (r reading) {
	count, ok := -1, false
	if len(lines) >= listEntry {
		line := lines[:listEntry]
		if ok = sound(line, checkHead, 0); !ok {
			line, ok = righted(line, checkHead, 0)
		}
		if ok {
			count = int(binary.BigEndian.Uint64(line[1+idBytes-8:]))
		}
	}
	r = parseLines(lines[min(len(lines), listEntry):], checkHead, 1, count)
	r.stale = r.stale || len(lines) < listEntry || !sound(lines[:listEntry], checkHead, 0)
	r.cut = r.cut || !ok
	return r
}

// parseLines reads the entries of a list, which are numbered from first. So many of them were on the disk for sure. A
// power cut may have cut the one after these off, or left zeros: what is there of it goes.
func parseLines(lines []byte, head uint32, first, count int) (r reading) {
	used := len(bytes.TrimRight(lines, "\x00"))
	all := min((used+listEntry-1)/listEntry, len(lines)/listEntry)
	r.list, r.exists, r.all = newList(all), true, max(all, count)
	r.cut, r.stale = all < count, used > all*listEntry
	bad := 0
	for n := range all {
		line, number := lines[n*listEntry:][:listEntry], first+n
		if !sound(line, head, number) {
			bad++
			was, ok := []byte(nil), false
			if bad <= mostRighted {
				was, ok = righted(line, head, number)
			}
			r.stale = true
			if !ok && n == all-1 && n >= count && torn(line, int(place(number))) {
				r.all--
				return r
			}
			if line = was; !ok {
				r.unclear = append(r.unclear, id(lines[n*listEntry+1:][:idBytes]))
				continue
			}
		}
		if e := (entry{line[0], id(line[1:][:idBytes]), stamp(line[1+idBytes:][:stampBytes])}); !r.take(e) {
			r.unclear = append(r.unclear, e.of)
		}
		r.entries++
	}
	return r
}

// parseOld reads the entries of the first form.
func parseOld(lines []byte) (r reading) {
	all := (len(bytes.TrimRight(lines, "\x00")) + oldEntry - 1) / oldEntry
	all = min(all, len(lines)/oldEntry)
	r.list, r.all = newList(all), all
	r.exists, r.stale = true, true
	for n := range all {
		line := lines[n*oldEntry:][:oldEntry]
		if e := (entry{mark: line[0], of: id(line[1:])}); !r.take(e) {
			r.unclear = append(r.unclear, e.of)
		}
	}
	r.entries = all
	return r
}

// damaged reports whether the list does not tell all that it told.
func (r reading) damaged() bool { return r.none || r.cut || len(r.unclear) > 0 }

// text says what of the list survives.
func (r reading) text() string {
	if r.none {
		return "nothing of it can be read"
	}
	if len(r.unclear) == 0 {
		return fmt.Sprintf("%d of its entries can be read, and some at its end are missing", r.entries)
	}
	names := make([]string, len(r.unclear))
	for i, of := range r.unclear {
		names[i] = of.String()
	}
	more := ""
	if n := len(names) - 3; n > 0 {
		names, more = names[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d of its %d entries can be read, and not what it says of key %s%s", r.entries,
		r.all, strings.Join(names, ", "), more)
}
