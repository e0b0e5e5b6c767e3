package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Recording says that what windows show is kept.
type Recording struct {
	Path    string   `json:"path,omitempty"`
	Windows []string `json:"windows"`
	Since   Stamp    `json:"since"`
	Bytes   int64    `json:"bytes"`
	Limit   int64    `json:"limit"`
}

// RecordQuery asks for a recording of one window.
type RecordQuery struct {
	Window string        // its configured name
	Path   string        // of the new file, absolute; "" is one below recordings in the data directory
	Limit  int64         // in bytes; 0 is the default
	For    time.Duration // 0 until it is stopped
}

// Errors of a [RecordBackend].
var (
	ErrIdle = errors.New("control: no Kehai runs on this data directory: " +
		"`kehai record --window` watches a window and records it")
	ErrRecording    = errors.New("control: a recording is being made already: `kehai record stop` ends it")
	ErrNotRecording = errors.New("control: nothing is being recorded: `kehai record start` begins")
)

// RecordBackend records while it runs. Every [Backend] of this module is one.
type RecordBackend interface {
	// StartRecording begins a recording. The errors wrap ErrIdle, ErrNoWindow and ErrRecording.
	StartRecording(context.Context, RecordQuery) (Recording, error)
	// StopRecording ends it. The errors wrap ErrIdle and ErrNotRecording.
	StopRecording(context.Context) (Recording, error)
}

// recordRoutes adds what a [RecordBackend] answers.
func recordRoutes(mux *http.ServeMux, b Backend) {
	records, ok := b.(RecordBackend)
	if !ok {
		return
	}
	mux.HandleFunc("POST /v1/recording", func(w http.ResponseWriter, r *http.Request) {
		v, ok := form(w, r)
		if !ok {
			return
		}
		limit, err := strconv.ParseInt(v.Get("limit"), 10, 64)
		last, bad := time.ParseDuration(v.Get("for"))
		if err != nil || bad != nil || limit < 0 || last < 0 {
			fail(w, http.StatusBadRequest, fmt.Errorf("control: limit=%q, for=%q: want bytes and a duration",
				v.Get("limit"), v.Get("for")))
			return
		}
		got, err := records.StartRecording(r.Context(), RecordQuery{Window: v.Get("window"), Path: v.Get("path"),
			Limit: limit, For: last})
		answer(w, got, err)
	})
	mux.HandleFunc("DELETE /v1/recording", func(w http.ResponseWriter, r *http.Request) {
		got, err := records.StopRecording(r.Context())
		answer(w, got, err)
	})
}

// StartRecording implements [RecordBackend].
func (c *Client) StartRecording(ctx context.Context, q RecordQuery) (r Recording, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/recording", url.Values{"window": {q.Window}, "path": {q.Path},
		"limit": {strconv.FormatInt(q.Limit, 10)}, "for": {q.For.String()}}, &r)
	return r, err
}

// StopRecording implements [RecordBackend].
func (c *Client) StopRecording(ctx context.Context) (r Recording, err error) {
	err = c.get(ctx, http.MethodDelete, "/v1/recording", &r)
	return r, err
}
