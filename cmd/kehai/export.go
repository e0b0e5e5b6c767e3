package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/privacy"
)

type exportVerb struct {
	*app
	format string
	output string
	all    bool
	raw    bool
}

func (v *exportVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [CONVERSATION]",
		Short: "Write out what is stored, of all conversations or of one",
		Long: `Writes the delivered messages to standard output, oldest first, with what became
of them, the replies that were sent, and the gaps in which messages may be missing:
as JSON Lines, each with a field "record" that says what it is (message, reply,
transcript_gap, or message_changed for a message that is not kept any more), or as
Markdown for people. With --all also the stages' decisions and the dead letters. A file
that -o names is new and can be read by nobody else.

Names and what else is private are masked, the same with the same placeholder within
a conversation and an export; messages of dead letters are left out. --raw writes all
of it as it is stored.`,
		Example: `  kehai export > kehai.jsonl
  kehai export line:Hana --raw --format md -o hana.md
  kehai export line:Hana --all | jq 'select(.record == "decision")'`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.withBackend(v.run),
	}
	cmd.Flags().StringVar(&v.format, "format", "jsonl", "`FORMAT`: jsonl or md")
	cmd.Flags().StringVarP(&v.output, "output", "o", "-", "write into a new `FILE`; - is standard output")
	cmd.Flags().BoolVar(&v.all, "all", false, "decisions and dead letters too")
	cmd.Flags().BoolVar(&v.raw, "raw", false, "private texts as they are, not masked")
	return cmd
}

func (v *exportVerb) run(ctx context.Context, b control.Backend, args []string) error {
	id, err := b.Which(ctx, first(args))
	if err != nil {
		return err
	}
	n := 0
	err = v.writeNew(v.output, func(w io.Writer) (err error) {
		n, err = v.write(ctx, b, id, first(args), w)
		return err
	})
	if n > 0 && id != "" { // one that can be read is whole
		return err
	}
	return v.shut(ctx, b, n, err)
}

func (v *exportVerb) write(
	ctx context.Context, b control.Backend, id messages.ConversationID, name string, w io.Writer,
) (int, error) {
	q := control.Query{Conversation: id}
	out := bufio.NewWriter(w)
	var ex exporter
	switch v.format {
	case "jsonl":
		ex = jsonExport{json.NewEncoder(escaping{out})}
	case "md":
		ex = &markdown{out: out}
	default:
		return 0, badUsage("export: --format %q: want jsonl or md", v.format)
	}
	if !v.raw {
		masked := maskedExport{exporter: ex, by: &privacy.Masker{}}
		if err := b.Timeline(ctx, q, masked.learn); err != nil { // texts may name who writes only later
			return 0, err
		}
		ex = masked
	}
	n, err := export(ctx, b, q, v.all, ex)
	if err = errors.Join(err, out.Flush()); err == nil && n == 0 && q.Conversation != "" {
		what := "no message"
		if v.all {
			what = "nothing"
		}
		return 0, &nothingStored{fmt.Errorf("%s of %s is stored: kehai conversations lists what there is", what, name)}
	}
	return n, err
}

// nothingStored is the error for a conversation of which there is nothing.
type nothingStored struct{ error }

// exporter writes what is exported, class by class.
type exporter interface {
	entry(control.Entry) error
	decision(events.Verdict) error
	deadLetter(engine.DeadLetter) error
}

// export returns how many records there were.
func export(ctx context.Context, b control.Backend, q control.Query, all bool, ex exporter) (n int, err error) {
	err = b.Timeline(ctx, q, func(e control.Entry) error { n++; return ex.entry(e) })
	if err == nil && all {
		err = b.Verdicts(ctx, q, func(v events.Verdict) error { n++; return ex.decision(v) })
	}
	if err != nil || !all {
		return n, err
	}
	list, err := b.DeadLetters(ctx)
	for _, d := range list {
		if err == nil && (q.Conversation == "" || d.Actor.Key() == string(q.Conversation)) {
			n++
			err = ex.deadLetter(d)
		}
	}
	return n, err
}

// jsonExport writes one object a line.
type jsonExport struct{ *json.Encoder }

// record is a line of an export: what it is stands before its own fields.
func (e jsonExport) record(what string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return e.Encode(json.RawMessage(fmt.Sprintf(`{"record":%q,%s`, what, bytes.TrimPrefix(raw, []byte("{")))))
}

