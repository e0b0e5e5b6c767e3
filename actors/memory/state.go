package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Kind is what a topic is about.
type Kind string

// Kinds of topics.
const (
	Fact       Kind = "fact"       // where somebody lives, works; what something is called
	Relation   Kind = "relation"   // who somebody is to somebody
	Task       Kind = "task"       // what somebody will do or has to do
	Preference Kind = "preference" // what somebody likes or does not
	Summary    Kind = "summary"    // of a stretch of talk
)

// Topic is one thing about somebody that can change in time, such as where Hana lives.
// States follows from Claims.
type Topic struct {
	Kind    Kind          `json:"kind"`
	Subject messages.Text `json:"subject,omitempty"` // "" for our own side
	Name    messages.Text `json:"name"`              // such as home, work, a pet's name, what is liked
	Claims  []Claim       `json:"claims,omitempty"`
	States  []State       `json:"states,omitempty"` // in the order of time
}

// Key names a topic within its conversation. Whoever knows it can guess the words: it stands
// inside of sealed rows alone, and [RowOf] makes the key of the topic's row.
func (t Topic) Key() string {
	return Key(messages.MessageID(string(t.Kind) + "\x00" + text.Compact(string(t.Subject)) + "\x00" +
		text.Compact(string(t.Name))))
}

// Op is what a claim says.
type Op string

// Ops. Likes and Dislikes are for preferences.
const (
	Holds    Op = "holds"
	Ends     Op = "ends" // it does not hold any more, or is cancelled
	Done     Op = "done"
	Likes    Op = "likes"
	Dislikes Op = "dislikes"
	// Repeats says that another topic says the same, since the claim's event. It is what
	// tidying up found.
	Repeats Op = "repeats"
)

// Claim is what one event says about a topic.
type Claim struct {
	Event messages.MessageID `json:"event"`
	At    time.Time          `json:"at"` // of the event
	Op    Op                 `json:"op"`
	Body  messages.Text      `json:"body,omitempty"`
	Quote messages.Text      `json:"quote,omitempty"` // the event's own words
	Sure  bool               `json:"sure,omitempty"`  // the words correct something, or are emphatic
	Model bool               `json:"model,omitempty"` // a model has read it, not the rules
}

// State is what is known of a topic from one moment to another.
type State struct {
	Body      messages.Text        `json:"body"`
	From      time.Time            `json:"from"`
	Until     time.Time            `json:"until,omitzero"` // zero while it holds
	End       End                  `json:"end,omitempty"`
	Confirmed time.Time            `json:"confirmed"` // when it was said last
	Like      bool                 `json:"like,omitempty"`
	Status    Status               `json:"status,omitempty"` // of a preference
	Evidence  []messages.MessageID `json:"evidence"`
}

// End is why a state is outdated.
type End string

// Ends of states.
const (
	Superseded End = "superseded" // by the next one
	Ended      End = "ended"      // or cancelled
	Finished   End = "done"
	Revoked    End = "revoked" // a preference that was contradicted
	Duplicate  End = "duplicate"
)

// Status is how sure a preference is.
type Status string

// Statuses of a preference. One that was revoked has an [End].
const (
	Tentative Status = "candidate"
	Confirmed Status = "confirmed"
)

// Holds reports whether a state holds at a time.
func (s State) Holds(at time.Time) bool {
	return !at.Before(s.From) && (s.Until.IsZero() || at.Before(s.Until))
}

// Same reports whether two states say the same, for as long and on as much evidence.
func (s State) Same(o State) bool {
	return s.Body == o.Body && s.From.Equal(o.From) && s.Until.Equal(o.Until) && s.End == o.End && s.Like == o.Like &&
		s.Confirmed.Equal(o.Confirmed) && s.Status == o.Status && slices.Equal(s.Evidence, o.Evidence)
}

