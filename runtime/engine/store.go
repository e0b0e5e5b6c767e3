package engine

import (
	"errors"
	"fmt"
	"io"
)

// Op is one change of a batch: a put, or a delete when Delete is set.
type Op struct {
	Key    []byte
	Value  []byte
	Delete bool
	// New promises of a put that the store does not have its key. A store may use that.
	New bool

	about string // whose key seals it; "": see whose
}

// Store is what the kernel needs from a key-value store: ordered keys and
// atomic batches. Get and Scan may be called concurrently with each other and
// with Apply; Apply is called by one goroutine, the committer. Package
// storetest is the conformance suite.
type Store interface {
	// Get returns the value of a key. ok is false if there is none.
	Get(key []byte) (value []byte, ok bool, err error)
	// Scan calls yield for each key that has the prefix and is ≥ from (nil:
	// from the first), in ascending order of bytes, on one consistent view,
	// until yield returns false. key and value may be kept by the callee.
	Scan(prefix, from []byte, yield func(key, value []byte) bool) error
	// Apply writes all of a batch or nothing. Later ops win over earlier ones
	// on the same key. With sync it returns only when the batch survives a
	// power cut, as far as the system can promise; without, when it survives
	// the death of the process. An error that wraps ErrUnknown says that the batch
	// may be there or not, any other that it is not and never will be.
	Apply(batch []Op, sync bool) error
	// Snapshot writes everything that is applied, on one consistent view, while
	// others read and apply. It holds little of it in memory.
	Snapshot(w io.Writer) error
	// Restore reads what Snapshot wrote into an empty store; one that is not is left
	// alone, with ErrNotEmpty. A snapshot that is cut or damaged is an error that
	// wraps ErrSnapshot, and the store is empty as before, also after a crash. Nobody
	// may apply meanwhile, and no reader sees a part.
	Restore(r io.Reader) error
	// Free returns the bytes left on the store's volume. Stores without a
	// volume return ^uint64(0).
	Free() (uint64, error)
	// Close releases the store. Apply, Get and Scan then fail with ErrClosed.
	Close() error
}

// Errors of a store. Each concrete error wraps one of these and tells what to
// do next.
var (
	ErrInUse    = errors.New("store: directory is in use by another process")
	ErrCorrupt  = errors.New("store: data is damaged")
	ErrNewer    = errors.New("store: written by a newer version")
	ErrKey      = errors.New("store: wrong encryption key")
	ErrLowSpace = errors.New("store: too little free space")
	ErrClosed   = errors.New("store: closed")
	ErrTooLarge = errors.New("store: batch is too large for one transaction")
	ErrUnknown  = errors.New("store: it is not known whether the batch was written")
)

// CheckBatch returns an error that wraps ErrTooLarge if a batch is larger than
// every store accepts. Each Apply calls it first.
func CheckBatch(batch []Op) error {
	size := 0
	for _, op := range batch {
		if len(op.Key) > MaxKey {
			return fmt.Errorf("store: a key has %d bytes, the most is %d: %w", len(op.Key), MaxKey, ErrTooLarge)
		}
		size += len(op.Key) + len(op.Value)
	}
	if size > MaxBatch {
		return fmt.Errorf("store: a batch has %d bytes, the most is %d: write it as several: %w",
			size, MaxBatch, ErrTooLarge)
	}
	return nil
}

// MaxBatch is the most bytes of keys and values in one Apply that every store
// accepts. The committer groups turns up to 1 MiB; one single turn may be
// larger, up to this.
const MaxBatch = 8 << 20

// MaxKey is the longest key, in bytes, that every store accepts. A longer one
// is ErrTooLarge. The empty key is a key like any other.
const MaxKey = 64_000
