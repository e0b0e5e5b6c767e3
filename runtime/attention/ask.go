package attention

import (
	"context"
	"errors"
	"fmt"
	"io"

	actor "github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
)

// ErrNotAsked marks a verdict without the language model that should have given it. The
// rest of the text says why, and quotes nothing of an answer.
var ErrNotAsked = errors.New("runtime: the language model did not decide")

// Ask is [Classify] by any rules, and with a language model for the cases that the rules leave open; nil
// asks nobody. If the model fails, or its answer is not a judgement, the fallback's
// verdict is returned with an error wrapping [ErrNotAsked]: that verdict is valid.
func Ask(ctx context.Context, by By, camera, usage []byte, model llm.Model) (Judgement, error) {
	rules := by.rules
	look, err := inputs(camera, usage)
	if err != nil {
		return Judgement{}, err
	}
	state, clear := rules.Judge(look)
	if clear {
		return judgementOf(state), nil
	}
	look = rules.Uncover(look)
	if model == nil {
		return judgementOf(rules.Fallback(look)), nil
	}
	answer, err := askModel(ctx, model, actor.Prompt(look))
	if err == nil {
		if state, err = actor.ParseAnswer(answer); err == nil {
			return judgementOf(state), nil
		}
	}
	return judgementOf(rules.Fallback(look)), fmt.Errorf("%w: %w", ErrNotAsked, err)
}

func askModel(ctx context.Context, model llm.Model, prompt messages.Text) (messages.Text, error) {
	reply, err := model.Generate(ctx, llm.Question{System: actor.SystemPrompt, Prompt: string(prompt), JSON: true})
	return messages.Text(reply.Text), err
}

// Asked counts what a replay asked its language model.
type Asked struct {
	Questions int
	Failures  int
	Why       error // of the first failure
}

// ReplayAsking is [Replay] by any rules, and with a language model for the cases that the rules leave open;
// nil asks nobody. It is asked as in a running Kehai, in the time of the record: once for
// each case, and not for a while after a failure.
func ReplayAsking(ctx context.Context, by By, model llm.Model, r io.Reader,
	yield func(Line) error) (asked Asked, err error) {
	var ask func(messages.Text) (messages.Text, error)
	if model != nil {
		ask = func(prompt messages.Text) (messages.Text, error) {
			asked.Questions++
			answer, err := askModel(ctx, model, prompt)
			if err == nil {
				_, err = actor.ParseAnswer(answer)
			}
			if err != nil {
				asked.Failures++
				if asked.Why == nil {
					asked.Why = err
				}
			}
			return answer, err
		}
	}
	err = replay(ctx, by, ask, r, yield)
	return asked, err
}
