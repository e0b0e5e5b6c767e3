package judgements

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/judge"
)

// Result is the outcome of a log, with the cache and with a judgement at every look.
type Result struct {
	Messages   int           `json:"messages"`
	Scopes     int           `json:"scopes"`
	Calls      int           `json:"calls"`       // with the cache
	CallsEvery int           `json:"calls_every"` // without
	Avoided    float64       `json:"avoided"`     // share of calls, 0 to 1
	Wanted     int           `json:"wanted"`      // messages that are answered without the cache
	Missed     int           `json:"missed"`      // of these, those that are not with it within max_age
	MissedPart float64       `json:"missed_part"` // share of Wanted, 0 to 1
	LaterMean  time.Duration `json:"later_mean"`  // of those that are not missed, in nanoseconds
	LaterMax   time.Duration `json:"later_max"`   // the same
}

// Rules returns the rules of a profile, default or seed; false for another name.
func Rules(profile string) (judge.Rules, bool) {
	r := judge.DefaultRules()
	r.Plain = profile == "seed"
	return r, profile == "seed" || profile == "default"
}

// Play plays a log that is sorted by time, twice.
func Play(log []Line, r judge.Rules) Result {
	every := r
	every.Enabled = false
	with, without := run(log, r), run(log, every)
	res := Result{Messages: len(log), Scopes: len(with.scopes), Calls: with.calls, CallsEvery: without.calls}
	if without.calls > 0 {
		res.Avoided = 1 - float64(with.calls)/float64(without.calls)
	}
	both, later := 0, time.Duration(0)
	for key, at := range without.wanted {
		res.Wanted++
		got, ok := with.answered[key]
		if !ok || got.Sub(at) > r.MaxAge {
			res.Missed++
			continue
		}
		both++
		later += got.Sub(at)
		res.LaterMax = max(res.LaterMax, got.Sub(at))
	}
	if both > 0 {
		res.LaterMean = later / time.Duration(both)
	}
	if res.Wanted > 0 {
		res.MissedPart = float64(res.Missed) / float64(res.Wanted)
	}
	return res
}

// scope is the state of a scope during a run.
type scope struct {
	key   judge.Scope
	group bool
	state judge.State
	open  []Line // unanswered, oldest first
	edits map[string]int
}

// player plays a log once.
type player struct {
	rules    judge.Rules
	scopes   map[judge.Scope]*scope
	calls    int
	answered map[string]time.Time // when a reply saw a message, by scope and message
	wanted   map[string]time.Time // those of them that wanted one then
}

// run plays a log.
func run(log []Line, r judge.Rules) *player {
	p := &player{rules: r, scopes: map[judge.Scope]*scope{}, answered: map[string]time.Time{},
		wanted: map[string]time.Time{}}
	if len(log) == 0 {
		return p
	}
	now, end := log[0].At, log[len(log)-1].At.Add(r.MaxAge)
	for i := 0; now.Before(end); now = now.Add(r.CheckEvery) {
		for ; i < len(log) && !log[i].At.After(now); i++ {
			p.arrive(log[i])
		}
		if i < len(log) && !p.waits(now) { // nothing to look at until the next message
			now = now.Add(log[i].At.Sub(now).Truncate(r.CheckEvery))
			continue
		}
		if i == len(log) && !p.waits(now) {
			return p
		}
		for _, key := range slices.Sorted(maps.Keys(p.scopes)) {
			p.look(p.scopes[key], now)
		}
	}
	return p
}

// waits reports whether something is unanswered that may still be.
func (p *player) waits(now time.Time) bool {
	for _, s := range p.scopes {
		if n := len(s.open); n > 0 && now.Sub(s.open[n-1].At) < p.rules.MaxAge {
			return true
		}
	}
	return false
}

// arrive handles a message.
func (p *player) arrive(l Line) {
	key := judge.ScopeOf(l.Channel, l.Thread)
	s := p.scopes[key]
	if s == nil {
		s = &scope{key: key, group: l.Group, edits: map[string]int{}}
		p.scopes[key] = s
	}
	if l.Own {
		s.open, s.state = nil, s.state.Forget()
		return
	}
	if l.Settles {
		for i := range s.open {
			s.open[i].RespondAfter = nil
		}
	}
	if i := slices.IndexFunc(s.open, func(o Line) bool { return o.ID == l.ID }); i >= 0 {
		s.edits[string(l.ID)]++
		l.At = s.open[i].At
		s.open[i] = l
	} else {
		s.open = append(s.open, l)
	}
	if !s.group {
		p.judge(s, l.At)
	}
}

// look does the scheduler's work for a scope.
func (p *player) look(s *scope, now time.Time) {
	list := make([]judge.Message, 0, 1)
	if n := len(s.open); n > 0 {
		list = append(list, s.newest())
	}
	if p.rules.Scheduled(s.state, list, now) {
		p.judge(s, now)
	}
}

// newest is the newest message of a scope that has one.
func (s *scope) newest() judge.Message {
	l := s.open[len(s.open)-1]
	return judge.Message{ID: l.ID, Revision: s.edits[string(l.ID)], At: l.At}
}

// judge asks the scripted judge, if the rules say so, and delivers its reply.
func (p *player) judge(s *scope, now time.Time) {
	newest := s.newest()
	latest := judge.MessageID(newest.ID, newest.Revision)
	if due, _ := p.rules.Due(s.state, latest, now); !due {
		return
	}
	p.calls++
	seen := judge.Newest(s.open, p.rules)
	v := judged(seen, now)
	state, reply := p.rules.Judged(s.state, judge.Judgement{Verdict: v, Latest: latest, Written: newest.At}, now)
	if s.state = state; !reply {
		return
	}
	for _, l := range seen {
		id := string(s.key) + "\x00" + string(l.ID)
		p.answered[id] = now
		if l.wants(now) {
			p.wanted[id] = now
		}
	}
	s.state, s.open = p.rules.Delivered(s.state, now).Forget(), nil
}

// judged is the scripted judge's verdict on what it sees.
func judged(seen []Line, now time.Time) judge.Verdict {
	newest := seen[len(seen)-1]
	v := judge.Verdict{Confidence: 1, Defaulted: newest.Confidence == nil, Source: judge.FromModel}
	if newest.Confidence != nil {
		v.Confidence = *newest.Confidence
	}
	v.Respond = slices.ContainsFunc(seen, func(l Line) bool { return l.wants(now) })
	return v
}

// wants reports whether the judge wants a reply to a message at a time.
func (l Line) wants(now time.Time) bool {
	return l.RespondAfter != nil && now.Sub(l.At).Seconds() >= *l.RespondAfter
}

// sortLines puts lines in the order of time.
func sortLines(list []Line) {
	slices.SortStableFunc(list, func(a, b Line) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
}
