package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/messages"
)

// ErrNotAsked marks a verdict that the language model should have given and did
// not. The rest of the text says why, and quotes nothing of its answer.
var ErrNotAsked = errors.New("runtime: the language model did not decide")

// AskFocus is [ClassifyFocus] with a language model for the cases that the rules
// leave open; nil asks nobody. Where the model fails, or its answer is no
// judgement, the fallback's verdict comes with an error wrapping [ErrNotAsked]:
// the verdict is good all the same.
func AskFocus(ctx context.Context, profile string, camera, usage []byte, model LLMModel) (FocusVerdict, error) {
	rules, look, err := focusCase(profile, camera, usage)
	if err != nil {
		return FocusVerdict{}, err
	}
	state, clear := rules.Judge(look)
	if clear {
		return focusVerdict(state), nil
	}
	look = rules.Uncover(look)
	if model == nil {
		return focusVerdict(rules.Fallback(look)), nil
	}
	answer, err := askFocus(ctx, model, focus.Prompt(look))
	if err == nil {
		if state, err = focus.ParseAnswer(answer); err == nil {
			return focusVerdict(state), nil
		}
	}
	return focusVerdict(rules.Fallback(look)), fmt.Errorf("%w: %w", ErrNotAsked, err)
}

func askFocus(ctx context.Context, model LLMModel, prompt messages.Text) (messages.Text, error) {
	reply, err := model.Generate(ctx, LLMQuestion{System: focus.SystemPrompt, Prompt: string(prompt), JSON: true})
	return messages.Text(reply.Text), err
}

// FocusAsked is what a replay had of its language model.
type FocusAsked struct {
	Questions int
	Failures  int
	Why       error // of the first failure
}

// ReplayFocusAsking is [ReplayFocus] with a language model for the cases that the
// rules leave open; nil asks nobody. It is asked as in a running Kehai, in the
// time of the record: once for each case, and after a failure not for a while.
func ReplayFocusAsking(ctx context.Context, profile string, model LLMModel, r io.Reader, yield func(FocusLine) error) (asked FocusAsked, err error) {
	var ask func(messages.Text) (messages.Text, error)
	if model != nil {
		ask = func(prompt messages.Text) (messages.Text, error) {
			asked.Questions++
			answer, err := askFocus(ctx, model, prompt)
			if err == nil {
				_, err = focus.ParseAnswer(answer)
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
	err = replayFocus(ctx, profile, ask, r, yield)
	return asked, err
}
