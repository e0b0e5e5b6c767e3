package store

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Format is the version of the layout of keys that this program writes. It is raised when
// an older program would misread what a newer one wrote, so that the older one refuses
// the store.
//
//	1 the kernel's keys in its first format
//	2 the kernel's keys in its second, see package engine
//	3 and its rows may be sealed
//	4 and the newest batches may be records without rows, see recent.go
const Format = 4

var formatKey = []byte{metaKeys, '/', 'f', 'o', 'r', 'm', 'a', 't'}

var errFormat = errors.New("its format is not a number")

// parseFormat reads a decimal number from 1 as appendFormat writes it: no
// sign, no spaces, no leading zero.
func parseFormat(b []byte) (uint32, error) {
	n, err := strconv.ParseUint(string(b), 10, 32)
	if err != nil || n == 0 || string(appendFormat(nil, uint32(n))) != string(b) {
		return 0, errFormat
	}
	return uint32(n), nil
}

func appendFormat(b []byte, format uint32) []byte { return strconv.AppendUint(b, uint64(format), 10) }

// checkFormat compares the store's format with ours, and gives a new store one.
func (s *Store) checkFormat() (err error) {
	defer s.caught(&err)
	txn := s.view()
	defer txn.Discard()
	value, ok, err := s.get(txn.Txn, formatKey)
	if err != nil {
		return err
	}
	if !ok {
		return s.begin()
	}
	found, err := parseFormat(value)
	if err != nil {
		return s.unreadable(err)
	}
	if found > Format {
		return &Fault{Dir: s.dir, Kind: engine.ErrNewer,
			What: fmt.Sprintf("was written by format %d, this program knows %d", found, Format),
			Next: "Upgrade this program, or restore a backup made by it."}
	}
	if found < Format { // the kernel updates its keys when it starts
		return s.write([]engine.Op{{Key: formatKey, Value: appendFormat(nil, Format)}}, true)
	}
	return nil
}

// begin marks a new store. A store that has keys but not this mark has lost it.
func (s *Store) begin() error {
	c, err := s.scan(nil, nil)
	if err != nil {
		return err
	}
	defer c.close()
	_, _, some, err := c.next()
	if err == nil && !some {
		err = c.fault()
	}
	if err != nil {
		return err
	}
	if some {
		return &Fault{Dir: s.dir, Kind: engine.ErrCorrupt,
			What: "holds data without a format: its tables are damaged or missing",
			Next: adviceFor(s.alone).restore}
	}
	return s.write([]engine.Op{{Key: formatKey, Value: appendFormat(nil, Format)}}, true)
}
