package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// Verb is what an action does.
type Verb string

// The verbs. The package comment says what they mean.
const (
	Scroll        Verb = "scroll"
	Rerender      Verb = "rerender"
	Resize        Verb = "resize"
	Hide          Verb = "hide"
	Show          Verb = "show"
	Cover         Verb = "cover"
	Uncover       Verb = "uncover"
	Beside        Verb = "beside"
	Alone         Verb = "alone"
	Blur          Verb = "blur"
	Focus         Verb = "focus"
	Chats         Verb = "chats"
	Chat          Verb = "chat"
	Switch        Verb = "switch"
	Title         Verb = "title"
	Unsend        Verb = "unsend"
	Edit          Verb = "edit"
	Type          Verb = "type"
	Send          Verb = "send"
	Restart       Verb = "restart"
	Crash         Verb = "crash"
	ResetBaseline Verb = "reset_baseline"
	Pace          Verb = "pace"
	Flood         Verb = "flood" // many messages; a script that was read has these
)

// Reader is the pace at which a friend waits for the reader, Free the one at which
// nobody waits.
const (
	Reader = "reader"
	Free   = "free"
)

// verbs lists every verb with its arguments.
var verbs = []struct {
	verb Verb
	args []string
	may  []string // arguments that may be left out
	host bool
}{
	{verb: Scroll, args: []string{"by"}},
	{verb: Rerender},
	{verb: Resize, args: []string{"to"}},
	{verb: Hide},
	{verb: Show},
	{verb: Cover},
	{verb: Uncover},
	{verb: Beside},
	{verb: Alone},
	{verb: Blur},
	{verb: Focus},
	{verb: Chats},
	{verb: Chat},
	{verb: Switch, args: []string{"conversation"}},
	{verb: Title, args: []string{"conversation", "text"}},
	{verb: Unsend, args: []string{"index"}},
	{verb: Edit, args: []string{"index", "text"}},
	{verb: Type, args: []string{"text"}},
	{verb: Send, args: []string{"text"}, host: true},
	{verb: Restart, may: []string{"down_ms"}, host: true},
	{verb: Crash, may: []string{"down_ms"}, host: true},
	{verb: ResetBaseline, host: true},
	{verb: Pace, args: []string{"pace"}},
	{verb: Flood, args: []string{"count"}, may: []string{"conversation", "over_ms"}},
}

// Event is one line of a script: a message if Do is empty, else an action.
type Event struct {
	Line int   // in the file, from 1; 0 if it came from elsewhere
	AtMS int64 // milliseconds from the start of the script

	Do           Verb
	Who          drawn.Who
	Kind         messages.Kind // of a message: text or sticker
	Text         messages.Text
	Conversation string // of a message or switch; of unsend and edit, the one shown then
	Index        int
	By           int
	To           [2]int
	Pace         string // [Reader] or [Free]
	DownMS       int64  // how long a restart takes, beyond what it takes anyway
}

// Host reports whether the event is for the host and not for the window.
func (e Event) Host() bool {
	for _, v := range verbs {
		if v.verb == e.Do {
			return v.host
		}
	}
	return false
}

// Script is a parsed script.
type Script struct {
	Events []Event
}

// Conversation is the one to show first, "" if the script has no message.
func (s Script) Conversation() string {
	for _, e := range s.Events {
		if e.Do == "" {
			return e.Conversation
		}
	}
	return ""
}

// Unshown are messages that the window never shows, because nothing switches to their
// conversation any more: of each conversation the first.
func (s Script) Unshown() (list []Event) {
	now, last := s.Conversation(), map[string]int{} // by conversation, the last switch to it
	for i, e := range s.Events {
		if e.Do == Switch {
			last[e.Conversation] = i
		}
	}
	told := map[string]bool{}
	for i, e := range s.Events {
		switch {
		case e.Do == Switch:
			now = e.Conversation
		case e.Do == "" && e.Conversation != now && last[e.Conversation] < i && !told[e.Conversation]:
			told[e.Conversation] = true
			list = append(list, e)
		}
	}
	return list
}

// ID is equal for scripts with equal events.
func (s Script) ID() string {
	h := fnv.New64a()
	// Writing to a hash never fails, and Write has no other error.
	_ = s.Write(h)
	return strconv.FormatUint(h.Sum64(), 16)
}

// Write writes the script so that Parse reads the same events.
func (s Script) Write(w io.Writer) error {
	var out bytes.Buffer
	for _, e := range s.Events {
		out.Reset()
		e.encode(&out)
		if _, err := w.Write(out.Bytes()); err != nil {
			return fmt.Errorf("script: write: %w", err)
		}
	}
	return nil
}

func (e Event) encode(out *bytes.Buffer) {
	fmt.Fprintf(out, `{"at_ms":%d`, e.AtMS)
	if e.Do == "" {
		field(out, "who", e.Who)
		if e.Kind == messages.KindSticker {
			field(out, "kind", e.Kind)
		} else {
			field(out, "text", string(e.Text))
		}
		field(out, "conversation", e.Conversation)
	} else {
		field(out, "do", e.Do)
		args, may := argsOf(e.Do)
		for _, arg := range args {
			field(out, arg, e.arg(arg))
		}
		for _, arg := range may {
			if e.DownMS != 0 {
				field(out, arg, e.arg(arg))
			}
		}
	}
	out.WriteString("}\n")
}

func (e Event) arg(name string) any {
	switch name {
	case "by":
		return e.By
	case "to":
		return e.To
	case "index":
		return e.Index
	case "conversation":
		return e.Conversation
	case "pace":
		return e.Pace
	case "down_ms":
		return e.DownMS
	}
	return string(e.Text)
}

func field(out *bytes.Buffer, name string, value any) {
	fmt.Fprintf(out, ",%q:", name)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // strings and integers always encode
	out.Truncate(out.Len() - 1)
}

// argsOf lists the required and the optional arguments of a verb.
func argsOf(v Verb) (args, may []string) {
	for _, known := range verbs {
		if known.verb == v {
			return known.args, known.may
		}
	}
	return nil, nil
}
