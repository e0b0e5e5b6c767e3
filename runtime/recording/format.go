package recording

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

// ErrFormat marks a file that is no recording, or one of a newer version.
var ErrFormat = errors.New("recording: this is no recording of this version")

// Subjects of what may show anybody. Their keys are destroyed with every conversation that is
// forgotten; see [Anybody].
const (
	// Unknown is the subject for entries whose conversation is unknown.
	Unknown = "\x00recorded unknown"
	// Beside seals, once more, what shows a whole window: a list beside the conversation on show can
	// have the beginning of others' messages.
	Beside = "\x00recorded beside"
)

// Anybody returns the subjects of what may show anybody.
func Anybody() []string { return []string{Unknown, Beside} }

const (
	magic     = "kehai recording 1\n"
	nameBytes = 16
	maxRecord = 64 << 20
	headBytes = int64(len(magic) + nameBytes)
)

// Forms of a record.
const (
	open   byte = iota
	sealed      // for a subject
	twice       // and then for Beside
)

// Kind says what an [Entry] is.
type Kind string

// Kinds of entries.
const (
	Head     Kind = "head"     // the first one: Data is a [Header]
	Seed     Kind = "seed"     // of the ids of conversations, in Key
	Frame    Kind = "frame"    // a capture; Same, or else pixels
	Reading  Kind = "reading"  // what an engine read in the pixels of Key: Data are lines
	Rows     Kind = "rows"     // of an accessibility tree: Data is a [Tree]
	Usage    Kind = "usage"    // how the computer is used: Data is what Name says, as [UsedApp]
	Answer   Kind = "answer"   // of a model, to the question of Key for the purpose Name: Data is an [Answered]
	Turn     Kind = "turn"     // of the actor Name, at At: it handled a message of the type Key
	Call     Kind = "call"     // that a worker of the kind Name served
	Decided  Kind = "decision" // Data is a [Decision]
	Finished Kind = "finished" // the last one of a recording that ended in order
)

// whole reports whether entries of a kind show all of a window, or what was read anywhere in it.
func (k Kind) whole() bool { return k == Frame || k == Reading || k == Rows }

// Crop is the Name of a reading by an engine that reads from frames, not from prepared pictures.
const Crop = "crop"

// Entry is one thing that was given. Which fields are set depends on its Kind.
type Entry struct {
	Kind   Kind            `json:"kind"`
	At     time.Duration   `json:"at"` // when it began, since the recording did
	Took   time.Duration   `json:"took,omitempty"`
	Window string          `json:"window,omitempty"`
	Name   string          `json:"name,omitempty"`
	Key    string          `json:"key,omitempty"`
	Code   string          `json:"code,omitempty"` // of a driver's error, which is then all there is
	Base   uint64          `json:"base,omitempty"` // of a frame: the number of the one that it is a difference to
	Same   bool            `json:"same,omitempty"` // it does not even differ
	Scale  float64         `json:"scale,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`

	pixels []byte
	at     int64 // of its record in the file
	number uint64
}

// Header says what was recorded.
type Header struct {
	Version  string    `json:"version"` // of Kehai
	Began    time.Time `json:"began"`
	Windows  []string  `json:"windows"`
	Redacted bool      `json:"redacted,omitempty"`
	Config   string    `json:"config"` // as [config.Config.Write] writes it
}

// writer appends records to a file.
type writer struct {
	to     io.Writer
	keys   engine.Sealer // nil: nothing is sealed
	name   [nameBytes]byte
	number uint64
	size   int64
	buf    []byte
}

func newWriter(to io.Writer, keys engine.Sealer) (*writer, error) {
	w := &writer{to: to, keys: keys, size: headBytes}
	rand.Read(w.name[:]) // never fails
	_, err := to.Write(append([]byte(magic), w.name[:]...))
	return w, err
}

func placeOf(name [nameBytes]byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte("recording "), name[:]...), number)
}

// add writes one record as a whole, under the key of a subject, and that of Beside too if it shows all
// of a window.
func (w *writer) add(e Entry, subject string) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	body := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)+len(e.pixels)), uint32(len(text)))
	body = append(append(body, text...), e.pixels...)
	form := open
	w.buf = append(w.buf[:0], 0, 0, 0, 0, 0)
	if w.keys != nil {
		form = sealed
		if e.Kind.whole() && subject != Unknown {
			form = twice
			if body, err = w.keys.Seal(nil, subject, placeOf(w.name, w.number), body); err != nil {
				return fmt.Errorf("recording: %w", err)
			}
			subject = Beside
		}
		if w.buf, err = w.keys.Seal(w.buf, subject, placeOf(w.name, w.number), body); err != nil {
			return fmt.Errorf("recording: %w", err)
		}
	} else {
		w.buf = append(w.buf, body...)
	}
	if len(w.buf) > maxRecord {
		return fmt.Errorf("recording: an entry of %d bytes is too large", len(w.buf))
	}
	binary.BigEndian.PutUint32(w.buf, uint32(len(w.buf)-5))
	w.buf[4] = form
	if _, err := w.to.Write(w.buf); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	w.number++
	w.size += int64(len(w.buf))
	return nil
}

