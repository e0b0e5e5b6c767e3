package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Attention is what is stored of the person at the desk at one moment.
type Attention struct {
	Desk       messages.DeskID      `json:"desk"`
	State      messages.Attention   `json:"state"` // reported; "" before the first judgement
	Since      time.Time            `json:"since"`
	Confidence float64              `json:"confidence"`
	Source     messages.FocusSource `json:"source"`
	Reasoning  messages.Text        `json:"reasoning"`
	SeenAt     time.Time            `json:"seen_at"`
	Paused     *time.Time           `json:"paused,omitempty"` // since when nothing is collected or judged
	Muted      bool                 `json:"muted"`            // no notices
	MutedUntil *time.Time           `json:"muted_until,omitempty"`
}

// AttentionChange is a change of the reported state.
type AttentionChange struct {
	At         time.Time
	State      messages.Attention
	Confidence float64
	Source     messages.FocusSource
	Paused     bool // unknown because a person has paused the judging
}

// attentionView is the current state as the page shows it.
type attentionView struct {
	Attention
	Raw     *judgementView        `json:"raw,omitempty"`    // newest judgement of this process
	Notice  *messages.FocusNotice `json:"notice,omitempty"` // newest one of this process
	Changes uint64                `json:"changes"`          // rises with each change that this process saw
}

type judgementView struct {
	State      messages.Attention   `json:"state"`
	Confidence float64              `json:"confidence"`
	Source     messages.FocusSource `json:"source"`
	Reasoning  messages.Text        `json:"reasoning"`
	At         time.Time            `json:"at"`
}

// desk is what the hub keeps of attention.
type desk struct {
	version uint64 // of anything here
	judged  *messages.FocusJudged
	notice  *messages.FocusNotice
	changes uint64
}

// judge takes a judgement. The caller holds the hub's lock.
func (d *desk) judge(m messages.FocusJudged) {
	if d.judged == nil || d.judged.Steady.State != m.Steady.State || d.judged.Steady.Reasoning != m.Steady.Reasoning &&
		m.Steady.State == messages.Unknown {
		d.changes++
	}
	d.judged = &m
}

// attention returns the current state, nil while attention is not judged. It calls the
// host first and then takes the hub's lock.
func (s *Server) attention() (*attentionView, error) {
	if s.opts.Attention == nil {
		return nil, nil
	}
	a, err := s.opts.Attention()
	if err != nil {
		return nil, err
	}
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	v := &attentionView{Attention: a, Notice: h.desk.notice, Changes: h.desk.changes}
	if j := h.desk.judged; j != nil {
		v.Raw = &judgementView{State: j.Raw.State, Confidence: j.Raw.Confidence, Source: j.Raw.Source,
			Reasoning: j.Raw.Reasoning, At: j.Raw.At}
	}
	return v, nil
}

// historyFor is how far back the page shows changes: today and the seven days before, in
// any time zone.
const historyFor = 9 * 24 * time.Hour

// Names in the order of their numbers in a history.
var (
	stateNames = []messages.Attention{messages.Focused, messages.Distracted, messages.Drowsy, messages.Idle,
		messages.Away, messages.Unknown, "paused"}
	sourceNames = []messages.FocusSource{messages.FromRule, messages.FromLLM, messages.FromFallback}
)

// historyView is a compact history, because there may be thousands of changes.
type historyView struct {
	States  []messages.Attention   `json:"states"`
	Sources []messages.FocusSource `json:"sources"`
	// Changes, oldest first: milliseconds since 1970, state, confidence in
	// hundredths, source.
	Changes [][4]int64 `json:"changes"`
}

func historyOf(list []AttentionChange) *historyView {
	v := &historyView{States: stateNames, Sources: sourceNames, Changes: make([][4]int64, 0, len(list))}
	for _, c := range list {
		state := c.State
		if c.Paused {
			state = "paused"
		}
		n := slices.Index(stateNames, state)
		if n < 0 {
			n = slices.Index(stateNames, messages.Unknown)
		}
		v.Changes = append(v.Changes, [4]int64{c.At.UnixMilli(), int64(n), int64(c.Confidence*100 + 0.5),
			int64(slices.Index(sourceNames, c.Source))})
	}
	return v
}

// history serves the changes that the page shows.
func (s *Server) history(w http.ResponseWriter, _ *http.Request) {
	if s.opts.Changes == nil {
		http.Error(w, "Attention is not judged: set focus.enabled to true.", http.StatusNotFound)
		return
	}
	list, err := s.opts.Changes(s.opts.Now().Add(-historyFor))
	if err != nil {
		s.opts.Log.Warn().Err(err).Msg("page_history_failed")
		http.Error(w, "The history cannot be read.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(historyOf(list))
}
