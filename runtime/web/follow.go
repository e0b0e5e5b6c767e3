package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// follow sends what happens in a conversation after a place in the event log, until the
// client leaves. If it follows one message, it ends once the outcome of that is known: at
// once if nobody answers, or reads it for now.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, c messages.ConversationID, after uint64,
	f following) {
	if s.talks.Add(1) > maxTalks {
		s.talks.Add(-1)
		s.respond(w, 0, nil, errStreams)
		return
	}
	defer s.talks.Add(-1)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	f.stream = stream{s: s, w: w}
	seen := &control.Token{}
	if f.begin(after) != nil {
		return
	}
	if f.waits != "" {
		_ = f.send("", control.NewsDone,
			control.TalkState{State: messages.ReplyNone, Why: f.waits, At: control.Stamp{Time: time.Now()}})
		return
	}
	for ctx.Err() == nil {
		news, err := s.opts.Talk.News(ctx, c, after, seen, pingEvery)
		if err != nil {
			_ = f.send("", "error", problem{"The conversation cannot be read.", "internal"})
			return
		}
		if !s.stays(r) || len(news.Events) > 0 && s.own(r, c) != nil {
			return
		}
		if f.tell(s.newsFor(visitorOf(r), news)) != nil || f.over {
			return
		}
		if after = news.Last; news.Token != nil {
			seen = news.Token
		}
	}
}

// following is one stream of a conversation.
type following struct {
	stream
	answering messages.MessageID // "" follows everything
	answered  bool               // somebody answers
	waits     string             // why nobody reads what is to be answered
	resumes   bool               // an earlier stream, which may have shown what is void by now
	anew      bool               // that stream told of what is not in the log
	state     *control.TalkState // of the reply to it
	announced bool               // the message itself was told
	over      bool
}

// begin sends what a stream begins with. A reply of which an earlier stream has shown something
// may have been given up since, so that it is void until more of it is told.
func (f *following) begin(after uint64) error {
	err := f.sendRaw("", "ping", []byte("{}"))
	if err == nil && f.anew {
		err = f.send(strconv.FormatUint(after, 10), "anew", struct{}{})
	}
	if err == nil && f.resumes {
		err = f.send("", "token", control.Token{Done: true})
	}
	return err
}

// tell sends news, first of all that what was shown of a reply is void. The ID of an event
// is a place in the event log. Only the last event of a place has it, so that a client
// resuming there misses nothing.
func (f *following) tell(n control.News) error {
	if t := n.Token; t != nil && t.Done && t.Content == "" {
		if err := f.send("", "token", t); err != nil {
			return err
		}
		n.Token = nil
	}
	for i, e := range n.Events {
		if e.State != nil && f.answering != "" && slices.Contains(e.State.Answers, f.answering) {
			f.state = e.State
		}
		f.announced = f.announced || e.Message != nil && e.Message.ID == string(f.answering)
		if e.Event == control.NewsDone && f.answering != "" && !slices.Contains(e.State.Answers, f.answering) {
			continue // of another message
		}
		id := ""
		if i+1 == len(n.Events) || n.Events[i+1].Seq != e.Seq {
			id = strconv.FormatUint(e.Seq, 10)
		}
		if err := f.send(id, e.Event, e.Body()); err != nil {
			return err
		}
		f.over = f.answering != "" && e.Event == control.NewsDone
	}
	switch {
	case f.over:
		return nil
	case f.answering != "" && f.state != nil && waits(*f.state):
		f.over = true
		done := *f.state
		done.Why = waiting[done.State]
		return f.send("", control.NewsDone, done)
	case f.answering != "" && f.announced && !f.answered:
		f.over = true
		return f.send("", control.NewsDone,
			control.TalkState{State: messages.ReplyNone, At: control.Stamp{Time: time.Now()}})
	case n.Token != nil:
		return f.send("", "token", n.Token)
	case len(n.Events) == 0:
		return f.sendRaw("", "ping", []byte("{}"))
	}
	return nil
}

// waiting says what a reply waits for.
var waiting = map[messages.ReplyState]string{
	messages.ReplyDrafted: "the reply waits as a draft: kehai drafts approve, the page or POST .../drafts sends it",
	messages.ReplyHeld:    "the reply is held by the rule that is named: kehai drafts shows it",
	messages.ReplyUnknown: "whether the reply was sent is not known: kehai drafts shows it",
}

// waits reports whether a reply waits for a person, or for a rule that holds it. A reply
// held without a rule waits only a moment, until it is known what the owner allows.
func waits(s control.TalkState) bool {
	return s.State == messages.ReplyDrafted || s.State == messages.ReplyUnknown ||
		s.State == messages.ReplyHeld && s.Rule != ""
}
