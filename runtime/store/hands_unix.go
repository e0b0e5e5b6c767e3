//go:build linux || darwin

package store

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Hands records in a file what is in progress, so that the next process knows what the
// last one was doing when it died. It is an [engine.Hands].
//
// The file is mapped into memory. Writing costs no more than writing memory, and the data
// survives however the process ends, because the system writes it to the file. A power
// cut may lose it; then nothing is blamed.
//
// The file has 1,024 words of eight bytes, in the order of this machine:
//
//	0          handsFormat
//	1…511      what is in hand; 0: nothing
//	512…1023   what was in hand when a process died, and in how many deaths: pairs
type Hands struct {
	mem  []byte
	word *[handsWords]uint64

	mu    sync.Mutex
	free  []int
	count map[uint64]int // id → its pair, by the word
}

const (
	handsFormat = 0x3173646e6168_6b // "khands1"
	handsWords  = 1024
	handsPairs  = 512
)

var _ engine.Hands = (*Hands)(nil)

// OpenHands opens the file, or creates it. The caller holds the store, so there is only
// one process at a time. A file that cannot be understood is started over.
func OpenHands(path string) (*Hands, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: %w: give this program the right to write there", err)
	}
	defer f.Close()
	const size = 8 * handsWords
	if info, err := f.Stat(); err != nil || info.Size() != size {
		// Written, not only grown: on a full volume, touching a page without space raises
		// a signal.
		if err == nil {
			err = f.Truncate(0)
		}
		if err == nil {
			_, err = f.WriteAt(make([]byte, size), 0)
		}
		if err != nil {
			return nil, fmt.Errorf("store: begin %s: %w", path, err)
		}
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("store: map %s: %w", path, err)
	}
	h := &Hands{mem: mem, word: (*[handsWords]uint64)(unsafe.Pointer(&mem[0])), count: map[uint64]int{}}
	h.takeOver()
	return h, nil
}

// takeOver counts what an earlier process left in progress.
func (h *Hands) takeOver() {
	left := map[uint64]uint64{}
	if h.word[0] == handsFormat {
		for i := handsPairs; i < handsWords; i += 2 {
			if id := h.word[i]; id != 0 {
				left[id] = h.word[i+1]
			}
		}
		for _, id := range h.word[1:handsPairs] {
			if id != 0 {
				left[id]++
			}
		}
	}
	clear(h.word[:])
	h.word[0] = handsFormat
	pair := handsPairs
	for id, deaths := range left {
		if pair == handsWords {
			break // with so many at once, none is to blame
		}
		h.word[pair], h.word[pair+1] = id, deaths
		h.count[id] = pair
		pair += 2
	}
	for place := handsPairs - 1; place > 0; place-- {
		h.free = append(h.free, place)
	}
}

// Suspects implements [engine.Hands].
func (h *Hands) Suspects() map[uint64]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := map[uint64]int{}
	for id, pair := range h.count {
		left[id] = int(h.word[pair+1])
	}
	return left
}

// Take implements [engine.Hands].
func (h *Hands) Take(id uint64) (place int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.free) == 0 {
		return 0
	}
	place = h.free[len(h.free)-1]
	h.free = h.free[:len(h.free)-1]
	atomic.StoreUint64(&h.word[place], id)
	return place
}

// Drop implements [engine.Hands].
func (h *Hands) Drop(place int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mem == nil {
		return // a call that hung
	}
	atomic.StoreUint64(&h.word[place], 0)
	h.free = append(h.free, place)
}

// Survived implements [engine.Hands].
func (h *Hands) Survived(id uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if pair, ok := h.count[id]; ok && h.mem != nil {
		h.word[pair], h.word[pair+1] = 0, 0
		delete(h.count, id)
	}
}

// Close records that the process ends on purpose: nothing is blamed, and nothing is left
// to the next process.
func (h *Hands) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mem == nil {
		return nil
	}
	clear(h.word[1:])
	err := unix.Munmap(h.mem)
	h.mem, h.word, h.free = nil, nil, nil
	return err
}
