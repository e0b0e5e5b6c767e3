package feed

import (
	"bufio"
	"errors"
	"io"
)

// lines reads lines of bounded length. One that is too long is read to its end
// and reported, and the next one is read as usual.
type lines struct {
	in *bufio.Reader
	n  int // of the line that next returned
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, MaxLine+1)} }

// next returns the next line that is not empty, valid until the call after it.
// long reports a line that was left out; err is io.EOF after the last one.
func (l *lines) next() (text []byte, long bool, err error) {
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
			// What comes before the end of a stream is a line too; its end is found
			// again by the call after this.
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
