// Package bare runs a host's own actors on the durable kernel, with subscriptions, and nothing
// else: no window, OCR, language model, page or face tracker is linked. The main type is
// [Runtime]. Package runtime is the same [Core] plus the topology of Kehai; a host can move there
// with the same actors and the same data directory.
//
// A data directory holds
//
//	store/   everything durable (package runtime/store)
//	keys/    what seals it (package runtime/keyring)
//	inhand   what was in progress, in case the process dies
//
// A kill loses nothing that was committed, and at most one acknowledgement of each subscription:
// that event comes again with the same number.
package bare
