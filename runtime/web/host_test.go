package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

var t0 = time.Date(2026, 10, 2, 5, 3, 0, 0, time.UTC)

// host is a runtime as the page sees it.
type host struct {
	mu       sync.Mutex
	status   Status
	health   error
	broken   error // what Timeline returns
	timeline []control.Entry

	now       time.Time // the zero value is the present
	attention *Attention
	changes   []AttentionChange
	acts      []Act
	act       func(context.Context, Act) error
}

func (h *host) set(change func(*host)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(h)
}

func (h *host) options() Options {
	o := Options{
		Addr: "127.0.0.1:0",
		Status: func() Status {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.status
		},
		Timeline: func(after uint64, n int) ([]control.Entry, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			i, _ := slices.BinarySearchFunc(h.timeline, after+1,
				func(e control.Entry, seq uint64) int { return int(e.Seq) - int(seq) })
			list := h.timeline[i:]
			return slices.Clone(list[max(0, len(list)-n):]), h.broken
		},
		Health: func() error {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.health
		},
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.now.IsZero() {
		began := time.Now()
		o.Now = func() time.Time { return h.now.Add(time.Since(began)) }
	}
	if h.attention != nil {
		o.Attention = func() (Attention, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return *h.attention, h.broken
		}
		o.Changes = func(since time.Time) ([]AttentionChange, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return slices.Clone(h.changes), h.broken
		}
	}
	if h.act != nil {
		o.Act = func(ctx context.Context, a Act) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.acts = append(h.acts, a)
			return h.act(ctx, a)
		}
	}
	return o
}

// deliver stores a message and publishes it, in this order, as the engine does.
func (h *host) deliver(s *Server, seq uint64, text string) {
	ev := engine.Published{Seq: seq, Message: messages.MessageDelivered{
		InboundMessage: messages.InboundMessage{
			ID: messages.MessageID("m" + text), Conversation: "line:花子", Kind: messages.KindText,
			Text:   messages.Text(text),
			SeenAt: t0,
		},
		DeliveredAt: t0,
	}}
	e, _ := control.EntryOf(ev)
	h.set(func(h *host) { h.timeline = append(h.timeline, e) })
	if s != nil {
		s.Listen(ev)
	}
}

// frameOf makes the event of a frame of one colour with one bubble.
func frameOf(id messages.WindowID, grey uint8, text string) engine.Published {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = grey
	}
	return engine.Published{Message: events.FrameSeen{
		Frame: messages.Frame{Window: id, Image: img, Scale: 1, At: t0},
		Read: messages.FrameRead{
			Window: id, Title: messages.Line{Text: "花子"}, At: t0, Scale: 1, Read: 1, Took: 12 * time.Millisecond,
			Bubbles: []messages.Bubble{{
				Side: messages.SideIncoming, Kind: messages.KindText, Box: messages.Rect{X: 4, Y: 5, W: 20, H: 10},
				Text:  messages.Text(text),
				Lines: []messages.Line{{Confidence: .9}, {Confidence: .5}},
			}},
		},
	}}
}

// serve starts a page and stops it at the end of the test.
func serve(t *testing.T, h *host, change ...func(*Server)) *Server {
	t.Helper()
	s, err := New(h.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v, want nil", err)
		}
	})
	return s
}

// httpClient keeps no connections.
var (
	transport  = &http.Transport{DisableKeepAlives: true}
	httpClient = &http.Client{Transport: transport}
)

// keyOf is a key of a server for its owner.
func keyOf(t *testing.T, s *Server) string {
	t.Helper()
	if s.token == "" { // with sessions nothing else uses that field
		k, err := s.sessions.Make(control.RoleOwner)
		if err != nil {
			t.Fatal(err)
		}
		s.token = k.Key
	}
	return s.token
}

// request makes a request with the token.
func request(t *testing.T, s *Server, path string) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+keyOf(t, s))
	return r
}

// noCookies holds of every answer: browsers send cookies to every port of a host.
func noCookies(t *testing.T, resp *http.Response) {
	t.Helper()
	if set := resp.Cookies(); len(set) > 0 {
		t.Errorf("%s %s sets the cookies %v, want none", resp.Request.Method, resp.Request.URL.Path, set)
	}
}

func do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	noCookies(t, resp)
	return resp, string(body)
}

// event is one Server-Sent Event.
type event struct{ id, name, data string }

// follower reads a stream.
type follower struct {
	t    *testing.T
	body *bufio.Reader
	stop func()
}

func follow(t *testing.T, s *Server, lastEventID string) *follower {
	t.Helper()
	r := request(t, s, "/events")
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	noCookies(t, resp)
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("GET /events = %d %s, want 200 text/event-stream", resp.StatusCode, got)
	}
	f := &follower{t: t, body: bufio.NewReader(resp.Body), stop: func() { resp.Body.Close() }}
	t.Cleanup(f.stop)
	return f
}

func (f *follower) next() event {
	f.t.Helper()
	var ev event
	for {
		line, err := f.body.ReadString('\n')
		if err != nil {
			f.t.Fatalf("stream ended: %v", err)
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "id":
			ev.id = value
		case "event":
			ev.name = value
		case "data":
			ev.data = value
		case "":
			return ev
		}
	}
}

// until skips to the next event of a name.
func (f *follower) until(names ...string) event {
	f.t.Helper()
	for {
		if ev := f.next(); slices.Contains(names, ev.name) {
			return ev
		}
	}
}

func decode[T any](t *testing.T, data string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return v
}

func texts(list []control.Entry) string {
	var s []string
	for _, e := range list {
		s = append(s, e.Message.Text)
	}
	return strings.Join(s, " ")
}

var errBroken = errors.New("store is closed")
