package web

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// A guest sees one conversation, and that masked: nothing that is not said, and nothing of
// how it came about.

// guests are the operations that a guest may use.
func (s *Server) guests() http.Handler {
	mux := http.NewServeMux()
	if s.opts.Talk != nil && s.opts.Mask != nil {
		for _, a := range api {
			if a.guests {
				mux.HandleFunc(a.method+" "+a.path, func(w http.ResponseWriter, r *http.Request) { a.serve(s, w, r) })
			}
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.respond(w, 0, nil, errGuest) })
	return mux
}

// own checks that a conversation is the guest's; an owner has all. One that was merged into
// another is a guest's no longer.
func (s *Server) own(r *http.Request, c messages.ConversationID) error {
	v := visitorOf(r)
	if v.Role != control.RoleGuest {
		return nil
	}
	if c == v.Conversation {
		t, err := s.opts.Talk.Talk(r.Context(), c, control.TalkQuery{Limit: 1})
		if err != nil || t.Conversation == c {
			return err
		}
	}
	return control.ErrNoConversation
}

// listed are the conversations that may be seen.
func listed(v visitor, list []control.Conversation) []control.Conversation {
	if v.Role != control.RoleGuest {
		return list
	}
	out := []control.Conversation{}
	for _, c := range list {
		if c.ID == v.Conversation {
			out = append(out, control.Conversation{ID: c.ID, App: c.App, Name: c.Name})
		}
	}
	return out
}

// talkFor is a conversation as a visitor sees it.
func (s *Server) talkFor(v visitor, t control.Talk) control.Talk {
	if v.Role != control.RoleGuest {
		return t
	}
	t.Drafts, t.Messages = []control.Draft{}, slices.Clone(t.Messages)
	for i, m := range t.Messages {
		t.Messages[i] = s.saidFor(m)
	}
	return t
}

func (s *Server) saidFor(m control.Said) control.Said {
	masked := s.opts.Mask(m.Content)
	m.Meta.PIIDetected = m.Meta.PIIDetected || masked != m.Content
	m.Content, m.Meta.ContentHash = masked, ""
	return m
}

// newsFor is what happened as a visitor sees it.
func (s *Server) newsFor(v visitor, n control.News) control.News {
	if v.Role != control.RoleGuest {
		return n
	}
	n.Events = slices.Clone(n.Events)
	for i, e := range n.Events {
		if e.Message != nil {
			m := s.saidFor(*e.Message)
			n.Events[i].Message = &m
		}
	}
	if n.Token != nil {
		t := *n.Token
		if !t.Done {
			t.Content = whole(t.Content)
		}
		t.Content = s.opts.Mask(t.Content)
		n.Token = &t
	}
	return n
}

// whole returns the sentences of a text that are complete: half a number is not masked.
func whole(s string) string {
	i := strings.LastIndexAny(s, "。！？!?\n")
	if j := strings.LastIndex(s, ". "); j > i {
		i = j
	}
	if i < 0 {
		return ""
	}
	_, sign := utf8.DecodeRuneInString(s[i:]) // it belongs to its sentence
	return s[:i+sign]
}
