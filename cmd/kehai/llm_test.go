package main

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kehai-run/kehai/testkit"
)

// llmServer starts a language model for the rest of a script and puts its
// address into LLM_URL. Each argument is one reply: a status of HTTP, the name
// of a file with the answer, or hold: no answer that is streamed ever comes.
//
//	llmserver drifting.txt 500
func llmServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: llmserver FILE|STATUS|hold…")
	}
	s, err := testkit.NewLLMServer()
	ts.Check(err)
	ts.Defer(func() { s.Close() })
	ts.Setenv("LLM_URL", s.URL())
	for _, arg := range args {
		if arg == "hold" {
			s.When(func(r testkit.LLMRequest) bool { return r.Stream }, testkit.LLMReply{Hold: true})
			continue
		}
		if status, err := strconv.Atoi(arg); err == nil {
			s.Reply(testkit.LLMReply{Status: status, Text: "the server's own words"})
			continue
		}
		s.Reply(testkit.LLMReply{Text: strings.TrimSpace(ts.ReadFile(arg))})
	}
}
