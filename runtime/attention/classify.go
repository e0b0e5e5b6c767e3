package attention

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	actor "github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
)

// ErrInput marks snapshots that cannot be judged.
var ErrInput = errors.New("runtime: bad focus input")

// Profiles are the sets of rules that Classify and Replay know.
func Profiles() []string {
	return []string{string(actor.ProfileDefault), string(actor.ProfileSeed)}
}

// Judgement is one judgement, as a script reads it.
type Judgement struct {
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"`
	Reasoning  string               `json:"reasoning"`
	Source     messages.FocusSource `json:"source"`
}

func judgementOf(s messages.FocusState) Judgement {
	return Judgement{State: s.State, Confidence: s.Confidence, Reasoning: string(s.Reasoning), Source: s.Source}
}

// By says by which rules is judged; see [Profile] and [Configured].
type By struct {
	rules   actor.Rules
	literal bool // each judgement is reported as it is
}

// Profile judges by the numbers of a profile as Kehai comes with them.
func Profile(name string) (By, error) { return Configured(config.Default().Focus, name) }

// Configured judges by configured numbers, in the way of a profile.
func Configured(c config.Focus, profile string) (By, error) {
	switch actor.Profile(profile) {
	case actor.ProfileSeed:
		return By{c.Rules.Plain(), true}, nil
	case actor.ProfileDefault:
		return By{c.Rules, false}, nil
	}
	return By{}, fmt.Errorf("%w: profile %.60q: want %s", ErrInput, profile, strings.Join(Profiles(), " or "))
}

// Classify judges a camera and a usage snapshot, JSON objects each, by the rules of a
// profile or their fallback. A half that is nil, empty or null is absent; NaN and
// infinities count as not measured.
func Classify(profile string, camera, usage []byte) (Judgement, error) {
	by, err := Profile(profile)
	if err != nil {
		return Judgement{}, err
	}
	return Ask(context.Background(), by, camera, usage, nil)
}

// inputs reads what is to be judged.
func inputs(camera, usage []byte) (look actor.Look, err error) {
	if look.Camera, err = halfOf(camera, messages.DecodeCamera); err != nil {
		return look, fmt.Errorf("%w: camera: %w", ErrInput, err)
	}
	if look.Usage, err = halfOf(usage, messages.DecodeUsage); err != nil {
		return look, fmt.Errorf("%w: pc: %w", ErrInput, err)
	}
	return look, nil
}

// halfOf decodes a snapshot, nil for an absent one.
func halfOf[S any](raw []byte, decode func([]byte) (S, error)) (*S, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	s, err := decode(lenient.ReplaceNaN(raw, "null"))
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// Hints names the fields of two snapshots that have no effect, such as misspelt ones.
// Snapshots that cannot be judged have none.
func Hints(camera, usage []byte) (hints []string) {
	for _, half := range []struct {
		name  string
		data  []byte
		known []string
	}{{"camera", camera, messages.CameraFields()}, {"pc", usage, messages.UsageFields()}} {
		for _, field := range messages.UnknownFields(lenient.ReplaceNaN(half.data, "null"), half.known) {
			hint := fmt.Sprintf("%s: %.60q is no field of it and counts for nothing", half.name, field)
			if near := text.Nearest(field, half.known); near != "" {
				hint += ": did you mean " + near + "?"
			} else {
				hint += ": its fields are " + strings.Join(half.known, ", ")
			}
			hints = append(hints, hint)
		}
	}
	return hints
}
