package web

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"sync"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// window is the newest state of one watched window. The hub's lock guards all but
// the picture.
type window struct {
	id      messages.WindowID
	version uint64 // of anything here
	seen    uint64 // of the frame, 0 before the first
	frame   *events.FrameSeen
	capture *events.CaptureState // nil while captures work
	hidden  bool                 // it shows something that must not be read

	picture picture
}

// picture is the PNG of a window's frame, made when somebody asks for it.
type picture struct {
	mu   sync.Mutex
	seen uint64
	png  []byte
}

var encoder = png.Encoder{CompressionLevel: png.BestSpeed}

// of returns the PNG of a frame. Each version is encoded only once, however many clients
// ask.
func (p *picture) of(frame *events.FrameSeen, seen uint64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.png != nil && p.seen == seen {
		return p.png, nil
	}
	var buf bytes.Buffer
	if err := encoder.Encode(&buf, frame.Frame.Image); err != nil {
		return nil, fmt.Errorf("web: encode frame of %s: %w", frame.Read.Window, err)
	}
	p.seen, p.png = seen, buf.Bytes()
	return p.png, nil
}

// noFrame is the answer where there is no picture.
const noFrame = "There is no frame of this window: none has been read yet, or it must not be read."

// newest returns the newest frame of a window, its version, and where its PNG is
// kept; nil if there is none.
func (h *hub) newest(id messages.WindowID) (*events.FrameSeen, uint64, *picture) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.windows[id]
	if w == nil || w.frame == nil {
		return nil, 0, nil
	}
	return w.frame, w.seen, &w.picture
}

// frame serves the newest frame of ?window=ID.
func (s *Server) frame(w http.ResponseWriter, r *http.Request) {
	frame, seen, picture := s.hub.newest(messages.WindowID(r.URL.Query().Get("window")))
	if frame == nil {
		http.Error(w, noFrame, http.StatusNotFound)
		return
	}
	tag := fmt.Sprintf(`"%s-%d"`, s.boot, seen)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := picture.of(frame, seen)
	if err != nil {
		s.opts.Log.Error().Err(err).Msg("page_frame_failed")
		http.Error(w, "The frame cannot be encoded.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.Write(data)
}
