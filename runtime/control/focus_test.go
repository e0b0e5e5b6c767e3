package control

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// fakeFocus knows one desk and two changes, or none.
type fakeFocus struct {
	fakeBackend
	none  bool
	calls []string
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 5e6, time.UTC)

var changes = []FocusChange{
	{Desk: "mac-a", At: noon, State: messages.Focused, Confidence: 0.9, Source: messages.FromRule},
	{Desk: "mac-a", At: noon.Add(time.Minute), State: messages.Away, Confidence: 1, Source: messages.FromRule},
}

func (f *fakeFocus) FocusDesks(context.Context) ([]FocusDesk, error) {
	return []FocusDesk{{Desk: "mac-a", State: messages.Away, Since: Stamp{noon}, SeenAt: Stamp{noon}, Paused: true,
		PausedUntil: &Stamp{noon}}}, nil
}

func (f *fakeFocus) FocusChanges(_ context.Context, yield func(FocusChange) error) error {
	for _, c := range changes {
		if err := yield(c); err != nil {
			return err
		}
	}
	if f.none {
		return errors.New("the disk is gone")
	}
	return nil
}

func (f *fakeFocus) PauseNotices(_ context.Context, until time.Time) error {
	if f.none {
		return ErrNoDesk
	}
	f.calls = append(f.calls, "pause "+until.String())
	return nil
}

func (f *fakeFocus) ResumeNotices(context.Context) error {
	f.calls = append(f.calls, "resume")
	return nil
}

func (f *fakeFocus) FocusBaselines(context.Context) ([]FocusBaseline, error) {
	return []FocusBaseline{{Desk: "mac-a", Person: "hana", EyesOpen: 0.28, LearntSeconds: 90, Used: true}}, nil
}

func (f *fakeFocus) ForgetBaseline(_ context.Context, person string) error {
	if person != "hana" {
		return ErrNoBaseline
	}
	return nil
}

func TestBaselinesOverTheSocket(t *testing.T) {
	_, c := serve(t, &fakeFocus{})
	got, err := c.FocusBaselines(t.Context())
	if err != nil || len(got) != 1 || got[0].Person != "hana" || got[0].EyesOpen != 0.28 || !got[0].Used {
		t.Errorf("FocusBaselines() = %+v, %v, want hana's", got, err)
	}
	if err := c.ForgetBaseline(t.Context(), "hana"); err != nil {
		t.Errorf("ForgetBaseline(hana) = %v, want none", err)
	}
	if err := c.ForgetBaseline(t.Context(), ""); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("ForgetBaseline(nobody) = %v, want ErrNoBaseline", err)
	}
}

func TestFocusOverTheSocket(t *testing.T) {
	ctx := context.Background()
	fake := &fakeFocus{}
	_, c := serve(t, fake)
	want, _ := fake.FocusDesks(ctx)
	if got, err := c.FocusDesks(ctx); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("FocusDesks() = %+v, %v, want %+v", got, err, want)
	}
	var got []FocusChange
	err := c.FocusChanges(ctx, func(c FocusChange) error { got = append(got, c); return nil })
	if err != nil || !reflect.DeepEqual(got, changes) {
		t.Errorf("FocusChanges() = %+v, %v, want %+v", got, err, changes)
	}
	if err := errors.Join(c.PauseNotices(ctx, time.Time{}), c.PauseNotices(ctx, noon),
		c.ResumeNotices(ctx)); err != nil {
		t.Errorf("pause, pause until noon, resume = %v, want none", err)
	}
	if want := []string{"pause " + time.Time{}.String(), "pause " + noon.String(),
		"resume"}; !reflect.DeepEqual(fake.calls, want) {
		t.Errorf("the backend was asked to %q, want %q", fake.calls, want)
	}
	stop := errors.New("enough")
	if err := c.FocusChanges(ctx, func(FocusChange) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("FocusChanges(stopped) = %v, want %v", err, stop)
	}
	_, c = serve(t, &fakeFocus{none: true})
	if err := c.PauseNotices(ctx, noon); !errors.Is(err, ErrNoDesk) {
		t.Errorf("PauseNotices(no desk) = %v, want ErrNoDesk", err)
	}
	if err := c.FocusChanges(ctx, func(FocusChange) error { return nil }); err == nil {
		t.Error("FocusChanges(cut off) = none, want an error")
	}
}

// A backend that knows nothing of attention says so.
func TestNoFocus(t *testing.T) {
	_, c := serve(t, &fakeBackend{})
	if _, err := c.FocusDesks(context.Background()); err == nil {
		t.Error("FocusDesks(other backend) = none, want an error")
	}
}
