package main

import (
	"context"
	"errors"
	"image"
	"io"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
)

// typistFinder is a Typist whose refs are queries, as those of a finder are.
type typistFinder struct {
	*finder
	hands handsOn
}

func openTypist(config.Window) (hardware.Typist, error) {
	f, err := openFinder()
	if err != nil {
		return nil, err
	}
	hands, err := native.openTypist()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &typistFinder{f, hands}, nil
}

// ref is the driver's id of the window that a query means now. An id means itself.
func (t *typistFinder) ref(ctx context.Context, query string) (string, error) {
	if isRef(query) {
		return query, nil
	}
	w, err := t.find(ctx, query)
	return w.Ref, err
}

// Activate implements [hardware.Typist].
func (t *typistFinder) Activate(ctx context.Context, query string) error {
	ref, err := t.ref(ctx, query)
	if err != nil {
		return err
	}
	return t.hands.Activate(ctx, ref)
}

// Type implements [hardware.Typist].
func (t *typistFinder) Type(ctx context.Context, query, text string) error {
	ref, err := t.ref(ctx, query)
	if err != nil {
		return err
	}
	return t.hands.Type(ctx, ref, text)
}

// Press implements [hardware.Typist].
func (t *typistFinder) Press(ctx context.Context, query string, key hardware.Key) error {
	ref, err := t.ref(ctx, query)
	if err != nil {
		return err
	}
	return t.hands.Press(ctx, ref, key)
}

// Click implements [hardware.Pointer].
func (t *typistFinder) Click(ctx context.Context, query string, at image.Point) error {
	ref, err := t.ref(ctx, query)
	if err != nil {
		return err
	}
	return t.hands.Click(ctx, ref, at)
}

// Turn implements [hardware.Wheel].
func (t *typistFinder) Turn(ctx context.Context, query string, at image.Point, steps int) error {
	ref, err := t.ref(ctx, query)
	if err != nil {
		return err
	}
	return t.hands.Turn(ctx, ref, at, steps)
}

// Active implements [hardware.Focus].
func (t *typistFinder) Active(ctx context.Context) (string, error) {
	if f, ok := t.hands.(hardware.Focus); ok {
		return f.Active(ctx)
	}
	return "", nil
}

// Idle implements [hardware.Presence].
func (t *typistFinder) Idle(ctx context.Context) (time.Duration, error) {
	if p, ok := t.hands.(hardware.Presence); ok {
		return p.Idle(ctx)
	}
	return 0, errors.New("nothing tells whether somebody uses the keyboard")
}

// Close closes both drivers if they can be closed.
func (t *typistFinder) Close() error {
	var err error
	if c, ok := t.hands.(io.Closer); ok {
		err = c.Close()
	}
	return errors.Join(err, t.finder.Close())
}
