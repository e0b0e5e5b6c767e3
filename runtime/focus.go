package runtime

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/kehai-run/kehai/actors/focus"
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
		return rules, look, fmt.Errorf("%w: profile %s: want %s", ErrFocusInput, quote(profile), orList(FocusProfiles()))
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

// FocusLine is what a replay says about one line of a record.
type FocusLine struct {
	AtMS int64 `json:"at_ms"`
	FocusVerdict
	Steady     messages.Attention `json:"steady"` // the state that is reported
	Transition *FocusTransition   `json:"transition,omitempty"`
}

// FocusTransition is a change of the reported state.
type FocusTransition struct {
	From messages.Attention `json:"from"`
	To   messages.Attention `json:"to"`
}

// maxFocusLine is the longest line of a record in bytes.
const maxFocusLine = 1 << 20

// ReplayFocus judges a record in its own time, without a language model. Each
// line is one JSON object and one judgement:
//
//	{"at_ms":10000,"camera":{…},"pc":{…}}
//
// A half that is null is absent from then on; one that is left out is as before,
// until it is too old. Times may not go back.
func ReplayFocus(profile string, r io.Reader, yield func(FocusLine) error) error {
	_, err := ReplayFocusAsking(context.Background(), profile, nil, r, yield)
	return err
}

func replayFocus(profile string, ask func(messages.Text) (messages.Text, error), r io.Reader, yield func(FocusLine) error) error {
	replay, ok := focus.NewReplay(focus.Profile(profile))
	if !ok {
		return fmt.Errorf("%w: profile %s: want %s", ErrFocusInput, quote(profile), orList(FocusProfiles()))
	}
	replay.Ask(ask)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxFocusLine)
	n, last := 0, int64(math.MinInt64)
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		at, err := replayLine(replay, text, last)
		if err != nil {
			return fmt.Errorf("%w: line %d: %w", ErrFocusInput, n, err)
		}
		last = at
		j := replay.Judge(time.UnixMilli(at))
		line := FocusLine{AtMS: at, FocusVerdict: focusVerdict(j.Raw), Steady: j.Steady}
		if j.Changed {
			line.Transition = &FocusTransition{From: j.From, To: j.Steady}
		}
		if err := yield(line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrFocusInput, n+1, err)
	}
	return nil
}

// maxReplayMS bounds at_ms to what is a time.
const maxReplayMS = 1e14

// replayLine hands the snapshots of a line to a replay and returns its time.
func replayLine(replay *focus.Replay, text []byte, last int64) (int64, error) {
	var line struct {
		AtMS   *float64        `json:"at_ms"`
		Camera json.RawMessage `json:"camera"`
		PC     json.RawMessage `json:"pc"`
	}
	if err := json.Unmarshal(focus.NoNaN(text), &line); err != nil {
		return 0, errors.New(`want a JSON object such as {"at_ms":0,"camera":{…},"pc":{…}}`)
	}
	if line.AtMS == nil || math.Abs(*line.AtMS) > maxReplayMS {
		return 0, errors.New("at_ms: want a number of milliseconds")
	}
	at := int64(*line.AtMS)
	if at < last {
		return 0, fmt.Errorf("at_ms: %d is before the line above (%d): sort the record by time", at, last)
	}
	now := time.UnixMilli(at)
	if line.Camera != nil {
		camera, err := halfOf(line.Camera, messages.DecodeCamera)
		if err != nil {
			return 0, fmt.Errorf("camera: %w", err)
		}
		replay.Camera(camera, now)
	}
	if line.PC != nil {
		usage, err := halfOf(line.PC, messages.DecodeUsage)
		if err != nil {
			return 0, fmt.Errorf("pc: %w", err)
		}
		replay.Usage(usage, now)
	}
	return at, nil
}
