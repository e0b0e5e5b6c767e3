package web

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"sync"

	"github.com/kehai-run/kehai/messages"
)

// window is the newest of one watched window. The hub's lock guards it, except
// for the picture.
type window struct {
	id      messages.WindowID
	version uint64 // of anything here
	seen    uint64 // of the frame, 0 before the first
	frame   *messages.FrameSeen
	capture *messages.CaptureState // nil while captures work
	hidden  bool                   // it shows something that is not to be read

	picture picture
}

// picture is the PNG of a window's frame, made when somebody asks for it.
type picture struct {
	mu   sync.Mutex
	seen uint64
	png  []byte
}

var encoder = png.Encoder{CompressionLevel: png.BestSpeed}

// of returns the PNG of a frame and its version, encoding at most once for
// each version however many ask.
func (p *picture) of(frame *messages.FrameSeen, seen uint64) ([]byte, error) {
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

// frame serves the newest frame of ?window=ID.
func (s *Server) frame(w http.ResponseWriter, r *http.Request) {
	s.hub.mu.Lock()
	win := s.hub.windows[messages.WindowID(r.URL.Query().Get("window"))]
	var seen uint64
	var frame *messages.FrameSeen
	if win != nil {
		seen, frame = win.seen, win.frame
	}
	s.hub.mu.Unlock()
	if frame == nil {
		http.Error(w, "There is no frame of this window: none has been read yet, or it is not to be read.", http.StatusNotFound)
		return
	}
	tag := fmt.Sprintf(`"%s-%d"`, s.boot, seen)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := win.picture.of(frame, seen)
	if err != nil {
		s.opts.Log.Error().Err(err).Msg("page_frame_failed")
		http.Error(w, "The frame cannot be encoded.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.Write(data)
}
