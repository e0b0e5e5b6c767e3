package store

// BadgerOptions are those that Open gives to Badger.
var BadgerOptions = badgerOptions