// Now is the newest state if it still holds.
func (t Topic) Now() (State, bool) {
	if n := len(t.States); n > 0 && t.States[n-1].Until.IsZero() {
		return t.States[n-1], true
	}
	return State{}, false
}

// maxClaims is how many claims of a topic are kept. Claims that only repeat another are dropped first.
const maxClaims = 64

// With returns a topic with further claims, and the states that follow from all of them.
func (t Topic) With(claims ...Claim) Topic {
	t.Claims = append(slices.Clone(t.Claims), claims...)
	if t.Kind == Summary {
		slices.SortStableFunc(t.Claims, telling)
		written, own := t.worded()
		t.Claims = append(written[:min(len(written), mostWorded)], own[:min(len(own), mostTelling)]...)
	}
	slices.SortStableFunc(t.Claims, inTime)
	for len(t.Claims) > maxClaims {
		at := 0
		for i := 1; i < len(t.Claims) && at == 0; i++ {
			if was, c := t.Claims[i-1], t.Claims[i]; was.Op == c.Op && was.Body == c.Body {
				at = i
			}
		}
		t.Claims = slices.Delete(t.Claims, at, at+1)
	}
	return t.fold()
}

// Without returns a topic without the claims for which drop is true.
func (t Topic) Without(drop func(Claim) bool) Topic {
	t.Claims = slices.DeleteFunc(slices.Clone(t.Claims), drop)
	return t.fold()
}

func (t Topic) fold() Topic {
	t.States = nil
	if t.Kind == Summary {
		t.sum()
		return t
	}
	for _, c := range t.Claims {
		if t.Kind == Preference {
			t.prefer(c)
		} else {
			t.state(c)
		}
	}
	return t
}

// How many claims of a stretch of talk are kept, and how many of them make its summary.
// Claims in its own words and a model's claims count apart; the most telling ones are kept.
// When a message is taken back, the next claim takes its place.
const (
	mostTelling = 12
	mostWorded  = 6
	summed      = 3
)

// worded returns the claims of a summary that a model has worded, and those of its own words.
func (t Topic) worded() (written, own []Claim) {
	for _, c := range t.Claims {
		if c.Model {
			written = append(written, c)
		} else {
			own = append(own, c)
		}
	}
	return written, own
}

func inTime(a, b Claim) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Event, b.Event)) }

// telling puts the claim first that tells more: one from which something was learned, and a
// longer one.
func telling(a, b Claim) int {
	sure := map[bool]int{true: 1}
	return cmp.Or(sure[b.Sure]-sure[a.Sure], cmp.Compare(len(b.Body), len(a.Body)), inTime(a, b))
}

// sum makes the summary of a stretch of talk: what tells most of it, as a model words it if one
// has, in the order of time.
func (t *Topic) sum() {
	best, own := t.worded()
	if len(best) == 0 {
		best = own
	}
	slices.SortStableFunc(best, telling)
	best = best[:min(len(best), summed)]
	slices.SortStableFunc(best, inTime)
	var s State
	for i, c := range best {
		if s.Confirmed, s.Evidence = c.At, append(s.Evidence, c.Event); i == 0 {
			s.Body, s.From = c.Body, c.At
			continue
		}
		s.Body += " / " + c.Body
	}
	if len(best) > 0 {
		t.States = []State{s}
	}
}

// last is the state that holds, nil if there is none.
func (t *Topic) last() *State {
	if n := len(t.States); n > 0 && t.States[n-1].Until.IsZero() {
		return &t.States[n-1]
	}
	return nil
}

func (s *State) confirm(c Claim) {
	s.Confirmed = c.At
	if !slices.Contains(s.Evidence, c.Event) {
		s.Evidence = append(s.Evidence, c.Event)
	}
}

func (s *State) end(c Claim, why End) {
	s.Until, s.End = c.At, why
	if !slices.Contains(s.Evidence, c.Event) {
		s.Evidence = append(s.Evidence, c.Event)
	}
}

