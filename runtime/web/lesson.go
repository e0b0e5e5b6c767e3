package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Lesson is a page on which a person shows in a picture of a window which messages are theirs, and sees what follows.
// It is served apart from the live page, on a port of its own and for as long as it takes.
type Lesson struct {
	Shot image.Image
	// Try says what follows from two points of the picture, or from one's own name. One call at a time.
	Try func(ctx context.Context, p Pointed) Tried
}

// Pointed is what the person has shown: points inside of two messages, or a name.
type Pointed struct {
	Mine, Theirs image.Point
	Me           string // "": the points count
}

// Tried is what follows from it.
type Tried struct {
	Found image.Image // the picture with what was found; nil: nothing was
	Texts []TriedText // top to bottom
	Said  string      // for the person
	Names bool        // names say whose messages are, so that one's own is asked for
	Good  bool        // it can be taken
}

// TriedText is a message as it would be read.
type TriedText struct {
	Side   string `json:"side"` // own, incoming or unknown
	Sender string `json:"sender,omitempty"`
	Text   string `json:"text"`
}

// maxPointed bounds what the page sends.
const maxPointed = 64 << 10

var lessonAssets = []asset{
	{"/{$}", "lesson.html", html}, {"/lesson.js", "lesson.js", javascript}, {"/parts.js", "parts.js", javascript},
	{"/shown.js", "shown.js", javascript}, {"/page.css", "page.css", "text/css; charset=utf-8"},
	{"/chat.css", "chat.css", "text/css; charset=utf-8"}, {"/icon.svg", "icon.svg", "image/svg+xml"},
}

// Serve shows the page at an address that open gets, once it can be opened, until the person takes what was tried last.
// That was good then. The error is that of ctx, or of the network.
func (l Lesson) Serve(ctx context.Context, open func(address string)) error {
	to, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	c := &class{Lesson: l, key: rand.Text(), taken: make(chan struct{})}
	s := &http.Server{Handler: c.routes(), ErrorLog: discardLog(), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 20 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- s.Serve(to) }()
	open("http://" + to.Addr().String() + "/#" + c.key)
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case err = <-served:
		return fmt.Errorf("web: %w", err)
	case <-c.taken:
		rest, cancel := context.WithTimeout(ctx, time.Second) // for the answer that says so
		defer cancel()
		_ = s.Shutdown(rest)
	}
	_ = s.Close()
	<-served
	return err
}

// class is a lesson that is being served.
type class struct {
	Lesson
	key   string
	taken chan struct{}

	mu    sync.Mutex // held while something is tried
	last  Tried
	ended bool
}

func (c *class) routes() http.Handler {
	mux := http.NewServeMux()
	for _, a := range lessonAssets {
		mux.HandleFunc("GET "+a.path, a.serve)
	}
	mux.HandleFunc("GET /shot", c.mine(func(w http.ResponseWriter, _ *http.Request) { showPNG(w, c.Shot) }))
	mux.HandleFunc("GET /found", c.mine(c.found))
	mux.HandleFunc("POST /try", c.mine(c.try))
	mux.HandleFunc("POST /take", c.mine(c.take))
	return guarded(mux)
}

// mine lets requests through that have the key of the address. The page holds what others wrote.
func (c *class) mine(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(key), []byte(c.key)) != 1 {
			http.Error(w, "This needs the address that kehai layout learn has printed, whole.", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func showPNG(w http.ResponseWriter, img image.Image) {
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, img) // the reader may be gone
}

func (c *class) found(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	img := c.last.Found
	c.mu.Unlock()
	if img == nil {
		http.Error(w, "Nothing was found yet.", http.StatusNotFound)
		return
	}
	showPNG(w, img)
}

func (c *class) try(w http.ResponseWriter, r *http.Request) {
	p, err := pointed(http.MaxBytesReader(w, r.Body, maxPointed), c.Shot.Bounds())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		http.Error(w, "The layout is written.", http.StatusConflict)
		return
	}
	c.last = c.Try(r.Context(), p)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		Texts []TriedText `json:"texts"`
		Said  string      `json:"said"`
		Names bool        `json:"names"`
		Good  bool        `json:"good"`
		Found bool        `json:"found"`
	}{append([]TriedText{}, c.last.Texts...), c.last.Said, c.last.Names, c.last.Good, c.last.Found != nil})
}

// pointed reads what the person has shown in a picture with these bounds.
func pointed(from io.Reader, in image.Rectangle) (p Pointed, err error) {
	var told struct {
		Points [][2]int `json:"points"`
		Me     string   `json:"me"`
	}
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	if err := d.Decode(&told); err != nil {
		return p, errors.New("want the two points or a name, as JSON")
	}
	if p.Me = strings.TrimSpace(told.Me); p.Me != "" {
		return p, nil
	}
	if len(told.Points) != 2 {
		return p, errors.New("want two points, or a name")
	}
	for i, to := range []*image.Point{&p.Mine, &p.Theirs} {
		*to = image.Pt(told.Points[i][0], told.Points[i][1])
		if !to.In(in) {
			return p, fmt.Errorf("want points inside of the picture, which has %d×%d pixels", in.Dx(), in.Dy())
		}
	}
	return p, nil
}

func (c *class) take(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last.Good || c.ended {
		http.Error(w, "There is nothing good to take.", http.StatusConflict)
		return
	}
	c.ended = true
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{}\n")
	close(c.taken)
}