// Recording is one that was written. It is not safe for concurrent use.
type Recording struct {
	Header
	Entries []Entry // in the order of the file, without the head
	Closed  int     // entries that these keys do not open: their conversation was forgotten, or they are not the keys
	Torn    bool    // the last entry was cut off, as by a crash

	r        io.ReaderAt
	keys     engine.Sealer
	name     [nameBytes]byte
	byNumber map[uint64]int     // the entries
	shot     map[string]picture // the newest of each window that was opened
}

// Is reports whether a file begins like a recording.
func Is(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == magic
}

// OpenFile is Open for a file, which the caller closes after use.
func OpenFile(path string, keys engine.Sealer) (*Recording, io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("recording: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	rec, err := Open(f, info.Size(), keys)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return rec, f, nil
}

// Open reads a recording of so many bytes. It opens what is sealed with keys, which may be nil for one
// that is not. The pixels of frames are read when they are asked for.
func Open(r io.ReaderAt, size int64, keys engine.Sealer) (*Recording, error) {
	rec := &Recording{r: r, keys: keys, shot: map[string]picture{}, byNumber: map[uint64]int{}}
	begin := make([]byte, headBytes)
	if n, _ := r.ReadAt(begin, 0); n < len(begin) || string(begin[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	copy(rec.name[:], begin[len(magic):])
	at := headBytes
	deep := map[uint64]int{} // how many differences make a frame
	for number := uint64(0); at < size; number++ {
		e, end, err := rec.entry(at, size, number)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			rec.Torn = true
			return rec, rec.check()
		case errors.Is(err, engine.ErrNoKey), errors.Is(err, engine.ErrRecord):
			if number == 0 {
				return nil, fmt.Errorf("recording: its keys are not these: open it where it was made: %w", err)
			}
			rec.Closed++
		case err != nil:
			return nil, err
		case number == 0:
			if err := json.Unmarshal(e.Data, &rec.Header); err != nil || e.Kind != Head {
				return nil, ErrFormat
			}
		default:
			e.pixels = nil
			if e.Kind == Frame && e.Base != 0 {
				if deep[number] = deep[e.Base] + 1; deep[number] > maxDeltas+1 {
					return nil, ErrFormat
				}
			}
			rec.byNumber[number] = len(rec.Entries)
			rec.Entries = append(rec.Entries, e)
		}
		at = end
	}
	return rec, rec.check()
}

func (r *Recording) check() error {
	if r.Began.IsZero() {
		return ErrFormat
	}
	return nil
}

// entry reads the record at a place and says where the next one is.
func (r *Recording) entry(at, size int64, number uint64) (e Entry, end int64, err error) {
	var head [5]byte
	if n, _ := r.r.ReadAt(head[:], at); n < len(head) {
		return e, at, io.ErrUnexpectedEOF
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	if length > maxRecord {
		return e, at, fmt.Errorf("%w: an entry of %d bytes", ErrFormat, length)
	}
	if end = at + 5 + length; end > size {
		return e, at, io.ErrUnexpectedEOF
	}
	body := make([]byte, length)
	if n, _ := r.r.ReadAt(body, at+5); n < len(body) {
		return e, at, io.ErrUnexpectedEOF
	}
	form := head[4]
	switch {
	case form > twice:
		return e, at, ErrFormat
	case form != open && r.keys == nil:
		return e, end, fmt.Errorf("recording: it is sealed: %w", engine.ErrNoKey)
	}
	for ; form != open; form-- {
		if body, err = r.keys.Open(placeOf(r.name, number), body); err != nil {
			return e, end, err
		}
	}
	if len(body) < 4 || int64(binary.BigEndian.Uint32(body)) > int64(len(body)-4) {
		return e, at, ErrFormat
	}
	text := body[4 : 4+binary.BigEndian.Uint32(body)]
	if err := json.Unmarshal(text, &e); err != nil {
		return e, at, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	e.pixels, e.at, e.number = body[4+len(text):], at, number
	return e, end, nil
}
