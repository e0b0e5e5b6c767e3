package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"sync"
)

//go:embed page
var files embed.FS

// asset is a file of the page. It holds no private data.
type asset struct{ path, name, mime string }

const javascript = "text/javascript; charset=utf-8"

var assets = []asset{
	{"/{$}", "index.html", "text/html; charset=utf-8"},
	{"/chat", "chat.html", "text/html; charset=utf-8"},
	{"/chat.css", "chat.css", "text/css; charset=utf-8"},
	{"/chat.js", "chat.js", javascript},
	{"/insights", "insights.html", "text/html; charset=utf-8"},
	{"/insights.js", "insights.js", javascript},
	{"/memory", "memory.html", "text/html; charset=utf-8"},
	{"/memory.js", "memory.js", javascript},
	{"/parts.js", "parts.js", javascript},
	{"/page.css", "page.css", "text/css; charset=utf-8"},
	{"/connection.js", "connection.js", javascript},
	{"/attention.js", "attention.js", javascript},
	{"/timeline.js", "timeline.js", javascript},
	{"/pipeline.js", "pipeline.js", javascript},
	{"/page.js", "page.js", javascript},
	{"/openapi.json", "openapi.json", "application/json"},
	{"/icon.svg", "icon.svg", "image/svg+xml"},
}

// read returns the file; if it is not embedded, the build was wrong.
func (a asset) read() []byte {
	data, err := files.ReadFile("page/" + a.name)
	if err != nil {
		panic(err)
	}
	return data
}

func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.mime)
	w.Write(a.read())
}

// build identifies the assets, so that an open page notices when they change.
var build = sync.OnceValue(func() string {
	h := sha256.New()
	for _, a := range assets {
		h.Write(a.read())
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
})

func (s *Server) hello() helloView {
	return helloView{
		Boot: s.boot, Build: build(), Keep: pageMessages, Now: s.opts.Now().UnixMilli(),
		Acts: s.opts.Act != nil, Tells: s.opts.Pipeline != nil,
	}
}
