package recall

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// Saved stores an index between two starts. Its content is private.
type Saved interface {
	// Load returns what was saved last; false if there is nothing readable.
	Load() ([]byte, bool)
	Save(index []byte) error
	// Destroy makes anything saved permanently unreadable.
	Destroy() error
}

// mark is how far the index has come in a conversation. If read, it has seen everything
// up to At, and beyond that the changes after from, up to and including to.
type mark struct {
	memory.At
	read bool
	from uint64
	to   memory.At
}

// extended returns the mark after hearing of one more change.
func (m mark) extended(at memory.At) mark {
	if m.to.Changes == 0 || at.Changes != m.to.Changes+1 {
		m.from = at.Changes - 1
	}
	m.to = at
	return m.joined()
}

// reached returns the mark after reading everything up to a place.
func (m mark) reached(at memory.At) mark {
	if at.Changes >= m.Changes {
		m.At = at
	}
	m.read = true
	return m.joined()
}

func (m mark) joined() mark {
	if m.read && m.from <= m.Changes && m.to.Changes > m.Changes {
		m.At = m.to
	}
	return m
}

func (l *Library) reached(c messages.ConversationID, at memory.At) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks[c] = l.marks[c].reached(at)
}

// Keep sets where the index is saved. Call it before anything is read.
func (l *Library) Keep(s Saved) { l.saved = s }

// What is saved is
//
//	"kehai-memory" format | length | marks, as JSON | lexical.Index.Snapshot
const (
	savedHead = "kehai-memory\x01"
	maxMarks  = 1 << 30 // bytes
)

// fewest is the least number of events worth saving: fewer are read in an instant.
const fewest = 1000

// Unsaved returns how many events have changed since the index was saved; 0 if the index
// is too small to save, or incomplete.
func (l *Library) Unsaved() int {
	n, all := l.Len()
	if l.saved == nil || !all || n < fewest {
		return 0
	}
	return int(l.unsaved.Load())
}

// Save saves the index and how far it has come. Reading and writing continue meanwhile.
func (l *Library) Save() error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	if l.saved == nil || !l.whole {
		l.mu.Unlock()
		return nil
	}
	changed := l.unsaved.Load()
	marks := map[messages.ConversationID]memory.At{}
	for c, m := range l.marks {
		if m.read {
			marks[c] = m.At
		}
	}
	x := l.index.Load()
	l.mu.Unlock()
	if x.Removed() > 0 { // a removed event must not stay there
		x = x.Compact()
	}
	list, err := json.Marshal(marks)
	if err != nil {
		return fmt.Errorf("recall: save the index: %w", err)
	}
	data := binary.AppendUvarint([]byte(savedHead), uint64(len(list)))
	data = append(append(data, list...), x.Snapshot(0)...)
	if err := l.saved.Save(data); err != nil {
		return fmt.Errorf("recall: save the index: %w", err)
	}
	l.unsaved.Add(-changed)
	return nil
}

// errSaved means that the saved copy is unusable: the rows are read instead.
var errSaved = errors.New("recall: the saved index cannot be used")

func readSaved(data []byte) (*lexical.Index, map[messages.ConversationID]memory.At, error) {
	rest, ok := bytes.CutPrefix(data, []byte(savedHead))
	n, size := binary.Uvarint(rest)
	if !ok || size <= 0 || n > maxMarks || n > uint64(len(rest)-size) {
		return nil, nil, errSaved
	}
	rest = rest[size:]
	var marks map[messages.ConversationID]memory.At
	if err := json.Unmarshal(rest[:n], &marks); err != nil {
		return nil, nil, errSaved
	}
	x, _, err := lexical.Restore(rest[n:])
	if err != nil {
		return nil, nil, err
	}
	return x, marks, nil
}

// restore loads the saved copy, once. Changes heard before that, and all changes since
// the copy was saved, are read from the rows.
func (l *Library) restore() {
	l.restart.Do(func() {
		if l.saved == nil {
			return
		}
		l.saving.Lock()
		defer l.saving.Unlock()
		data, ok := l.saved.Load()
		if !ok {
			return
		}
		x, marks, err := readSaved(data)
		if err != nil {
			return // older, newer or damaged: derived data
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for c := range l.marks {
			l.marks[c] = mark{} // this index lacks what was heard of it
		}
		for c, at := range marks {
			l.marks[c] = mark{At: at, read: true}
		}
		l.index.Store(x)
	})
}

// Forgetting destroys the saved copy and prevents saving until done is called: deleted
// events must not survive there.
func (l *Library) Forgetting() (done func(), err error) {
	l.saving.Lock()
	if l.saved != nil {
		if err := l.saved.Destroy(); err != nil {
			l.saving.Unlock()
			return nil, fmt.Errorf("recall: destroy the saved index: %w", err)
		}
		l.unsaved.Store(saveAgain)
	}
	return l.saving.Unlock, nil
}

// saveAgain is a count larger than any real number of unsaved changes.
const saveAgain = 1 << 40
