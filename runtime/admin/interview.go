package admin

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/project"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Define implements [control.TalkBackend].
func (b Backend) Define(ctx context.Context, name string, file []byte) (messages.ProjectID, error) {
	e, err := b.talking()
	if err != nil {
		return "", err
	}
	p, err := interview.ParseProject(name, file)
	if err != nil {
		return "", fmt.Errorf("%w: %w", control.ErrProject, err)
	}
	name = strings.TrimSpace(name)
	id, err := b.projectOf(e, name)
	if err != nil {
		return "", err
	}
	plan := messages.InterviewPlan{Name: messages.Text(name), Tone: string(p.Tone), Goal: messages.Text(p.Goal),
		MaxTurns: p.Limits.MaxTurns, MaxDeep: p.Limits.MaxDeep, MaxConversations: p.Limits.MaxConversations}
	for _, t := range p.MustAsk {
		plan.MustAsk = append(plan.MustAsk, messages.Text(t))
	}
	for _, t := range p.MustNotAsk {
		plan.MustNotAsk = append(plan.MustNotAsk, messages.Text(t))
	}
	return id, e.Inject(ctx, messages.To(project.Kind, string(id)),
		messages.DefineProject{Project: id, Plan: plan}, "")
}

// projectOf is the id of a project with a name. One that is new has the same wherever it is
// made twice, and needs a secret of this node to be guessed: ids stand in the keys of rows,
// which are not sealed.
func (b Backend) projectOf(e *engine.Engine, name string) (id messages.ProjectID, err error) {
	err = engine.SkimTable(e, project.Kind, project.Plans,
		func(a messages.Address, _ string, p messages.InterviewPlan) {
			if id == "" && string(p.Name) == name {
				id = messages.ProjectID(a.Key())
			}
		})
	if id == "" {
		mac := hmac.New(sha256.New, b.HashKey)
		mac.Write([]byte("project\x00" + name))
		id = messages.ProjectID("p-" + hex.EncodeToString(mac.Sum(nil)[:6]))
	}
	return id, err
}

// rowOf reads the only row of an actor's table; false if there is none.
func rowOf[V any](e *engine.Engine, a messages.Address, row string, decode func([]byte) (V, error)) (
	v V, ok bool, err error) {
	raw, ok, err := e.ReadRow(a, row)
	if err == nil && ok {
		v, err = decode(raw)
	}
	return v, ok, err
}

// mayBegin refuses an interview of a project that has all of them.
func mayBegin(e *engine.Engine, p messages.ProjectID) error {
	if p == "" {
		return nil
	}
	a := messages.To(project.Kind, string(p))
	if a.Validate() != nil {
		return control.ErrProject
	}
	register, _, err := rowOf(e, a, project.Registers.Row(project.Key), project.Registers.Decode)
	if err != nil {
		return err
	}
	plan, known, err := rowOf(e, a, project.Plans.Row(project.Key), project.Plans.Decode)
	switch {
	case err != nil:
		return err
	case known && plan.MaxConversations > 0 && len(register.Finished) >= plan.MaxConversations:
		return fmt.Errorf("%w: %w", control.ErrProject, interview.ErrClosed)
	}
	return nil
}

// beginIn makes a known conversation an interview, unless it is that one already.
func (b Backend) beginIn(ctx context.Context, e *engine.Engine, ask control.Begin) (messages.ConversationID, error) {
	c, _, err := names.Find(e, ask.Conversation)
	if err != nil {
		return "", err
	}
	led, err := interviewOf(e, c)
	switch {
	case err != nil:
		return "", err
	case ask.Channel != "" || ask.Name != "":
		return "", fmt.Errorf("%w: want a conversation, or a channel and a name", control.ErrBegin)
	case ask.Project == "":
		return "", fmt.Errorf("%w: it is known already: want the project of an interview", control.ErrBegin)
	case led != nil && led.Project == ask.Project:
		return c, nil
	case led != nil:
		return "", fmt.Errorf("%w: it is an interview of another project", control.ErrBegin)
	case !b.answers(c):
		return "", fmt.Errorf("%w: nothing is answered in it: set replies.mode to assistant, and replies.policy to "+
			"draft or auto", control.ErrBegin)
	}
	if err := mayBegin(e, ask.Project); err != nil {
		return "", err
	}
	return c, b.beginInterview(ctx, e, c, ask.Project)
}

