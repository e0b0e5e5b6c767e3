package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

func (a *app) exportCmd() *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "export [CONVERSATION]",
		Short: "Write out what is stored, of all conversations or of one",
		Long: `Writes the delivered messages to standard output, oldest first: as JSON Lines,
each with a field "record" that says what it is, or as Markdown for people. With
--all also the stages' decisions and the dead letters.`,
		Example: `  kehai export > kehai.jsonl
  kehai export line:Hana --format md > hana.md
  kehai export line:Hana --all | jq 'select(.record == "decision")'`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			q := control.Query{Conversation: messages.ConversationID(first(args))}
			out := bufio.NewWriter(a.stdout)
			var ex exporter
			switch format {
			case "jsonl":
				ex = jsonExport{json.NewEncoder(out)}
			case "md":
				ex = &markdown{out: out}
			default:
				return badUsage("export: --format %q: want jsonl or md", format)
			}
			counted := &counting{exporter: ex}
			err := errors.Join(export(ctx, b, q, all, counted), out.Flush())
			if err == nil && counted.n == 0 && q.Conversation != "" {
				what := "no message"
				if all {
					what = "nothing"
				}
				return fmt.Errorf("%s of %s is stored: kehai messages lists conversations by their names", what, clean(string(q.Conversation)))
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "`FORMAT`: jsonl or md")
	cmd.Flags().BoolVar(&all, "all", false, "decisions and dead letters too")
	return cmd
}

// exporter writes what is exported, class by class.
type exporter interface {
	message(control.Message) error
	decision(events.Verdict) error
	deadLetter(engine.DeadLetter) error
}

// counting counts what is exported.
type counting struct {
	exporter
	n int
}

func (c *counting) message(m control.Message) error { c.n++; return c.exporter.message(m) }

func (c *counting) decision(v events.Verdict) error { c.n++; return c.exporter.decision(v) }

func (c *counting) deadLetter(d engine.DeadLetter) error { c.n++; return c.exporter.deadLetter(d) }

func export(ctx context.Context, b control.Backend, q control.Query, all bool, ex exporter) error {
	if err := b.Messages(ctx, q, ex.message); err != nil || !all {
		return err
	}
	if err := b.Verdicts(ctx, q, ex.decision); err != nil {
		return err
	}
	list, err := b.DeadLetters(ctx)
	for _, d := range list {
		if err == nil && (q.Conversation == "" || d.Actor.Key() == string(q.Conversation)) {
			err = ex.deadLetter(d)
		}
	}
	return err
}

// jsonExport writes one object a line.
type jsonExport struct{ *json.Encoder }

func (e jsonExport) message(m control.Message) error {
	return e.Encode(struct {
		Record string `json:"record"`
		control.Message
	}{"message", m})
}

func (e jsonExport) decision(v events.Verdict) error {
	return e.Encode(struct {
		Record string `json:"record"`
		events.Verdict
	}{"decision", v})
}

func (e jsonExport) deadLetter(d engine.DeadLetter) error {
	return e.Encode(struct {
		Record string `json:"record"`
		engine.DeadLetter
	}{"dead_letter", d})
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

func (m *markdown) message(d control.Message) error {
	if err := m.heading(string(d.Conversation), d.SeenAt.Local().Format("2006-01-02")); err != nil {
		return err
	}
	who := d.Sender
	if who == "" {
		who = "?"
	}
	var lines []string
	for _, p := range d.Parts {
		text := p.Text
		if p.Kind != messages.KindText {
			text = strings.TrimSpace("[" + string(p.Kind) + "] " + text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, plainText(line))
		}
	}
	_, err := fmt.Fprintf(m.out, "- %s **%s** %s\n", d.SeenAt.Local().Format("15:04"), plainText(who), strings.Join(lines, "  \n  "))
	return err
}

func (m *markdown) decision(v events.Verdict) error {
	if err := m.heading("Decisions", v.At.Local().Format("2006-01-02")); err != nil {
		return err
	}
	what := "passed"
	if !v.Passed() {
		what = "dropped: " + v.Reason
	}
	about := ""
	if len(v.Detail.Occurrences) > 0 {
		about = fmt.Sprintf(" %v", v.Detail.Occurrences)
	}
	_, err := fmt.Fprintf(m.out, "- %s %s%s %s (%s)\n", v.At.Local().Format("15:04:05"), plainText(string(v.Actor)), plainText(about), plainText(what), plainText(string(v.Detail.Rule)))
	return err
}

func (m *markdown) deadLetter(d engine.DeadLetter) error {
	if err := m.heading("Dead letters", d.At.Local().Format("2006-01-02")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(m.out, "- %s %s %s %s: %s\n", d.At.Local().Format("15:04:05"), d.ID, plainText(string(d.Actor)), plainText(d.Type), plainText(d.Error))
	return err
}

// plainText keeps what somebody wrote from steering Markdown or the terminal.
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
