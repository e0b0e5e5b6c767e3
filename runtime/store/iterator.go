package store

import (
	"errors"
	"io"
	"reflect"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

var errBlock = errors.New("a checksum does not match, or a block of a table cannot be read")

// iteratorFault returns an error if an iterator ended because of damage, not because it
// reached its end. Badger's iterator reports no errors: it leaves out a table it cannot
// read, and yields the keys of the other tables as if they were all. The tables'
// iterators know why they ended, but Badger does not expose them, so this uses
// reflection. TestScanFindsDamage fails if a newer Badger keeps them elsewhere.
func iteratorFault(it *badger.Iterator) error {
	if it == nil || !faulty(reflect.ValueOf(it).Elem().FieldByName("iitr")) {
		return nil
	}
	return errBlock
}

var (
	tableIterator  = reflect.TypeFor[table.Iterator]()
	concatIterator = reflect.TypeFor[table.ConcatIterator]()
	mergeIterator  = reflect.TypeFor[table.MergeIterator]()
	endOfTable     = reflect.ValueOf(io.EOF).Pointer()
)

// faulty walks through the iterators that make up an iterator.
func faulty(v reflect.Value) bool {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	switch v.Type() {
	case tableIterator:
		err := v.FieldByName("err")
		return !err.IsNil() && (err.Elem().Kind() != reflect.Pointer || err.Elem().Pointer() != endOfTable)
	case concatIterator:
		list := v.FieldByName("iters")
		for i := range list.Len() {
			if faulty(list.Index(i)) {
				return true
			}
		}
	case mergeIterator:
		return faulty(v.FieldByName("left").FieldByName("iter")) || faulty(v.FieldByName("right").FieldByName("iter"))
	}
	return false
}
