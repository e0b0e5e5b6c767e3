package live

import (
	"sync"
	"time"
)

const (
	// commitTurns is the most turns of one transaction.
	commitTurns = 512
	// spaceRetry is how often a full volume is looked at again.
	spaceRetry = time.Second
	// lookEvery is how often the timers are looked at in any case: time stands still
	// while the machine sleeps, the calendar goes on.
	lookEvery = 30 * time.Second
	// dozeEvery is how often idle actors are put to sleep and blocked ones are found.
	dozeEvery = 30 * time.Second
)

// loop is a goroutine of the system.
type loop struct {
	stop chan struct{} // closed to end it
	gone chan struct{} // closed by it
	once *sync.Once
}

func newLoop() loop {
	return loop{stop: make(chan struct{}), gone: make(chan struct{}), once: new(sync.Once)}
}

func (l loop) end() { l.once.Do(func() { close(l.stop) }) }

// commitLoop is the committer: the only goroutine that calls Commit. At its end it writes
// what waits, unless the system was killed.
func (s *System) commitLoop() {
	defer close(s.commit.gone)
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		if paused := s.commitAll(); paused {
			retry.Reset(spaceRetry)
		}
		select {
		case <-s.engine.CommitReady():
		case <-retry.C:
		case <-s.commit.stop:
			s.commitAll()
			return
		}
	}
}

func (s *System) commitAll() (paused bool) {
	for !s.isKilled() {
		s.activity.begin()
		took, paused := s.engine.Commit(commitTurns)
		s.activity.end()
		if took == 0 {
			return paused
		}
	}
	return false
}

// timerLoop fires the engine's timers.
func (s *System) timerLoop() {
	defer close(s.timer.gone)
	sleep := time.NewTimer(0)
	defer sleep.Stop()
	dozed := s.clock.Now()
	for {
		wait := lookEvery
		if due, ok := s.engine.NextTimer(); ok {
			wait = min(wait, due.Sub(s.clock.Now()))
		}
		sleep.Reset(wait)
		select {
		case <-sleep.C:
			s.activity.begin()
			s.engine.FireTimers()
			if now := s.clock.Now(); now.Sub(dozed) >= dozeEvery {
				dozed = now
				s.dozeOff()
				s.engine.Blocked()
			}
			s.activity.end()
		case <-s.engine.TimersChanged():
		case <-s.timer.stop:
			return
		}
	}
}

// dozeOff asks actors that have been without work for a while to sleep.
func (s *System) dozeOff() {
	for _, act := range s.engine.Idle() {
		if v, ok := s.children.Load(act); ok {
			v.(*child).post(doze{})
		}
	}
}
