package lexical

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Document is one event, as it is added.
type Document struct {
	ID           string
	Conversation string
	Speaker      string
	At           time.Time
	Text         string
}

// Entry is what an index knows of a document.
type Entry struct {
	ID           string
	Conversation string
	Speaker      string
	At           time.Time // in UTC, in milliseconds
	Length       int       // words and pairs, up to 65535
}

// Index is an index of events. Any number of goroutines may read it while others add
// and remove; [New] and [Restore] make one.
type Index struct {
	writing sync.Mutex
	reader  *analyzer // guarded by writing
	keys    []Key     // guarded by writing

	lists   *table
	ids     names
	current column[atomic.Uint32] // of each id, its newest document
	entries column[entry]
	length  column[uint16] // of each document
	talks   column[talk]
	talking names
	people  names
	n       atomic.Uint32 // documents, removed ones included
	dead    atomic.Uint32
	lengths atomic.Uint64 // of all documents together
	latest  atomic.Int64  // Unix milliseconds of the latest event, removed ones included
	version atomic.Uint64 // counts what has come and gone, once it has

	narrow int // a scope of more documents is wide
}

// entry is a document's row.
type entry struct {
	at            int64 // Unix milliseconds
	id            uint32
	talk, speaker uint32
	print         uint32 // hash of everything that was added
	dead          atomic.Bool
}

// talk is one conversation.
type talk struct {
	docs numbers
	line atomic.Pointer[timeline]
}

// timeline is a conversation in the order of time.
type timeline struct {
	main *numbers
	late []Doc // documents that came after a later one; few
}

// narrowScope is up to how many documents are examined one by one.
const narrowScope = 1 << 15

// ErrFull is returned by Add when an index has as many documents as it can number.
var ErrFull = errors.New("lexical: the index has 4,294,967,294 documents and takes no more: compact it")

// New makes an empty index.
func New() *Index { return sized(0) }

func sized(terms int) *Index {
	return &Index{lists: newTable(terms), reader: &analyzer{stems: map[string]string{}}, narrow: narrowScope}
}

// Add puts an event into the index, where readers find it at once. An event with a
// known id replaces the earlier one; if nothing has changed, nothing happens. The text
// may be of any size. A text without terms is never found by words.
func (x *Index) Add(d Document) (Doc, error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	print := fingerprint(d)
	old, known := x.find(d.ID)
	if known && !x.entries.at(old).dead.Load() {
		if x.entries.at(old).print == print {
			return old, nil
		}
	}
	doc := Doc(x.n.Load())
	if doc >= end-1 {
		return 0, ErrFull
	}
	length := x.analyze(d.Text)
	x.makeRoom()
	e := x.entries.grow(doc)
	e.at, e.print = d.At.UnixMilli(), print
	*x.length.grow(doc) = length
	e.id, e.talk, e.speaker = x.ids.number(d.ID), x.talking.number(d.Conversation), x.people.number(d.Speaker)
	x.post(doc, length)
	x.lengths.Add(uint64(length))
	x.dated(e.at)
	x.n.Store(uint32(doc) + 1)
	t := x.talks.at(Doc(e.talk))
	t.docs.push(doc)
	x.settle(t, doc)
	x.current.at(Doc(e.id)).Store(uint32(doc))
	if known {
		x.bury(old)
	}
	x.version.Add(1)
	return doc, nil
}

// fingerprint changes whenever an event does.
func fingerprint(d Document) uint32 {
	var h xxhash.Digest
	h.Reset()
	var size [8]byte
	for _, s := range []string{d.Conversation, d.Speaker, d.Text} {
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		_, _ = h.Write(size[:])
		_, _ = h.WriteString(s)
	}
	binary.LittleEndian.PutUint64(size[:], uint64(d.At.UnixMilli()))
	_, _ = h.Write(size[:])
	return uint32(h.Sum64())
}

// analyze leaves the sorted keys of a text in x.keys, and returns its length.
func (x *Index) analyze(s string) uint16 {
	x.keys = x.keys[:0]
	length := 0
	x.reader.each(s, func(t token) {
		x.keys = append(x.keys, t.key)
		if k := t.key.Kind(); k == Word || k == Pair {
			length++
		}
	})
	slices.Sort(x.keys)
	return uint16(min(length, 1<<16-1))
}

// post adds a document to the lists of x.keys.
func (x *Index) post(doc Doc, length uint16) {
	for i := 0; i < len(x.keys); {
		k, from := x.keys[i], i
		for i < len(x.keys) && x.keys[i] == k {
			i++
		}
		p := posting{doc, uint8(min(i-from, 255))}
		if l := x.lists.find(k); l != nil {
			l.add(p, length)
			continue
		}
		l := &list{key: k}
		l.head.Store(newHead(nil, nothing))
		l.add(p, length)
		x.lists.put(l)
	}
}

// makeRoom makes room for one more id and conversation, before readers can see their
// numbers.
func (x *Index) makeRoom() {
	if n := x.ids.n.Load(); n%chunkSize == 0 && x.current.room() == n {
		x.current.grow(Doc(n))
	}
	if n := x.talking.n.Load(); n%chunkSize == 0 && x.talks.room() == n {
		x.talks.grow(Doc(n))
	}
}

// find is the newest document of an id, live or not.
func (x *Index) find(id string) (Doc, bool) {
	n, ok := x.ids.find(id)
	if !ok {
		return 0, false
	}
	d := x.current.at(Doc(n)).Load()
	// An id has its number a moment before its document.
	return Doc(d), d < x.n.Load() && x.entries.at(Doc(d)).id == n
}

