package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// ErrFocusInput marks snapshots that cannot be judged.
var ErrFocusInput = errors.New("runtime: bad focus input")

// FocusProfiles are the sets of rules that ClassifyFocus and ReplayFocus know.
func FocusProfiles() []string {
	return []string{string(focus.ProfileDefault), string(focus.ProfileSeed)}
}

// FocusVerdict is one judgement, as a script reads it.
type FocusVerdict struct {
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"`
	Reasoning  string               `json:"reasoning"`
	Source     messages.FocusSource `json:"source"`
}

func focusVerdict(s messages.FocusState) FocusVerdict {
	return FocusVerdict{State: s.State, Confidence: s.Confidence, Reasoning: string(s.Reasoning), Source: s.Source}
}

// ClassifyFocus judges a camera and a usage snapshot, JSON objects each, by the
// rules of a profile and else by their fallback. A half that is nil, empty or
// null is absent; NaN and infinities count as not measured.
func ClassifyFocus(profile string, camera, usage []byte) (FocusVerdict, error) {
	return AskFocus(context.Background(), profile, camera, usage, nil)
}

// focusCase reads what is to be judged.
func focusCase(profile string, camera, usage []byte) (rules focus.Rules, look focus.Look, err error) {
	rules, ok := focus.RulesOf(focus.Profile(profile))
	if !ok {
		return rules, look, fmt.Errorf("%w: profile %.60q: want %s", ErrFocusInput, profile, strings.Join(FocusProfiles(), " or "))
	}
	if look.Camera, err = halfOf(camera, messages.DecodeCamera); err != nil {
		return rules, look, fmt.Errorf("%w: camera: %w", ErrFocusInput, err)
	}
	if look.Usage, err = halfOf(usage, messages.DecodeUsage); err != nil {
		return rules, look, fmt.Errorf("%w: pc: %w", ErrFocusInput, err)
	}
	return rules, look, nil
}

// halfOf decodes a snapshot, nil for an absent one.
func halfOf[S any](raw []byte, decode func([]byte) (S, error)) (*S, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	s, err := decode(focus.NoNaN(raw))
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// FocusHints names the fields of two snapshots that count for nothing, such as
// misspelt ones. Snapshots that cannot be judged have none.
func FocusHints(camera, usage []byte) (hints []string) {
	for _, half := range []struct {
		name  string
		data  []byte
		known []string
	}{{"camera", camera, messages.CameraFields()}, {"pc", usage, messages.UsageFields()}} {
		for _, field := range messages.UnknownFields(focus.NoNaN(half.data), half.known) {
			hint := fmt.Sprintf("%s: %.60q is no field of it and counts for nothing", half.name, field)
			if near := text.Nearest(field, half.known); near != "" {
				hint += ": did you mean " + near + "?"
			}
			hints = append(hints, hint)
		}
	}
	return hints
}
