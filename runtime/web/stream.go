package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/control"
)

// Pace of a stream.
const (
	statusEvery = 2 * time.Second // mailbox depths change without an event
	// A ping shows each end that the other is alive, and finds messages whose event was
	// missed.
	pingEvery = 15 * time.Second
	roundGap  = 100 * time.Millisecond // between two rounds, so that a burst of events is one round
)

// stream remembers what one client was sent.
type stream struct {
	s        *Server
	w        http.ResponseWriter
	after    uint64   // Seq of the newest message sent
	forgets  uint64   // when the client's messages were sent
	fresh    bool     // the client holds no messages of this process yet
	sent     versions // that was sent
	last     []byte   // status as sent last
	lastDesk []byte
}

// events serves the Server-Sent Events until the client goes or the server
// stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	c := s.hub.join()
	if c == nil {
		http.Error(w, "Too many open pages: close some.", http.StatusServiceUnavailable)
		return
	}
	defer s.hub.leave(c)
	w.Header().Set("Content-Type", "text/event-stream")
	st := &stream{s: s, w: w, forgets: s.hub.forgotten()}
	st.after, st.fresh = s.parseID(r.Header.Get("Last-Event-ID"))
	if st.send("", "hello", s.hello()) != nil || st.catchUp(true) != nil {
		return
	}
	ping, tick := time.NewTicker(pingEvery), time.NewTicker(statusEvery)
	defer ping.Stop()
	defer tick.Stop()
	pause := time.NewTimer(roundGap)
	defer pause.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		case <-c.wake:
			if !s.stays(r) {
				return
			}
			err = st.catchUp(false)
		case <-tick.C:
			if err = st.sendStatus(); err == nil {
				err = st.sendAttention()
			}
		case <-ping.C:
			if !s.stays(r) {
				return
			}
			if err = st.sendMessages(); err == nil {
				err = st.sendRaw("", "ping", []byte("{}"))
			}
		}
		if err != nil {
			return
		}
		pause.Reset(roundGap)
		select {
		case <-pause.C:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}

// parseID reads an event id: the era and the place in the event log. A client that
// comes from another process starts fresh, because its place may be of another
// store.
func (s *Server) parseID(id string) (after uint64, fresh bool) {
	boot, seq, ok := strings.Cut(id, ".")
	n, err := strconv.ParseUint(seq, 10, 64)
	if !ok || err != nil || boot != s.era() {
		return 0, true
	}
	return n, false
}

// catchUp sends everything newer than what was sent. Messages come first, so that a frame
// never appears before messages delivered earlier. The status comes last and tells a new
// page that it has everything.
func (st *stream) catchUp(all bool) error {
	windows, now := st.s.hub.changed(st.sent.windows)
	was := st.sent
	st.sent = now
	if all || now.messages != was.messages {
		if err := st.sendMessages(); err != nil {
			return err
		}
	}
	for _, v := range windows {
		if err := st.send("", "window", v); err != nil {
			return err
		}
	}
	if all || now.desk != was.desk {
		if err := st.sendAttention(); err != nil {
			return err
		}
	}
	if all || now.status != was.status {
		return st.sendStatus()
	}
	return nil
}

// sendMessages sends the messages after the client's place, in order, each once. If
// there is more than a page of them, the newest page replaces the client's list.
func (st *stream) sendMessages() error {
	if n := st.s.hub.forgotten(); n != st.forgets {
		st.forgets, st.fresh = n, true
	}
	after := st.after
	if st.fresh {
		after = 0
	}
	list, err := st.s.opts.Timeline(after, pageMessages)
	if err != nil {
		st.s.opts.Log.Warn().Err(err).Msg("page_messages_failed")
		return nil // the next event or ping tries again
	}
	name := "messages"
	if st.fresh || len(list) >= pageMessages {
		name = "resync"
	} else if len(list) == 0 {
		return nil
	}
	if list == nil {
		list = []control.Entry{}
	}
	st.fresh = false
	if n := len(list); n > 0 {
		st.after = list[n-1].Seq
	}
	return st.send(st.s.eventID(st.after), name, list)
}

func (st *stream) sendStatus() error {
	data, err := json.Marshal(st.s.status())
	if err != nil || bytes.Equal(data, st.last) {
		return err
	}
	st.last = data
	return st.sendRaw("", "status", data)
}

// sendAttention sends the current state if it differs from the last one sent.
func (st *stream) sendAttention() error {
	v, err := st.s.attention()
	if err != nil {
		st.s.opts.Log.Warn().Err(err).Msg("page_attention_failed")
		return nil // the next tick tries again
	}
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil || bytes.Equal(data, st.lastDesk) {
		return err
	}
	st.lastDesk = data
	return st.sendRaw("", "attention", data)
}

func (st *stream) send(id, event string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return st.sendRaw(id, event, data)
}

func (st *stream) sendRaw(id, event string, data []byte) error {
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", event, data) // this JSON has no line breaks
	conn := http.NewResponseController(st.w)
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := st.w.Write(b.Bytes()); err != nil {
		return err
	}
	return conn.Flush()
}