// state supersedes in time: what was said before stays true until it was corrected.
func (t *Topic) state(c Claim) {
	now := t.last()
	switch {
	case c.Op == Holds && now != nil && text.Compact(string(now.Body)) == text.Compact(string(c.Body)):
		now.confirm(c)
		return
	case c.Op == Holds:
		if now != nil {
			now.Until, now.End = c.At, Superseded
		}
		t.States = append(t.States, State{Body: c.Body, From: c.At, Confirmed: c.At,
			Evidence: []messages.MessageID{c.Event}})
	case now == nil:
	case c.Op == Ends && (c.Body == "" || text.Compact(string(now.Body)) == text.Compact(string(c.Body))):
		now.end(c, Ended)
	case c.Op == Done:
		now.end(c, Finished)
	case c.Op == Repeats:
		now.Until, now.End = c.At, Duplicate
	}
}

// prefer makes a preference a candidate, confirms it when it is said again or firmly, and
// revokes it when the opposite is confirmed. Until then both stand side by side.
func (t *Topic) prefer(c Claim) {
	same, other := -1, -1
	for i, s := range t.States {
		switch {
		case !s.Until.IsZero():
		case s.Like == (c.Op == Likes):
			same = i
		default:
			other = i
		}
	}
	if c.Op == Ends {
		for i := range t.States {
			if t.States[i].Until.IsZero() {
				t.States[i].end(c, Revoked)
			}
		}
		return
	}
	if same < 0 {
		t.States = append(t.States, State{Body: c.Body, From: c.At, Confirmed: c.At, Like: c.Op == Likes,
			Status: Tentative, Evidence: []messages.MessageID{c.Event}})
		same = len(t.States) - 1
	} else if s := &t.States[same]; !slices.Contains(s.Evidence, c.Event) {
		s.confirm(c)
		s.Status = Confirmed
	}
	if c.Sure {
		t.States[same].Status = Confirmed
	}
	if other >= 0 && t.States[same].Status == Confirmed {
		t.States[other].end(c, Revoked)
	}
}

// Entity is somebody or something that messages name.
type Entity struct {
	Type   string               `json:"type"` // person, org or place
	Name   messages.Text        `json:"name"`
	Events []messages.MessageID `json:"events"` // the newest that name it
}

// Moment is the feeling that an event shows, in words and as numbers from -1 to 1. The
// numbers stay in the store.
type Moment struct {
	Event     messages.MessageID `json:"event"`
	Subject   messages.Text      `json:"subject,omitempty"`
	At        time.Time          `json:"at"`
	Label     string             `json:"label"`
	Valence   float64            `json:"valence"`
	Arousal   float64            `json:"arousal"`
	Dominance float64            `json:"dominance"`
}

// Portrait leads to what is known of a conversation whatever is asked, by the keys of its
// rows, the newest last.
type Portrait struct {
	Likes []string `json:"likes,omitempty"` // topics: preferences that are confirmed
	Talks []string `json:"talks,omitempty"` // topics: summaries
	Felt  []string `json:"felt,omitempty"`  // moments
}

// How much a portrait leads to.
const (
	MostLikes = 40
	MostTalks = 8
	MostFelt  = 24
)

// Latest returns a list with a key at its end, or without it; the first ones make room.
func Latest(list []string, key string, in bool, most int) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(k string) bool { return k == key })
	if in {
		list = append(list, key)
	}
	return list[max(0, len(list)-most):]
}

// Revision is a change of a topic, other than of a summary.
type Revision struct {
	At       time.Time            `json:"at"` // of the change, not of what it is about
	Topic    string               `json:"topic"`
	Kind     Kind                 `json:"kind"`
	Subject  messages.Text        `json:"subject,omitempty"`
	Name     messages.Text        `json:"name"`
	Before   *State               `json:"before,omitempty"`
	After    *State               `json:"after,omitempty"`
	Reason   string               `json:"reason"`
	Evidence []messages.MessageID `json:"evidence,omitempty"`
}
