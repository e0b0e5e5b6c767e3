package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
)

// logHeader is the length of the key's number and the vector at the start of a
// log of Badger. Entries follow: two bytes of flags; the lengths of key and
// value and the time of expiry as varints; key; value; CRC-32C of all that.
// After the last one come zeros, or the end of the file.
const logHeader = 20

const (
	maxEntryHead = 2 + 3*binary.MaxVarintLen64
	maxLogKey    = 1 << 16 // Badger takes a longer one for the end of the log
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type logState int

const (
	logWhole   logState = iota
	logTorn             // the last entry was being written when the process or the power went
	logDamaged          // an entry was once whole but no longer is
)

// readLog reads the entries of a log from just after its header. end is the offset after
// the last valid entry.
//
// A new log is full of zeros. So an entry cut short by a kill is followed by zeros, or
// begins with them, because the copy may write the first bytes last. After a power cut
// there are zeros up to a page boundary. An entry that is wrong in any other way was
// damaged. Cutting the log there, as Badger would, could drop acknowledged batches.
func readLog(r io.Reader, size int64) (end int64, state logState, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	end = logHeader
	var entry []byte
	for {
		head, err := b.Peek(int(min(maxEntryHead, size-end)))
		if err != nil && !errors.Is(err, io.EOF) {
			return end, logWhole, err
		}
		if allZero(head) {
			return end, logWhole, nil
		}
		if len(head) > 2 && head[2] == 0 {
			return end, logTorn, nil // a key has at least one byte
		}
		n, ok := entrySize(head, size-end)
		if !ok {
			if torn(head, end) {
				return end, logTorn, nil
			}
			return end, logDamaged, nil
		}
		entry = slices.Grow(entry[:0], int(n))[:n]
		if _, err := io.ReadFull(b, entry); err != nil {
			return end, logWhole, err
		}
		if crc32.Checksum(entry[:n-4], castagnoli) != binary.BigEndian.Uint32(entry[n-4:]) {
			next, _ := b.Peek(int(min(maxEntryHead, size-end-n)))
			if torn(entry, end) || len(next) > 0 && allZero(next) {
				return end, logTorn, nil
			}
			return end, logDamaged, nil
		}
		end += n
	}
}

// entrySize reads the lengths in an entry's head. It is not ok if they are impossible, or
// exceed the rest of the file.
func entrySize(head []byte, rest int64) (n int64, ok bool) {
	at := 2
	var lengths [3]uint64
	for i := range lengths {
		if at > len(head) {
			return 0, false
		}
		v, used := binary.Uvarint(head[at:])
		if used <= 0 {
			return 0, false
		}
		lengths[i] = v
		at += used
	}
	if lengths[0] == 0 || lengths[0] > maxLogKey || lengths[1] > uint64(rest) {
		return 0, false
	}
	n = int64(at) + int64(lengths[0]) + int64(lengths[1]) + crc32.Size
	return n, n <= rest
}

// torn reports whether bytes at an offset look like an unfinished write: they end in
// zeros, or have zeros up to a page boundary.
func torn(entry []byte, offset int64) bool {
	const page = 4096
	const few = 8
	if n := min(few, len(entry)); allZero(entry[len(entry)-n:]) {
		return true
	}
	for border := page - offset%page; border < int64(len(entry)); border += page {
		before := entry[max(0, border-few):border]
		after := entry[border:min(int64(len(entry)), border+few)]
		if allZero(before) || allZero(after) {
			return true
		}
	}
	return false
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
