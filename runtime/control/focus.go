package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// FocusBackend answers questions about attention. Every [Backend] of this
// repository is one.
type FocusBackend interface {
	// FocusDesks describes each desk that was ever watched, by name.
	FocusDesks(ctx context.Context) ([]FocusDesk, error)
	// FocusChanges yields the stored changes by desk and then by time.
	FocusChanges(ctx context.Context, yield func(FocusChange) error) error
	// PauseNotices keeps all desks quiet until a time, or until ResumeNotices if
	// it is zero. Both fail with ErrNoDesk where none was ever watched.
	PauseNotices(ctx context.Context, until time.Time) error
	ResumeNotices(ctx context.Context) error
	// FocusBaselines lists what was learnt about persons, by desk and then by name.
	FocusBaselines(ctx context.Context) ([]FocusBaseline, error)
	// ForgetBaseline has the camera of this machine learn a person anew; "" is the one
	// without a name. It fails with ErrNoBaseline where nothing was learnt.
	ForgetBaseline(ctx context.Context, person string) error
}

// Attention is the name under which [Backend].Pause and Resume know the desk,
// unless a window is called so.
const Attention = "attention"

// ErrNoDesk says that attention was never judged on a data directory.
var ErrNoDesk = errors.New("control: attention was never judged here: set focus.enabled: true and start kehai run")

// ErrNoBaseline says that nothing was learnt about a person.
var ErrNoBaseline = errors.New("control: nothing was learnt about such a person: see kehai focus baseline show")

// FocusBaseline is what is usual for one person at one camera.
type FocusBaseline struct {
	Desk          messages.DeskID `json:"desk"`
	Person        string          `json:"person"`
	EyesOpen      float64         `json:"eyes_open"`      // eye aspect ratio
	NeutralYaw    float64         `json:"neutral_yaw"`    // degrees
	NeutralPitch  float64         `json:"neutral_pitch"`  // degrees
	LearntSeconds float64         `json:"learnt_seconds"` // seen from the front with open eyes
	Used          bool            `json:"used"`           // enough is known
}

// FocusDesk is the reported state of one desk.
type FocusDesk struct {
	Desk       messages.DeskID      `json:"desk"`
	State      messages.Attention   `json:"state"`
	Since      Stamp                `json:"since"`
	Confidence float64              `json:"confidence"`
	Reasoning  string               `json:"reasoning"`
	Source     messages.FocusSource `json:"source"`
	// SeenAt is when it was last stored, at most a minute ago while it is watched.
	SeenAt      Stamp  `json:"seen_at"`
	Unwatched   bool   `json:"unwatched,omitempty"` // paused by the person: nothing is collected and judged
	Paused      bool   `json:"paused"`              // no notices
	PausedUntil *Stamp `json:"paused_until,omitempty"`
}

// FocusChange is one change of a desk's state.
type FocusChange struct {
	Desk       messages.DeskID      `json:"desk"`
	At         time.Time            `json:"at"`
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"`
	Source     messages.FocusSource `json:"source"`
	Paused     bool                 `json:"paused,omitempty"` // unknown because a person has paused the judging
}

// focusRoutes adds what a [FocusBackend] answers.
func focusRoutes(mux *http.ServeMux, b Backend) {
	f, ok := b.(FocusBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/focus/desks", func(w http.ResponseWriter, r *http.Request) {
		desks, err := f.FocusDesks(r.Context())
		answer(w, desks, err)
	})
	mux.HandleFunc("GET /v1/focus/changes", func(w http.ResponseWriter, r *http.Request) {
		list(w, r, func(ctx context.Context, _ Query, yield func(FocusChange) error) error {
			return f.FocusChanges(ctx, yield)
		})
	})
	mux.HandleFunc("POST /v1/focus/pause", func(w http.ResponseWriter, r *http.Request) {
		var until time.Time
		if s := r.URL.Query().Get("until"); s != "" {
			var err error
			if until, err = time.Parse(time.RFC3339Nano, s); err != nil {
				fail(w, http.StatusBadRequest, fmt.Errorf("control: until=%q: want a time in RFC 3339", s))
				return
			}
		}
		answer(w, struct{}{}, f.PauseNotices(r.Context(), until))
	})
	mux.HandleFunc("GET /v1/focus/baselines", func(w http.ResponseWriter, r *http.Request) {
		list, err := f.FocusBaselines(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("DELETE /v1/focus/baselines", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, f.ForgetBaseline(r.Context(), r.URL.Query().Get("person")))
	})
	mux.HandleFunc("POST /v1/focus/resume", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, f.ResumeNotices(r.Context()))
	})
}

// FocusDesks implements [FocusBackend].
func (c *Client) FocusDesks(ctx context.Context) (list []FocusDesk, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/focus/desks", &list)
	return list, err
}

// FocusChanges implements [FocusBackend].
func (c *Client) FocusChanges(ctx context.Context, yield func(FocusChange) error) error {
	return stream(ctx, c, "/v1/focus/changes", yield)
}

// PauseNotices implements [FocusBackend].
func (c *Client) PauseNotices(ctx context.Context, until time.Time) error {
	path := "/v1/focus/pause"
	if !until.IsZero() {
		path += "?" + url.Values{"until": {until.UTC().Format(time.RFC3339Nano)}}.Encode()
	}
	return c.get(ctx, http.MethodPost, path, nil)
}

// ResumeNotices implements [FocusBackend].
func (c *Client) ResumeNotices(ctx context.Context) error {
	return c.get(ctx, http.MethodPost, "/v1/focus/resume", nil)
}

// FocusBaselines implements [FocusBackend].
func (c *Client) FocusBaselines(ctx context.Context) (list []FocusBaseline, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/focus/baselines", &list)
	return list, err
}

// ForgetBaseline implements [FocusBackend].
func (c *Client) ForgetBaseline(ctx context.Context, person string) error {
	return c.get(ctx, http.MethodDelete, "/v1/focus/baselines?"+url.Values{"person": {person}}.Encode(), nil)
}
