package feed

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads lines of bounded length. It skips a line that is too long and
// reports it; the next line is read as usual.
type lineReader struct {
	in *bufio.Reader
	n  int // of the line that next returned
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, MaxLine+1)}
}

// next returns the next line that is not empty. It is valid until the next call.
// long reports a line that was skipped; err is io.EOF after the last one.
func (l *lineReader) next() (text []byte, long bool, err error) {
	for {
		text, err = l.in.ReadSlice('\n')
		if len(text) > 0 {
			l.n++
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			long = true
			_, err = l.in.ReadSlice('\n')
		}
		if text = trim(text); long || len(text) > 0 {
			// The text before the end of a stream is a line too. The next call finds
			// the end again.
			return text, long, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func trim(text []byte) []byte {
	for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r' || text[len(text)-1] == ' ') {
		text = text[:len(text)-1]
	}
	return text
}
