package web

import (
	"fmt"
	"strconv"

	"github.com/kehai-run/kehai/messages"
)

// Forget drops every frame, since each may show what was forgotten, and makes open pages
// replace their messages with those still stored. Call it after the messages are deleted.
// Frames come back when they are read again.
func (s *Server) Forget() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	h.forgets++
	for id, w := range h.windows {
		if w.frame != nil {
			h.blank(id, false)
		}
	}
	h.messages = h.version
	h.wake()
}

// blank removes the picture of a window. hidden says that the window shows something
// that must not be read. The caller holds the lock and wakes the clients.
func (h *hub) blank(id messages.WindowID, hidden bool) {
	w := h.window(id)
	if w == nil {
		return
	}
	// A new entry: a request in progress may still encode the old picture.
	h.windows[id] = &window{id: id, version: h.version, capture: w.capture, hidden: hidden}
}

// forgotten counts the calls of Forget.
func (h *hub) forgotten() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.forgets
}

// era returns the first part of event IDs. It names the process, and changes when
// something is forgotten: a client of an older era may hold what was deleted.
func (s *Server) era() string {
	if n := s.hub.forgotten(); n > 0 {
		return fmt.Sprintf("%s-%d", s.boot, n)
	}
	return s.boot
}

func (s *Server) eventID(seq uint64) string { return s.era() + "." + strconv.FormatUint(seq, 10) }
