package drawn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A journal is a file of JSON Lines: a header with the version, then one Change
// a line. A record is one write(2), so that it survives the death of the process,
// but not a power cut. A last line without its line feed was never shown. Opening
// the journal cuts it off.
const journalVersion = 1

// ErrJournal marks a journal that cannot be read.
var ErrJournal = errors.New("drawn: journal is damaged")

type journalHeader struct {
	Journal string `json:"journal"`
	Version int    `json:"v"`
}

type journal struct {
	file *os.File
	size int64
}

// scanJournal calls each for every change. size counts the bytes that hold them; an
// incomplete last line is left out.
func scanJournal(r io.Reader, each func(Change) error) (size int64, err error) {
	return scanLines(r, func(_ int64, _ int, c Change) error { return each(c) })
}

// scanLines is scanJournal that also says where a change stands, and how long its line is.
func scanLines(r io.Reader, each func(at int64, length int, c Change) error) (size int64, err error) {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return size, fmt.Errorf("drawn: read journal: %w", err)
		}
		if n == 1 {
			err = readHeader(line)
		} else {
			err = readRecord(line, func(c Change) error { return each(size, len(line), c) })
		}
		if err != nil {
			return size, fmt.Errorf("%w: line %d: %w; move the file away to start anew", ErrJournal, n, err)
		}
		size += int64(len(line))
	}
}

func readHeader(line []byte) error {
	var h journalHeader
	if json.Unmarshal(line, &h) != nil || h.Journal != "drawn" {
		return errors.New("not a journal of a drawn window")
	}
	if h.Version != journalVersion {
		return fmt.Errorf("version %d, this program knows %d", h.Version, journalVersion)
	}
	return nil
}

func readRecord(line []byte, each func(Change) error) error {
	var c Change
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if d.Decode(&c) != nil || len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return errors.New("not one change") // the decoder's error could quote private text
	}
	return each(c)
}

// openJournal replays a journal and leaves it open at its end.
func openJournal(path string, each func(Change) error) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("drawn: open journal: %w", err)
	}
	j := &journal{file: file}
	if err := j.load(each); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *journal) load(each func(Change) error) error {
	size, err := scanJournal(j.file, each)
	if err != nil {
		return err
	}
	j.size = size
	if err := j.cut(); err != nil {
		return err
	}
	if size > 0 {
		return nil
	}
	return j.write(journalHeader{Journal: "drawn", Version: journalVersion})
}

// write appends one record. After a failure the file is as long as before.
func (j *journal) write(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("drawn: write journal: %w", err)
	}
	data = append(data, '\n')
	if _, err := j.file.WriteAt(data, j.size); err != nil {
		return fmt.Errorf("drawn: write journal: %w", errors.Join(err, j.cut()))
	}
	j.size += int64(len(data))
	return nil
}

// cut removes everything after the last complete record.
func (j *journal) cut() error {
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("drawn: cut journal: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("drawn: close journal: %w", err)
	}
	return nil
}
