package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// ErrFormat marks a script that breaks the format.
var ErrFormat = errors.New("script: bad script")

// Limits of a script.
const (
	MaxMS     = 366 * 24 * 3600 * 1000 // the last at_ms, one year
	MaxScroll = 1 << 20                // logical pixels
	MaxSize   = 16 << 20               // bytes
)

// Open reads the script in a file. No path means [Default].
func Open(path string) (Script, error) {
	if path == "" {
		return Default(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	defer f.Close()
	s, err := Parse(f)
	if err != nil {
		return s, fmt.Errorf("script %s: %w", path, err)
	}
	return s, nil
}

// Parse reads a script. An error wraps ErrFormat, names the line and says what is
// allowed. It never quotes the text of a message.
func Parse(r io.Reader) (Script, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return Script{}, fmt.Errorf("script: read: %w", err)
	}
	if len(data) > MaxSize {
		return Script{}, fmt.Errorf("%w: it has more than %d bytes: split it", ErrFormat, MaxSize)
	}
	p := parser{texts: map[string][]bool{}}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		list, err := p.line(line)
		if err != nil {
			return Script{}, fmt.Errorf("%w: line %d: %w", ErrFormat, n, err)
		}
		for _, e := range list {
			e.Line = n
			p.script.Events = append(p.script.Events, e)
		}
	}
	return p.script, nil
}

// parser knows the effect of the lines so far.
type parser struct {
	script Script
	at     int64
	last   string // conversation of the last message
	shown  string // conversation on the window
	pace   string
	floods int               // messages of floods
	texts  map[string][]bool // per conversation and message: a text that stands
}

// line returns the events of a line: more than one for a flood.
func (p *parser) line(line []byte) ([]Event, error) {
	fields, err := object(line)
	if err != nil {
		return nil, err
	}
	_, action := fields["do"]
	_, message := fields["who"]
	var verb Verb
	switch {
	case action && message:
		return nil, errors.New(`"do" and "who" on one line; want "who" for a message or "do" for an action`)
	case action && json.Unmarshal(fields["do"], &verb) == nil && verb == Flood:
		return p.flood(fields)
	case action:
		e, err := p.action(fields)
		return []Event{e}, err
	case message:
		e, err := p.message(fields)
		return []Event{e}, err
	}
	return nil, errors.New(`neither "who" nor "do"; want "who" for a message or "do" for an action`)
}

// MaxFlood is the most messages of one flood.
const MaxFlood = 10000

// said are the texts of a flood; each gets its number.
var said = []string{"the bus is late", "did you see that", "I am at the station", "fine", "what a day it was",
	"see you there, then, and bring the tickets and something warm for the evening", "one moment please"}

// flood makes the messages of a flood, which wait for nobody.
func (p *parser) flood(fields fields) ([]Event, error) {
	var e Event
	var count int
	err := errors.Join(fields.only("at_ms", "do", "count", "over_ms", "conversation"), p.time(fields, &e),
		number(fields, "count", &count, 1, MaxFlood))
	over := 0
	if _, ok := fields["over_ms"]; ok {
		err = errors.Join(err, number(fields, "over_ms", &over, 0, MaxMS-int(e.AtMS)))
	}
	e.Who, e.Kind, e.Conversation = drawn.Friend, messages.KindText, p.last
	if _, ok := fields["conversation"]; ok || p.last == "" {
		err = errors.Join(err, name(fields, &e.Conversation))
	}
	if err != nil {
		return nil, first(err)
	}
	var list []Event
	pace := func(pace string) {
		if p.pace == Reader {
			list = append(list, Event{AtMS: p.at, Do: Pace, Pace: pace})
		}
	}
	pace(Free)
	for i := range count {
		p.floods++
		e.AtMS = p.at + int64(over)*int64(i)/int64(count)
		e.Text = messages.Text(fmt.Sprintf("%d: %s", p.floods, said[p.floods%len(said)]))
		p.texts[e.Conversation] = append(p.texts[e.Conversation], true)
		list = append(list, e)
	}
	p.at += int64(over)
	pace(Reader)
	if p.last = e.Conversation; p.shown == "" {
		p.shown = e.Conversation
	}
	return list, nil
}

func (p *parser) message(fields fields) (Event, error) {
	e := Event{Kind: messages.KindText, Conversation: p.last}
	err := errors.Join(
		fields.only("at_ms", "who", "text", "conversation", "kind"),
		p.time(fields, &e),
		word(fields, "who", &e.Who, drawn.Friend, drawn.Me),
	)
	if _, ok := fields["kind"]; ok {
		err = errors.Join(err, word(fields, "kind", &e.Kind, messages.KindText, messages.KindSticker))
	}
	if e.Kind == messages.KindSticker {
		if _, ok := fields["text"]; ok {
			err = errors.Join(err, errors.New(`a sticker has no "text"`))
		}
	} else {
		err = errors.Join(err, text(fields, &e.Text))
	}
	if _, ok := fields["conversation"]; ok || p.last == "" {
		err = errors.Join(err, name(fields, &e.Conversation))
	}
	if err != nil {
		return Event{}, first(err)
	}
	p.last = e.Conversation
	if p.shown == "" {
		p.shown = e.Conversation
	}
	p.texts[e.Conversation] = append(p.texts[e.Conversation], e.Kind == messages.KindText)
	return e, nil
}