func (e jsonExport) entry(entry control.Entry) error {
	what := cmp.Or(string(entry.Event), "message")
	return e.record(what, entry)
}

func (e jsonExport) decision(v events.Verdict) error { return e.record("decision", v) }

func (e jsonExport) deadLetter(d engine.DeadLetter) error { return e.record("dead_letter", d) }

// maskedExport masks what another one writes.
type maskedExport struct {
	exporter
	by *privacy.Masker
}

// learn remembers the names of an entry.
func (m maskedExport) learn(e control.Entry) error {
	e.RewriteNames(m.by.Name)
	return nil
}

func (m maskedExport) entry(e control.Entry) error {
	e.RewriteNames(m.by.Name)
	e.RewriteTexts(m.by.Text)
	return m.exporter.entry(e)
}

func (m maskedExport) decision(v events.Verdict) error {
	v.Reason = m.by.Text(string(v.Detail.Conversation), v.Reason)
	return m.exporter.decision(v)
}

func (m maskedExport) deadLetter(d engine.DeadLetter) error {
	d.Error, d.Message = m.by.Text(d.Actor.Key(), d.Error), nil
	return m.exporter.deadLetter(d)
}

// markdown writes a document for people: a heading for each day and whenever
// the conversation changes.
type markdown struct {
	out     io.Writer
	section string // what the last heading said
	day     string
}

func (m *markdown) heading(section, day string) error {
	var err error
	if m.section != section {
		if m.section != "" {
			_, err = fmt.Fprintln(m.out)
		}
		m.section, m.day = section, ""
		_, err2 := fmt.Fprintf(m.out, "# %s\n", plainText(section))
		err = errors.Join(err, err2)
	}
	if m.day != day {
		m.day = day
		_, err2 := fmt.Fprintf(m.out, "\n## %s\n\n", day)
		err = errors.Join(err, err2)
	}
	return err
}

func (m *markdown) entry(e control.Entry) error {
	who, text := "", ""
	switch {
	case e.Message != nil:
		var parts []string
		for _, p := range e.Message.Parts {
			parts = append(parts, partText(p))
		}
		who, text = cmp.Or(e.Message.Sender, "?"), strings.Join(parts, "\n")
	case e.Change != nil:
		who, text = e.Change.Sender, fmt.Sprintf("[%s] %s\n[now] %s", e.Change.Kind, e.Change.Old, e.Change.New)
	case e.Gap != nil:
		who, text = "gap", e.Gap.What
	case e.Reply != nil:
		who, text = "Kehai", e.Reply.Text+"\n"+replyNote(*e.Reply)
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, plainText(line))
	}
	return m.item(e.Where(), e.SeenAt.Time, "15:04", "**"+plainText(who)+"** "+strings.Join(lines, "  \n  "))
}

func (m *markdown) decision(v events.Verdict) error {
	what, about := "passed", ""
	if !v.Passed() {
		what = "dropped: " + v.Reason
	}
	if len(v.Detail.Occurrences) > 0 {
		about = fmt.Sprintf(" %v", v.Detail.Occurrences)
	}
	return m.item("Decisions", v.At, "15:04:05",
		plainText(fmt.Sprintf("%s%s %s", v.Actor, about, what))+" ("+plainText(string(v.Detail.Rule))+")")
}

func (m *markdown) deadLetter(d engine.DeadLetter) error {
	return m.item("Dead letters", d.At, "15:04:05",
		d.ID+" "+plainText(string(d.Actor))+" "+plainText(d.Type)+": "+plainText(d.Error))
}

// item writes one line of a list, in Markdown, below its headings.
func (m *markdown) item(section string, at time.Time, clock, text string) error {
	err := m.heading(section, at.Local().Format(time.DateOnly))
	_, failed := fmt.Fprintf(m.out, "- %s %s\n", at.Local().Format(clock), text)
	return errors.Join(err, failed)
}

// plainText keeps text that somebody wrote from controlling Markdown or the terminal.
func plainText(s string) string {
	var b strings.Builder
	s = clean(s)
	for i, r := range s {
		switch {
		case strings.ContainsRune("\\`*_[]<>&~|", r),
			i == 0 && strings.ContainsRune("#+-=", r),
			(r == '.' || r == ')') && i > 0 && strings.Trim(s[:i], "0123456789") == "": // a numbered list
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
