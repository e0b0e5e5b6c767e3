package store

// BadgerOptions are those that Open gives to Badger.
var BadgerOptions = badgerOptions

// FoldOften makes a store fold its records after every few batches.
func FoldOften(s *Store) { s.recent.limit, s.recent.foldAt, s.recent.foldStep = 1000, 2000, 1 }
