package web

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"net/http"

	"github.com/kehai-run/kehai/messages"
)

// pipeline serves what the stages made of the newest frame of ?window=ID, or null.
func (s *Server) pipeline(w http.ResponseWriter, r *http.Request) {
	var rec any
	if s.opts.Pipeline != nil {
		rec = s.opts.Pipeline(messages.WindowID(r.URL.Query().Get("window")))
	}
	data, err := json.Marshal(rec)
	if err != nil {
		s.opts.Log.Error().Err(err).Msg("page_pipeline_failed")
		http.Error(w, "The details cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(data)
}

// masked serves the newest frame of ?window=ID with everything but incoming bubbles
// painted over. Requests are rare, so it is painted for each one.
func (s *Server) masked(w http.ResponseWriter, r *http.Request) {
	frame, _, _ := s.hub.newest(messages.WindowID(r.URL.Query().Get("window")))
	if frame == nil {
		http.Error(w, noFrame, http.StatusNotFound)
		return
	}
	var buf bytes.Buffer
	if err := encoder.Encode(&buf, Masked(frame.Frame.Image, frame.Read.Bubbles)); err != nil {
		s.opts.Log.Error().Err(err).Msg("page_frame_failed")
		http.Error(w, "The frame cannot be encoded.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Write(buf.Bytes())
}

// Masked returns a copy in which everything but the incoming bubbles is white.
func Masked(img *image.RGBA, bubbles []messages.Bubble) *image.RGBA {
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for _, b := range bubbles {
		if b.Side == messages.SideIncoming {
			box := image.Rect(b.Box.X, b.Box.Y, b.Box.X+b.Box.W, b.Box.Y+b.Box.H).Add(img.Rect.Min)
			draw.Draw(out, box, img, box.Min, draw.Src)
		}
	}
	return out
}
