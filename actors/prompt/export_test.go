package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// ErrSplit marks a text that is not a prompt of [Catalogue.Compose].
var ErrSplit = errors.New("prompt: the data region is not whole")

// Split takes the user's part of a prompt apart: the instructions before the data, and
// the data's entries. It fails unless there is exactly one region, and its mark matches.
func Split(user messages.Text) (before string, data []json.RawMessage, after string, err error) {
	var inside, whole bytes.Buffer
	mark, state := "", 0
	for line := range strings.Lines(string(user)) {
		text := strings.TrimSuffix(line, "\n")
		begins, isBegin := strings.CutPrefix(text, fence+dataWord)
		ends, isEnd := strings.CutPrefix(text, fence+endWord)
		switch {
		case isBegin && state == 0:
			mark, state = begins, 1
		case isEnd && state == 1 && ends == mark:
			state = 2
		case isBegin || isEnd:
			return "", nil, "", ErrSplit
		case state == 1:
			inside.WriteString(line)
			if !json.Valid([]byte(text)) {
				return "", nil, "", ErrSplit
			}
			data = append(data, json.RawMessage(text))
		case state == 0:
			whole.WriteString(line)
		default:
			after += line
		}
	}
	sum := sha256.Sum256(inside.Bytes())
	if state != 2 || hex.EncodeToString(sum[:8]) != mark {
		return "", nil, "", ErrSplit
	}
	return whole.String(), data, after, nil
}
