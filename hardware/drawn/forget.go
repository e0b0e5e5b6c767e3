package drawn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/kehai-run/kehai/messages"
)

// Forget puts "1 deleted", "2 deleted" in the place of all that was said in the conversations
// whose name or title is one of these, in the window and in the bytes of its journal, and empties
// the input field. It returns how many messages that concerned. They stay where they stood: a
// script that edits or unsends one goes on, and whoever reads the window can tell what is new.
func (w *Window) Forget(is func(name string) bool) (count int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := map[string]bool{}
	for name, conv := range w.s.convs {
		gone[name] = is(name) || conv.title != "" && is(conv.title)
	}
	if w.journal != nil && !w.closed {
		if _, err := w.journal.forget(w.first, w.s.script.ID, gone, is); err != nil {
			return 0, err
		}
	}
	for name, conv := range w.s.convs {
		if !gone[name] {
			continue
		}
		old := conv.bubbles
		conv.bubbles = make([]*bubble, len(old))
		for i, b := range old {
			conv.bubbles[i] = b.deleted(i)
			if conv.bubbles[i].text != b.text {
				count++
			}
		}
		w.s.convs[name] = conv
	}
	for i := range w.changed {
		if c := &w.changed[i]; gone[c.Conversation] {
			c.Text = deletedText(c.Index, c.Text)
		}
	}
	w.s.draft, w.picture = "", nil
	return count, nil
}

func (b *bubble) deleted(index int) *bubble {
	without := *b
	without.text, without.measured = string(deletedText(index, messages.Text(b.text))), measured{}
	without.lastText = string(deletedText(index, messages.Text(b.lastText)))
	if b.seen != nil {
		seen := *b.seen
		seen.Text = deletedText(index, seen.Text)
		without.seen = &seen
	}
	return &without
}

// deletedText stands in for a text, and is no longer than it in bytes.
func deletedText(index int, was messages.Text) messages.Text {
	text := strconv.Itoa(index+1) + " deleted"
	return messages.Text(text[:min(len(text), len(was))])
}

// ForgetIn is [Window.Forget] for a journal that no window uses. first is the conversation
// that its window showed first. Of what an older version wrote before the first switch of conversations
// without saying in which one, all is deleted too, as nobody knows what was shown.
func ForgetIn(path, first string, is func(name string) bool) (count int, err error) {
	j, err := openJournal(path, func(Change) error { return nil })
	if err != nil {
		return 0, err
	}
	count, err = j.forget(first, "", map[string]bool{}, is)
	return count, errors.Join(err, j.close())
}

// forget overwrites texts where they stand. Each line stays as long as it is: a crash leaves it
// as it was or as it is to be, and no second file ever holds a part of it. It adds to gone the
// conversations that ever had such a name or title. first was shown first in the runs of a script alone.
func (j *journal) forget(
	first, script string, gone map[string]bool, is func(string) bool,
) (count int, err error) {
	scan := func(each func(at int64, length int, c Change) error) error {
		_, err := scanLines(io.NewSectionReader(j.file, 0, j.size), each)
		return err
	}
	gone[first] = gone[first] || first == "" || is(first)
	if err := scan(func(_ int64, _ int, c Change) error {
		name := c.Conversation
		gone[name] = gone[name] || name != "" && is(name) || c.Op == OpTitle && is(string(c.Text))
		return nil
	}); err != nil {
		return 0, err
	}
	shown, switched, played, said := first, false, "", map[string]int{}
	err = scan(func(at int64, length int, c Change) error {
		name, index := c.Conversation, c.Index
		if c.Script != nil {
			played = c.Script.ID
		}
		deleted := gone[name]
		if name == "" {
			name = shown
			deleted = gone[name] || !switched && (script == "" || played != script)
		}
		switch c.Op {
		case OpSwitch:
			shown, switched = c.Conversation, true
		case OpAppend, OpSend:
			index = said[name]
			said[name]++
			if deleted && c.Text != deletedText(index, c.Text) {
				count++
			}
		}
		switch {
		case c.Op == OpType:
			c.Text = ""
		case c.Op == OpTitle || c.Text == "" || !deleted:
			return nil
		default:
			c.Text = deletedText(index, c.Text)
		}
		return j.overwrite(at, length, c)
	})
	if err == nil {
		err = j.file.Sync()
	}
	return count, err
}

// overwrite puts a change in the place of a line that is at least as long.
func (j *journal) overwrite(at int64, length int, c Change) error {
	line, err := json.Marshal(c)
	if err == nil && len(line) >= length {
		err = fmt.Errorf("%w: a line without its text is longer; move the file away to start anew", ErrJournal)
	}
	if err == nil {
		line = append(append(line, bytes.Repeat([]byte{' '}, length-1-len(line))...), '\n')
		_, err = j.file.WriteAt(line, at)
	}
	if err != nil {
		return fmt.Errorf("drawn: write journal: %w", err)
	}
	return nil
}
