package replay

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/recording"
)

// errRecorded stands for an error whose text was not recorded.
var errRecorded = errors.New("it failed")

// tapeTree is the accessibility tree of a window.
type tapeTree struct {
	t      *tape
	window string
}

// tree knows names if those of the recording were known.
func (t *tape) tree(window string) hardware.Structure {
	for _, e := range t.rec.Entries {
		var was recording.Tree
		if e.Kind != recording.Rows || e.Window != t.was(window) {
			continue
		}
		if json.Unmarshal(e.Data, &was) == nil && was.Names != nil {
			return tapeNames{tapeTree{t, window}}
		}
	}
	return tapeTree{t, window}
}

func (s tapeTree) given() (was recording.Tree, err error) {
	i := s.t.rows[s.t.was(s.window)].take(s.t.now())
	if i < 0 {
		return was, ago(messages.CodeUnavailable)
	}
	e := s.t.rec.Entries[i]
	err = errors.Join(json.Unmarshal(e.Data, &was), ago(e.Code))
	if s.t.redaction.draws() {
		for n, name := range was.Names {
			was.Names[n] = s.t.redaction.words.replace(name)
		}
	}
	return was, err
}

// Rows implements [hardware.Structure].
func (s tapeTree) Rows(context.Context, string) (int, error) {
	was, err := s.given()
	return was.Rows, err
}

type tapeNames struct{ tapeTree }

// Chat implements [hardware.ChatNamer].
func (s tapeNames) Chat(context.Context, string) (int, []string, error) {
	was, err := s.given()
	return was.Rows, was.Names, err
}

// tapeHands type nothing: what then stood in the window is in its frames.
type tapeHands struct{}

// Activate implements [hardware.Typist].
func (tapeHands) Activate(context.Context, string) error { return nil }

// Type implements [hardware.Typist].
func (tapeHands) Type(context.Context, string, string) error { return nil }

// Press implements [hardware.Typist].
func (tapeHands) Press(context.Context, string, hardware.Key) error { return nil }

// Idle implements [hardware.Presence].
func (tapeHands) Idle(context.Context) (time.Duration, error) { return time.Hour, nil }

// tapeUsage is how the computer was used.
type tapeUsage struct{ t *tape }

func (u tapeUsage) given(what string, to any) error {
	i := u.t.used[what].take(u.t.now())
	if i < 0 {
		return ago(messages.CodeUnavailable)
	}
	e := u.t.rec.Entries[i]
	return errors.Join(json.Unmarshal(e.Data, to), ago(e.Code))
}

// ActiveApp implements [hardware.Usage].
func (u tapeUsage) ActiveApp(context.Context) (app hardware.App, err error) {
	return app, u.given(recording.UsedApp, &app)
}

// Idle implements [hardware.Usage].
func (u tapeUsage) Idle(context.Context) (d time.Duration, err error) {
	return d, u.given(recording.UsedIdle, &d)
}

// Input implements [hardware.Usage].
func (u tapeUsage) Input(context.Context) (in hardware.Input, err error) {
	return in, u.given(recording.UsedInput, &in)
}

// Generate implements [llm.Model]: the answer to this question, else the next one for the same purpose.
func (t *tape) Generate(_ context.Context, q llm.Question) (llm.Reply, error) {
	key, found := recording.QuestionKey(q), -1
	for i, e := range t.answers {
		switch {
		case t.given[i] || e.Name != string(q.Purpose):
		case e.Key == key:
			return t.answer(i)
		case found < 0:
			found = i
		}
	}
	if found >= 0 {
		return t.answer(found)
	}
	return llm.Reply{}, &llm.Error{Code: llm.NoModel, Text: "the recording has no answer to this question"}
}

func (t *tape) answer(i int) (llm.Reply, error) {
	t.given[i] = true
	var was recording.Answered
	if err := json.Unmarshal(t.answers[i].Data, &was); err != nil || was.Code == "" {
		return was.Reply, err
	}
	return llm.Reply{}, &llm.Error{Code: was.Code, Text: was.Text}
}
