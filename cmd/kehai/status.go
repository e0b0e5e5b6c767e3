package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

type statusVerb struct {
	*app
	asJSON bool
}

func (v *statusVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the actors of the running Kehai, their restarts and mailboxes",
		Example: `  kehai status
  kehai status --json | jq .actors`,
		Args: cobra.NoArgs,
		RunE: v.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
			s, err := b.Status(ctx)
			if err != nil {
				return err
			}
			if v.asJSON {
				return v.stdout.json().Encode(s)
			}
			return showStatus(v.stdout, s)
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func showStatus(out terminal, s control.Status) error {
	dead := count(s.DeadLetters, "dead letter")
	if !s.Running {
		out.printf("not running; %s\n", dead)
		return showPaused(out, s)
	}
	state := "healthy"
	if !s.Healthy {
		state = "NOT healthy"
	}
	out.printf("running since %s (pid %d, %s), %s; %s\n", s.StartedAt, s.PID, s.Version, state, dead)
	for _, p := range s.Problems {
		out.lines("  ", "    ", p)
	}
	if s.Page != "" {
		out.printf("  the live page: %s (`kehai page` prints an address that opens it)\n", withoutKey(s.Page))
	}
	if s.Held > 0 {
		out.printf("  %s held, as nobody knows whose: kehai conversations held\n", count(s.Held, "reading"))
	}
	showStalled(out, s.Stalled)
	if s.LLM != nil && s.LLM.Off != "" {
		out.lines("  ", "    ", "the language model is not asked: "+s.LLM.Off)
	}
	if s.LLM != nil && s.LLM.Breaker == "open" {
		out.printf("  the language model fails and is left alone for a while; kehai doctor asks it\n")
	}
	showFailing(out, s.LLM)
	for _, t := range s.Typists {
		out.printf("  window %s is typed into by: %s\n", t.Window, t.Name)
	}
	if r := s.Recording; r != nil {
		out.printf("  ")
		out.recording(*r)
	}
	showPaused(out, s)
	var actors, workers table
	actors.row("ACTOR", "TURNS", "WAITING", "RESTARTS", "LAST ERROR")
	for _, i := range s.Actors {
		waiting := fmt.Sprint(i.Mailbox + i.Pending)
		if i.More {
			waiting += "+"
		}
		actors.row(i.Address, i.Turns, waiting, i.Restarts, i.LastError)
	}
	workers.row("WORKERS", "SIZE", "BUSY", "WAITING")
	for _, p := range s.Pools {
		workers.row(p.Kind, p.Size, p.Busy, p.Waiting)
	}
	for _, t := range []table{actors, workers, modelTable(s.LLM)} {
		if len(t.rows) == 0 {
			continue
		}
		out.printf("\n")
		if err := t.write(out); err != nil {
			return err
		}
	}
	return nil
}

// showStalled counts what was not sent in time, by reason.
func showStalled(out terminal, list []control.Stalled) {
	say := func(r messages.StallReason, what string) {
		n, last := 0, control.Stamp{}
		for _, s := range list {
			if s.Reason == r {
				n, last = n+1, s.Since
			}
		}
		if n > 0 {
			out.printf("  %s %s, the last decided at %s: kehai drafts\n", count(n, "text"), what, last)
		}
	}
	say(messages.StalledTypingBusy, "cannot be typed, as a person types or unsent text stands in the field")
	say(messages.StalledNoSend, "of the last day not seen to be sent in time")
}

// modelTable shows what the language model was asked, "" for nothing.
func modelTable(m *control.LLM) (t table) {
	if m == nil || len(m.Purposes) == 0 {
		return t
	}
	t.row("MODEL FOR", "MODEL", "ASKED", "ANSWERED", "RETRIED", "TOKENS IN", "TOKENS OUT")
	for _, u := range m.Purposes {
		t.row(u.Purpose, u.Model, u.Attempts, u.Answers, u.Retries, u.PromptTokens, u.AnswerTokens)
	}
	return t
}

func showPaused(out terminal, s control.Status) error {
	for _, p := range s.Paused {
		what := "all windows are"
		if p.Window != "" {
			what = fmt.Sprintf("window %s is", p.Window)
		}
		out.printf("  %s paused since %s; kehai resume goes on\n", what, p.Since)
	}
	if s.SendingPaused != nil {
		out.printf("  no reply is sent since %s; kehai resume sending goes on\n", s.SendingPaused)
	}
	if s.AttentionPaused == nil {
		return nil
	}
	return out.printf("  attention is paused since %s; kehai resume attention goes on\n", s.AttentionPaused)
}

// showFailing says what helps where a language model fails.
func showFailing(out terminal, m *control.LLM) {
	if m == nil {
		return
	}
	for _, f := range m.Failing {
		what := f.Mend
		if f.Said != "" {
			what = f.Said + "; " + f.Mend
		}
		out.lines("  ", "    ", fmt.Sprintf("the language model %s fails (%s): %s", f.Model, f.Code, what))
	}
}
