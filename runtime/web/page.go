package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
)

//go:embed page
var files embed.FS

// mustRead reads an embedded file; it is there, or the build was wrong.
func mustRead(name string) []byte {
	data, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return data
}

// build names the assets, so that an open page notices that they have changed.
var build = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range []string{"index.html", "page.css", "attention.js", "timeline.js", "pipeline.js", "page.js"} {
		h.Write(mustRead(name))
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
})

func asset(name, mime string) http.HandlerFunc {
	data := mustRead(name)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mime)
		w.Write(data)
	}
}

func (s *Server) hello() helloView {
	return helloView{Boot: s.boot, Build: build(), Keep: pageMessages, Now: s.opts.Now().UnixMilli(), Key: s.pageKey, Acts: s.opts.Act != nil, Tells: s.opts.Pipeline != nil}
}

// stateMark is where the page's first state goes. JSON escapes <, > and &, so
// that no text can end the element.
const stateMark = "{{state}}"

// page serves the page with all that it shows at first, so that it is complete
// when it is loaded.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	windows, _ := s.hub.changed(0)
	view := pageView{Hello: s.hello(), Windows: windows, Cursor: s.eventID(0), Messages: []Message{}}
	list, err := s.opts.Messages(0, pageMessages)
	if err != nil {
		s.opts.Log.Warn().Err(err).Msg("page_messages_failed")
		view.Cursor = "" // the stream begins with a resync
	} else if n := len(list); n > 0 {
		view.Messages, view.Cursor = list, s.eventID(list[n-1].Seq)
	}
	view.Status = s.status()
	if view.Attention, err = s.attention(); err == nil && view.Attention != nil {
		view.History, err = s.changes()
	}
	if err != nil {
		s.opts.Log.Warn().Err(err).Msg("page_attention_failed") // the page asks again
	}
	state, err := json.Marshal(view)
	if err != nil {
		s.opts.Log.Error().Err(err).Msg("page_failed")
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(bytes.Replace(mustRead("index.html"), []byte(stateMark), state, 1))
}