func (p *parser) action(fields fields) (Event, error) {
	var e Event
	var all []Verb
	for _, v := range verbs {
		all = append(all, v.verb)
	}
	if err := word(fields, "do", &e.Do, all...); err != nil {
		return Event{}, err
	}
	args, may := argsOf(e.Do)
	allowed := slices.Concat([]string{"at_ms", "do"}, args, may)
	err := errors.Join(fields.only(allowed...), p.time(fields, &e))
	for _, arg := range allowed[2:] {
		if _, ok := fields[arg]; ok || slices.Contains(args, arg) {
			err = errors.Join(err, p.arg(fields, arg, &e))
		}
	}
	if err != nil {
		return Event{}, first(err)
	}
	return e, p.follow(&e)
}

func (p *parser) arg(fields fields, arg string, e *Event) error {
	switch arg {
	case "by":
		return number(fields, "by", &e.By, -MaxScroll, MaxScroll)
	case "index":
		return number(fields, "index", &e.Index, 0, 1<<30)
	case "conversation":
		return name(fields, &e.Conversation)
	case "text":
		return text(fields, &e.Text)
	case "pace":
		return word(fields, "pace", &e.Pace, Reader, Free)
	case "down_ms":
		var ms int
		err := number(fields, "down_ms", &ms, 1, MaxMS)
		e.DownMS = int64(ms)
		return err
	}
	var to []int
	if err := json.Unmarshal(fields["to"], &to); err != nil || len(to) != 2 ||
		slices.Min(to) < 0 || slices.Max(to) > drawn.MaxSide {
		return fmt.Errorf(`"to" is missing or wrong; want [width,height], each 0 to %d`, drawn.MaxSide)
	}
	e.To = [2]int(to)
	return nil
}

// follow checks an action against the messages so far and records its effect.
func (p *parser) follow(e *Event) error {
	switch e.Do {
	case Pace:
		p.pace = e.Pace
	case Switch:
		p.shown = e.Conversation
	case Unsend, Edit:
		texts := p.texts[p.shown]
		if e.Index >= len(texts) {
			return fmt.Errorf(`"index" is %d; the shown conversation has %d messages of the script, counted from 0`,
				e.Index, len(texts))
		}
		if !texts[e.Index] {
			return fmt.Errorf(`message %d was taken back or is a sticker; want a text that stands`, e.Index)
		}
		texts[e.Index] = e.Do == Edit
		e.Conversation = p.shown
	}
	return nil
}

func (p *parser) time(fields fields, e *Event) error {
	var at int
	if err := number(fields, "at_ms", &at, 0, MaxMS); err != nil {
		return err
	}
	if int64(at) < p.at {
		return fmt.Errorf(`"at_ms" is %d, going back; want at least %d`, at, p.at)
	}
	e.AtMS, p.at = int64(at), int64(at)
	return nil
}

// fields are the raw values of one object.
type fields map[string]json.RawMessage

func object(line []byte) (fields, error) {
	bad := errors.New("not a JSON object")
	if !utf8.Valid(line) {
		return nil, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad
	}
	f := fields{}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil, bad
		}
		if _, ok := f[key]; ok {
			return nil, fmt.Errorf("field %q twice", key)
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil, bad
		}
		f[key] = v
	}
	if _, err := d.Token(); err != nil || len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return nil, errors.New("not exactly one JSON object")
	}
	return f, nil
}

func (f fields) only(allowed ...string) error {
	var unknown []string
	for k := range f {
		if !slices.Contains(allowed, k) {
			unknown = append(unknown, k)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("field %q does not belong here; allowed are %s", unknown[0], strings.Join(allowed, ", "))
}

func word[T ~string](f fields, key string, to *T, allowed ...T) error {
	var s *string
	if json.Unmarshal(f[key], &s) == nil && s != nil && slices.Contains(allowed, T(*s)) {
		*to = T(*s)
		return nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	is := "missing or not a string"
	if s != nil {
		is = strconv.Quote((*s)[:min(len(*s), 40)])
	}
	return fmt.Errorf("%q is %s; want one of %s", key, is, strings.Join(names, ", "))
}

func text(f fields, to *messages.Text) error {
	var s *string
	if json.Unmarshal(f["text"], &s) != nil || s == nil || strings.TrimSpace(*s) == "" {
		return errors.New(`"text" is missing, empty or not a string; want a string with something in it`)
	}
	*to = messages.Text(*s)
	return nil
}

func name(f fields, to *string) error {
	var s *string
	if json.Unmarshal(f["conversation"], &s) != nil || s == nil || strings.TrimSpace(*s) == "" {
		return errors.New(`"conversation" is missing, empty or not a string; want a name, the first message needs one`)
	}
	*to = *s
	return nil
}

func number(f fields, key string, to *int, low, high int) error {
	var n *int
	if json.Unmarshal(f[key], &n) != nil || n == nil || *n < low || *n > high {
		return fmt.Errorf("%q is missing or wrong; want a whole number from %d to %d", key, low, high)
	}
	*to = *n
	return nil
}

// first picks the first of joined errors: one line, one complaint.
func first(err error) error {
	if j, ok := err.(interface{ Unwrap() []error }); ok && len(j.Unwrap()) > 0 {
		return first(j.Unwrap()[0])
	}
	return err
}
