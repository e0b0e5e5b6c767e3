package web

import (
	"sync"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// maxWindows bounds the frames kept in memory.
const maxWindows = 32

// hub knows what has changed and which streams to wake. Versions only rise, and
// only the newest state is kept.
type hub struct {
	mu       sync.Mutex
	version  uint64
	windows  map[messages.WindowID]*window
	status   uint64 // version of the last event that changes the status
	messages uint64 // version of the last delivered message
	forgets  uint64 // how often something was forgotten
	desk     desk
	clients  map[*client]bool
}

// client is one open stream.
type client struct {
	wake chan struct{}
}

func newHub() *hub {
	return &hub{windows: map[messages.WindowID]*window{}, clients: map[*client]bool{}}
}

// Listen takes what the engine publishes. It keeps the newest frame of each window,
// wakes the streams and never blocks. A frame without a picture is one that must not
// be shown.
func (s *Server) Listen(p engine.Published) {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	switch m := p.Message.(type) {
	case events.FrameSeen:
		if m.Frame.Image == nil { // its conversation must not be read
			if w := h.window(m.Read.Window); w == nil || w.hidden {
				return
			}
			h.blank(m.Read.Window, true)
			break
		}
		if w := h.window(m.Read.Window); w != nil {
			w.version, w.seen, w.frame, w.hidden = h.version, h.version, &m, false
		}
	case events.CaptureState:
		w := h.window(m.Window)
		if w == nil {
			return
		}
		w.version, w.capture = h.version, nil
		if m.Code != "" {
			w.capture = &m
		}
		h.status = h.version
	case messages.MessageDelivered, messages.MessageChanged, messages.TranscriptGap, messages.ReplyChanged,
		messages.SendDone:
		h.messages = h.version
	case messages.FocusJudged:
		h.desk.judge(m)
		h.desk.version = h.version
	case messages.FocusNotice:
		h.desk.notice, h.desk.version = &m, h.version
	case events.ActorStarted, events.ActorStopped, events.ActorRestarted, events.ActorUnhealthy,
		events.MessageQuarantined, events.StoreLow, events.StoreRecovered, events.CommitFailed,
		events.IdentityState, events.SidesState:
		h.status = h.version
	default:
		return
	}
	h.wake()
}

// touch makes every client compare the host's state with what it was sent.
func (h *hub) touch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	h.status, h.desk.version = h.version, h.version
	h.wake()
}

// wake makes the streams look for news. The caller holds the lock.
func (h *hub) wake() {
	for c := range h.clients {
		select {
		case c.wake <- struct{}{}:
		default: // it is awake already
		}
	}
}

// window returns the entry of a window, making one while there is room. The
// caller holds the lock.
func (h *hub) window(id messages.WindowID) *window {
	w := h.windows[id]
	if w == nil && len(h.windows) < maxWindows {
		w = &window{id: id}
		h.windows[id] = w
	}
	return w
}

// maxClients bounds the open streams; each tab has one.
const maxClients = 32

// join registers a stream, nil if there are too many.
func (h *hub) join() *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= maxClients {
		return nil
	}
	c := &client{wake: make(chan struct{}, 1)}
	h.clients[c] = true
	return c
}

func (h *hub) leave(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, c)
}