// beginInterview makes a conversation an interview and waits until it is one.
func (b Backend) beginInterview(ctx context.Context, e *engine.Engine, c messages.ConversationID,
	p messages.ProjectID) error {
	defer b.Talks.join(c)()
	for asked := false; ; {
		_, changed := b.Talks.look(c)
		led, err := interviewOf(e, c)
		if led != nil || err != nil {
			return err
		}
		if !asked {
			asked = true
			err := e.Inject(ctx, messages.To(project.Kind, string(p)),
				messages.BeginInterview{Project: p, Conversation: c}, "")
			if err != nil {
				return err
			}
		}
		late := time.NewTimer(beginWait)
		select {
		case <-changed:
			late.Stop()
		case <-late.C:
			return control.ErrProject
		case <-ctx.Done():
			late.Stop()
			return fmt.Errorf("%w: %w", control.ErrBegin, ctx.Err())
		}
	}
}

// beginWait is how long a project may take to answer; an unknown project never does.
const beginWait = 5 * time.Second

// interviewOf returns what a conversation knows about itself as an interview, nil if it
// is not one.
func interviewOf(e *engine.Engine, c messages.ConversationID) (*conversation.Interview, error) {
	v, ok, err := rowOf(e, messages.To(conversation.Kind, string(c)),
		conversation.Interviews.Row(conversation.DeskKey), conversation.Interviews.Decode)
	if err != nil || !ok {
		return nil, err
	}
	return &v, nil
}

// Stop implements [control.TalkBackend].
func (b Backend) Stop(ctx context.Context, c messages.ConversationID) error {
	e, err := b.talking()
	if err != nil {
		return err
	}
	if c, _, err = names.Find(e, c); err != nil {
		return err
	}
	switch led, err := interviewOf(e, c); {
	case err != nil:
		return err
	case led == nil:
		return control.ErrNoInterview
	case led.State.Phase == interview.Done:
		return nil
	}
	return e.Inject(ctx, messages.To(conversation.Kind, string(c)), messages.StopInterview{Conversation: c}, "")
}

// Insights implements [control.TalkBackend].
func (b Backend) Insights(ctx context.Context) ([]control.Insights, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	list := []control.Insights{}
	err = engine.ReadTable(e, project.Kind, project.Plans,
		func(a messages.Address, _ string, p messages.InterviewPlan) error {
			register, _, err := rowOf(e, a, project.Registers.Row(project.Key), project.Registers.Decode)
			list = append(list, control.Insights{Project: messages.ProjectID(a.Key()), Name: string(p.Name),
				Goal: string(p.Goal), Finished: len(register.Finished), Closed: !register.ClosedAt.IsZero()})
			return errors.Join(err, ctx.Err())
		})
	for i := range list {
		of := map[messages.ConversationID]insight.Analysis{}
		a := messages.To(insight.Kind, string(list[i].Project))
		err = errors.Join(err, e.ReadRowsOf(a, func(r engine.Row) bool {
			v, bad := insight.Analyses.Decode(r.Value)
			if bad == nil { // one bad row does not spoil the others
				of[messages.ConversationID(r.Key)] = v
			}
			if v.Stage == insight.Done {
				list[i].Analysed++
			}
			return ctx.Err() == nil
		}))
		// The project may hear of an end after the analysis has begun.
		list[i].Finished = max(list[i].Finished, len(of))
		list[i].Cards = insight.Cards(of, b.Config.Rules.Insight)
	}
	return list, errors.Join(err, ctx.Err())
}
