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
	all     int  // entries in the file
	none    bool // nothing can be read
}

// mostRighted is how many changed entries of a list are put right. More are no accident of single bytes.
const mostRighted = 16

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	checkHead  = crc32.Checksum([]byte(listHead), castagnoli)
)

// checkOf is the check of an entry with a number.
func checkOf(bare []byte, number int) uint32 {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(number))
	return crc32.Update(crc32.Update(checkHead, castagnoli, n[:]), castagnoli, bare)
}

// sound reports whether an entry is as it was written in this place.
func sound(line []byte, number int) bool {
	return binary.BigEndian.Uint32(line[bareEntry:]) == checkOf(line[:bareEntry], number)
}

// righted is an entry of which one byte was changed, as it was written. ok is false where that is not all that
// happened to it, or more than one entry may have stood there.
func righted(line []byte, number int) (was []byte, ok bool) {
	try := bytes.Clone(line)
	for at := range try {
		for try[at]++; try[at] != line[at]; try[at]++ {
			if !sound(try, number) {
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
	switch {
	case head == listHead, len(lines) >= listEntry && sound(lines[:listEntry], 0):
		r = parseLines(lines)
		r.stale = r.stale || head != listHead
		return r, false
	case head == oldHead, differ(head, oldHead) == 1 && !strings.HasPrefix(head, anyHead):
		return parseOld(lines), false
	}
	return none, strings.HasPrefix(head, anyHead)
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

// parseLines reads the entries of a list. A power cut may have cut the last one off, or left zeros.
func parseLines(lines []byte) (r reading) {
	all := (len(bytes.TrimRight(lines, "\x00")) + listEntry - 1) / listEntry
	all = min(all, len(lines)/listEntry)
	r.list, r.exists, r.all = newList(all), true, all
	bad := 0
	for n := range all {
		line := lines[n*listEntry:][:listEntry]
		if !sound(line, n) {
			bad++
			was, ok := []byte(nil), false
			if bad <= mostRighted {
				was, ok = righted(line, n)
			}
			if !ok && n == all-1 && torn(line, len(listHead)+n*listEntry) {
				return r
			}
			if line = was; !ok {
				r.unclear = append(r.unclear, id(lines[n*listEntry+1:][:idBytes]))
				continue
			}
			r.stale = true
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
func (r reading) damaged() bool { return r.none || len(r.unclear) > 0 }

// text says what of the list survives.
func (r reading) text() string {
	if r.none {
		return "nothing of it can be read"
	}
	names := make([]string, len(r.unclear))
	for i, of := range r.unclear {
		names[i] = of.String()
	}
	more := ""
	if n := len(names) - 3; n > 0 {
		names, more = names[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d of its %d entries can be read, and not what it says of key %s%s", r.all-len(r.unclear),
		r.all, strings.Join(names, ", "), more)
}