// Remove takes an event out and reports whether it was there.
func (x *Index) Remove(id string) bool {
	x.writing.Lock()
	defer x.writing.Unlock()
	d, ok := x.find(id)
	return ok && x.bury(d)
}

// RemoveConversation takes all events of a conversation out and returns how many there were.
// [Index.Compact] frees what is left of them in memory.
func (x *Index) RemoveConversation(name string) int {
	x.writing.Lock()
	defer x.writing.Unlock()
	removed := 0
	if n, ok := x.talking.find(name); ok {
		for _, d := range x.talks.at(Doc(n)).docs.all() {
			if x.bury(d) {
				removed++
			}
		}
	}
	return removed
}

func (x *Index) bury(d Doc) bool {
	if x.entries.at(d).dead.Swap(true) {
		return false
	}
	x.dead.Add(1)
	x.version.Add(1)
	return true
}

// maxLate is how many late documents are set aside before they are merged.
const maxLate = 1 << 10

// settle inserts a document at its place in time.
func (x *Index) settle(t *talk, d Doc) {
	line := t.line.Load()
	if line == nil {
		line = &timeline{main: &numbers{}}
		t.line.Store(line)
	}
	main := line.main.all()
	if len(main) == 0 || x.earlier(main[len(main)-1], d) {
		line.main.push(d)
		return
	}
	i, _ := slices.BinarySearchFunc(line.late, d, x.inTime)
	late := slices.Insert(slices.Clone(line.late), i, d)
	if len(late) <= maxLate {
		t.line.Store(&timeline{line.main, late})
		return
	}
	merged := &numbers{}
	merged.p.Store(&numberList{docs: mergeBy(main, late, x.inTime)})
	merged.p.Load().n.Store(uint32(len(main) + len(late)))
	t.line.Store(&timeline{main: merged})
}

func mergeBy(a, b []Doc, order func(x, y Doc) int) []Doc {
	list := make([]Doc, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if order(a[0], b[0]) <= 0 {
			list, a = append(list, a[0]), a[1:]
		} else {
			list, b = append(list, b[0]), b[1:]
		}
	}
	return append(append(list, a...), b...)
}

// inTime orders documents by time, and then by number.
func (x *Index) inTime(a, b Doc) int {
	return cmp.Or(cmp.Compare(x.entries.at(a).at, x.entries.at(b).at), cmp.Compare(a, b))
}

func (x *Index) earlier(a, b Doc) bool { return x.inTime(a, b) < 0 }

// Len is how many events the index has.
func (x *Index) Len() int { return int(x.n.Load() - x.dead.Load()) }

// Removed is how many documents are still stored that are removed or replaced.
func (x *Index) Removed() int { return int(x.dead.Load()) }

// dated notes when an event was, before readers can see it.
func (x *Index) dated(at int64) { x.latest.Store(max(at, x.latest.Load())) }

// Latest is no earlier than any event.
func (x *Index) Latest() time.Time { return time.UnixMilli(x.latest.Load()) }

// Version is another one whenever an event has come or gone.
func (x *Index) Version() uint64 { return x.version.Load() }

// Entry is what the index knows of a document that it returned; of a number that it
// did not return, it is empty.
func (x *Index) Entry(d Doc) Entry {
	if uint32(d) >= x.n.Load() {
		return Entry{}
	}
	e := x.entries.at(d)
	return Entry{ID: x.ids.at(e.id), Conversation: x.talking.at(e.talk), Speaker: x.people.at(e.speaker),
		At: time.UnixMilli(e.at).UTC(), Length: int(*x.length.at(d))}
}

// Find is the document of an event.
func (x *Index) Find(id string) (Doc, bool) {
	d, ok := x.find(id)
	if !ok || x.entries.at(d).dead.Load() {
		return 0, false
	}
	return d, true
}

// Has reports whether a document is there just as it is.
func (x *Index) Has(d Document) bool {
	at, ok := x.Find(d.ID)
	return ok && x.entries.at(at).print == fingerprint(d)
}

// Conversations are all that have had events.
func (x *Index) Conversations() (list []string) {
	for n := range x.talking.n.Load() {
		list = append(list, x.talking.at(n))
	}
	return list
}

// IDs returns the ids of a conversation's events.
func (x *Index) IDs(conversation string) (ids []string) {
	n, ok := x.talking.find(conversation)
	if !ok {
		return nil
	}
	for _, d := range x.talks.at(Doc(n)).docs.all() {
		if e := x.entries.at(d); !e.dead.Load() {
			ids = append(ids, x.ids.at(e.id))
		}
	}
	return ids
}

// Around returns the up to n events before and after a document in its conversation,
// in the order of time.
func (x *Index) Around(d Doc, n int) (before, after []Doc) {
	if uint32(d) >= x.n.Load() || n <= 0 {
		return nil, nil
	}
	line := x.talks.at(Doc(x.entries.at(d).talk)).line.Load()
	if line == nil {
		return nil, nil
	}
	for _, docs := range [][]Doc{line.main.all(), line.late} {
		at, found := slices.BinarySearchFunc(docs, d, x.inTime)
		for i, k := at-1, 0; i >= 0 && k < n; i-- {
			if !x.entries.at(docs[i]).dead.Load() {
				before = append(before, docs[i])
				k++
			}
		}
		if found {
			at++
		}
		for i, k := at, 0; i < len(docs) && k < n; i++ {
			if !x.entries.at(docs[i]).dead.Load() {
				after = append(after, docs[i])
				k++
			}
		}
	}
	slices.SortFunc(before, x.inTime)
	slices.SortFunc(after, x.inTime)
	return before[max(0, len(before)-n):], after[:min(n, len(after))]
}
