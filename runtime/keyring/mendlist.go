package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// blurred is a list that was damaged: a byte of it changed.
type blurred struct {
	head    bool   // its beginning is not that of a list, nor of one of a later version
	lines   []byte // its entries, those that say neither made nor ended included
	unclear []int  // which of them these are, from 0
}

// listOf is how a list of any version begins.
const listOf = "kehai keys "

// blur reads a list that [parseList] refuses; ok is false if it may be one of a later version, or is too short.
func blur(raw []byte) (b blurred, ok bool) {
	if len(raw) < len(listHead) {
		return b, false
	}
	head, lines := raw[:len(listHead)], raw[len(listHead):]
	b.head = string(head) != listHead
	if b.head && bytes.HasPrefix(head, []byte(listOf)) {
		return b, false
	}
	b.lines = bytes.Clone(lines[:len(lines)-len(lines)%listEntry])
	for i := 0; i < len(b.lines); i += listEntry {
		if mark := b.lines[i]; mark != made && mark != ended {
			b.unclear = append(b.unclear, i/listEntry)
		}
	}
	return b, b.head || len(b.unclear) > 0
}

// id is that of an entry.
func (b blurred) id(entry int) id { return id(b.lines[entry*listEntry+1:][:idBytes]) }

// text says what of the list survives.
func (b blurred) text() string {
	all := len(b.lines) / listEntry
	if len(b.unclear) == 0 {
		return fmt.Sprintf("it does not begin as a list, and all of its %d entries can be read", all)
	}
	names := make([]string, len(b.unclear))
	for i, entry := range b.unclear {
		names[i] = b.id(entry).String()
	}
	more := ""
	if n := len(names) - 3; n > 0 {
		names, more = names[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d of its %d entries can be read, and not what it says of key %s%s", all-len(names), all,
		strings.Join(names, ", "), more)
}

// mostMisread is how many keys may be gone for the list to be searched for changed bytes: more were lost in
// another way.
const mostMisread = 16

// alike reports whether two ids differ in one byte: they are 16 random ones, so it is the same, damaged.
func (i id) alike(o id) bool {
	differ := 0
	for at := range i {
		if i[at] != o[at] {
			differ++
		}
	}
	return differ == 1
}

// misread is the key among files that is not listed, and that a lost one of the list is, but for a byte; "" for none.
func (l *list) misread(lost string, files []string) string {
	of, _ := idOf(lost)
	for _, name := range files {
		if key, ok := idOf(name); ok && of.alike(key) && !l.should[key] && !l.ended[key] {
			return name
		}
	}
	return ""
}

// mendedList reads the list of another directory with these files, and puts right which of its entries were damaged,
// by what the files tell and this directory, a backup. raw is its new content, nil if it stays as it is.
//
// A key of which the list does not say whether it was destroyed, and that has no file, counts as destroyed: nothing
// that was forgotten comes back.
func (d *directory) mendedList(to *directory, theirs, mine []string) (l list, raw []byte, err error) {
	known, err := d.readList(mine)
	if err != nil {
		return l, nil, err
	}
	was, err := os.ReadFile(to.file(listFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, nil, err
	}
	b, damaged := blur(was)
	if !damaged {
		if l, err = to.readList(theirs); err != nil || !l.exists {
			return l, nil, err
		}
	}
	if raw = was[:min(len(was), len(listHead)+l.entries*listEntry)]; damaged {
		whole, _ := to.keys(theirs)
		for _, entry := range b.unclear {
			b.lines[entry*listEntry] = ended
			if slices.Contains(whole, b.id(entry).String()) {
				b.lines[entry*listEntry] = made
			}
		}
		raw = append([]byte(listHead), b.lines...)
		l, _ = parseList(raw)
	}
	_, lost := l.compare(theirs)
	if len(lost) > mostMisread {
		lost = nil
	}
	files := slices.Concat(theirs, mine)
	for _, name := range lost {
		of, _ := idOf(name)
		for gone := range l.ended { // one of the two entries was damaged, and both are of what was destroyed
			if of.alike(gone) {
				raw = slices.Concat(raw, entry(ended, name))
			}
		}
		key := l.misread(name, files)
		if key != "" && !known.should[of] && !known.ended[of] {
			raw = bytes.ReplaceAll(raw, entry(made, name), entry(made, key))
		}
	}
	if bytes.HasPrefix(was, raw) {
		return l, nil, nil
	}
	l, _ = parseList(raw)
	return l, raw, nil
}
