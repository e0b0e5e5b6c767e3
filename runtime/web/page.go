package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

//go:embed page
var files embed.FS

// asset is a file of the page. It holds no private data.
type asset struct{ path, name, mime string }

const (
	javascript = "text/javascript; charset=utf-8"
	html       = "text/html; charset=utf-8"
)

// heads fills head.html, with which the pages beside the first one begin.
var heads = map[string]*strings.Replacer{
	"chat.html":     head("Conversations", "chat", "chat.js"),
	"camera.html":   head("Camera", "chat camera", "camera.js"),
	"insights.html": head("Insights", "chat insights", "insights.js"),
	"memory.html":   head("Memory", "chat insights memory", "memory.js"),
}

func head(title, class, script string) *strings.Replacer {
	return strings.NewReplacer("{{title}}", title, "{{class}}", class, "{{script}}", script,
		"{{places}}", places(title))
}

// places links all pages but the one of that title, which it marks.
func places(title string) string {
	var b strings.Builder
	b.WriteString(`<nav class="places" aria-label="Pages">`)
	for _, p := range [][2]string{
		{"/", "Live"}, {"/chat", "Conversations"}, {"/insights", "Insights"}, {"/memory", "Memory"},
	} {
		current := ""
		if p[1] == title {
			current = ` aria-current="page"`
		}
		fmt.Fprintf(&b, `<a href="%s"%s>%s</a>`, p[0], current, p[1])
	}
	return b.String() + `</nav>`
}

var assets = []asset{
	{"/{$}", "index.html", html},
	{"/chat", "chat.html", html},
	{"/chat.css", "chat.css", "text/css; charset=utf-8"},
	{"/chat.js", "chat.js", javascript},
	{"/camera", "camera.html", html},
	{"/camera.js", "camera.js", javascript},
	{"/insights", "insights.html", html},
	{"/insights.js", "insights.js", javascript},
	{"/memory", "memory.html", html},
	{"/memory.js", "memory.js", javascript},
	{"/parts.js", "parts.js", javascript},
	{"/page.css", "page.css", "text/css; charset=utf-8"},
	{"/shown.js", "shown.js", javascript},
	{"/connection.js", "connection.js", javascript},
	{"/attention.js", "attention.js", javascript},
	{"/timeline.js", "timeline.js", javascript},
	{"/pipeline.js", "pipeline.js", javascript},
	{"/cluster.js", "cluster.js", javascript},
	{"/page.js", "page.js", javascript},
	{"/openapi.json", "openapi.json", "application/json"},
	{"/icon.svg", "icon.svg", "image/svg+xml"},
}

// read returns the file, with its head if it has one.
func (a asset) read() []byte {
	if a.name == "index.html" {
		return bytes.Replace(embedded(a.name), []byte("{{places}}"), []byte(places("Live")), 1)
	}
	if h := heads[a.name]; h != nil {
		return append([]byte(h.Replace(string(embedded("head.html")))), embedded(a.name)...)
	}
	return embedded(a.name)
}

// embedded is a file; if it is not there, the build was wrong.
func embedded(name string) []byte {
	data, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return data
}

func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.mime)
	if a.name == "camera.html" {
		w.Header().Set("Content-Security-Policy", strings.Replace(w.Header().Get("Content-Security-Policy"),
			"script-src 'self'", trackerScripts, 1))
	}
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
