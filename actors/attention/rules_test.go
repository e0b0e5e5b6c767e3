package attention_test

import (
	"math"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
)

var (
	nan  = messages.Just(math.NaN())
	none = messages.Maybe[float64]{}
	no   = messages.Just(false)
	yes  = messages.Just(true)
)

func num(v float64) messages.Maybe[float64] { return messages.Just(v) }

func rules(p attention.Profile) *attention.Rules {
	r := attention.DefaultRules()
	if p == attention.ProfileSeed {
		r = r.Plain()
	}
	return &r
}

// camera is a person who faces the screen, changed by edits.
func camera(edits ...func(*messages.CameraSnapshot)) *messages.CameraSnapshot {
	c := &messages.CameraSnapshot{
		FaceDetected: yes, FaceNotDetectedRatio: num(0), EARAverage: num(0.3), Perclos: num(0.02), PerclosDrowsy: no,
		Yawning:  no,
		HeadPose: messages.HeadPose{Yaw: num(3), Pitch: num(-5)}, BlinksPerMinute: num(16),
	}
	for _, e := range edits {
		e(c)
	}
	return c
}

// usage is a person who works at the computer, changed by edits.
func usage(edits ...func(*messages.UsageSnapshot)) *messages.UsageSnapshot {
	u := &messages.UsageSnapshot{
		ActiveApp: "Code", IdleSeconds: num(2), IsIdle: no, KeyboardRateWindow: num(90), MouseRateWindow: num(20),
		AppSwitchesInWindow: messages.Just(1), UniqueAppsInWindow: messages.Just(2), SecondsSinceLastKeyboard: num(20),
	}
	for _, e := range edits {
		e(u)
	}
	return u
}

type (
	cam = func(*messages.CameraSnapshot)
	pc  = func(*messages.UsageSnapshot)
)

func ear(m messages.Maybe[float64]) cam { return func(c *messages.CameraSnapshot) { c.EARAverage = m } }
func open(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.EAROpen = m }
}
func yaw(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.HeadPose.Yaw = m }
}
func pitch(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.HeadPose.Pitch = m }
}
func face(m messages.Maybe[bool]) cam {
	return func(c *messages.CameraSnapshot) { c.FaceDetected = m }
}
func noFace(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.FaceNotDetectedRatio = m }
}
func drowsy(m messages.Maybe[bool]) cam {
	return func(c *messages.CameraSnapshot) { c.PerclosDrowsy = m }
}
func yawning(m messages.Maybe[bool]) cam {
	return func(c *messages.CameraSnapshot) { c.Yawning = m }
}
func idle(m messages.Maybe[float64]) pc {
	return func(u *messages.UsageSnapshot) { u.IdleSeconds = m }
}
func isIdle(m messages.Maybe[bool]) pc { return func(u *messages.UsageSnapshot) { u.IsIdle = m } }
func key(m messages.Maybe[float64]) pc {
	return func(u *messages.UsageSnapshot) { u.SecondsSinceLastKeyboard = m }
}
func apps(switches, unique int) pc {
	return func(u *messages.UsageSnapshot) {
		u.AppSwitchesInWindow, u.UniqueAppsInWindow = messages.Just(switches), messages.Just(unique)
	}
}

func scroll(app messages.Text, keys, mouse float64) pc {
	return func(u *messages.UsageSnapshot) {
		u.ActiveApp, u.KeyboardRateWindow, u.MouseRateWindow = app, num(keys), num(mouse)
	}
}

// scrolling is the use of the computer in the prompt's second example.
func scrolling() *messages.UsageSnapshot {
	return usage(idle(num(3)), scroll("Safari", 1, 180), key(num(55)))
}

// want is a state, "" for a case that is not clear.
type want struct {
	state      messages.Attention
	confidence float64
}

var (
	llm     = want{}
	away    = want{messages.Away, 1}
	gone    = want{messages.Away, 0.9}
	focused = want{messages.Focused, 0.9}
	nobody  = want{messages.Unknown, 0}
)

func TestJudge(t *testing.T) {
	above := math.Nextafter
	for _, c := range []struct {
		name          string
		camera        *messages.CameraSnapshot
		usage         *messages.UsageSnapshot
		seed, regular want
	}{
		// the table of tests
		{"no face, computer in use", camera(face(no)), usage(), away, away},
		{"no face, computer idle", camera(face(no)), usage(idle(num(300)), isIdle(yes)), away, away},
		{"no face, no computer", camera(face(no)), nil, away, away},
		{"facing the screen, computer in use", camera(), usage(), focused, focused},
		{"computer idle, facing the screen", camera(), usage(idle(num(61)), isIdle(yes)), llm, llm},
		{"head turned by 35", camera(yaw(num(35))), usage(), llm, llm},
		{"drowsy signals", camera(ear(num(0.19)), drowsy(yes), yawning(yes)), usage(), llm, llm},
		{"scrolling in Safari, the head turned by 35", camera(yaw(num(35))), scrolling(), llm, llm},
		{"scrolling in Safari, no camera", nil, scrolling(), llm, llm},
		{"no camera, computer idle", nil, usage(idle(num(300)), isIdle(yes)), llm, llm},
		{"no camera, computer in use", nil, usage(), llm, llm},
		{"away for most of the window, no computer", camera(noFace(num(0.8))), nil, gone, gone},
		{"nothing", nil, nil, nobody, nobody},
		{"no computer", camera(), nil, llm, llm},

		// rule 2
		{"ratio 0.7", camera(noFace(num(0.7))), usage(), focused, focused},
		{"ratio above 0.7", camera(noFace(num(above(0.7, 1)))), usage(), gone, gone},
		{"ratio missing", camera(noFace(none)), usage(), focused, focused},
		{"ratio NaN", camera(noFace(nan)), usage(), focused, focused},
		{"rule 1 comes first", camera(face(no), noFace(num(1))), usage(), away, away},
		{"ratio without face_detected", camera(face(messages.Maybe[bool]{}), noFace(num(0.9))), nil, gone, gone},

		// rule 3, each condition at its bound, missing and NaN
		{"EAR 0.27", camera(ear(num(0.27))), usage(), llm, llm},
		{"EAR above 0.27", camera(ear(num(above(0.27, 1)))), usage(), focused, focused},
		{"EAR missing", camera(ear(none)), usage(), llm, llm},
		{"EAR NaN", camera(ear(nan)), usage(), llm, llm},
		// the default profile counts from the person's own eyes
		{"narrow eyes, open", camera(ear(num(0.23)), open(num(0.24))), usage(), llm, focused},
		{"narrow eyes at their bound", camera(ear(num(0.27*0.24/0.3)), open(num(0.24))), usage(), llm, llm},
		{"narrow eyes above their bound", camera(ear(num(0.217)), open(num(0.24))), usage(), llm, focused},
		{"wide eyes, half shut", camera(ear(num(0.3)), open(num(0.36))), usage(), focused, llm},
		{"wide eyes above their bound", camera(ear(num(0.325)), open(num(0.36))), usage(), focused, focused},
		{"open eyes unknown", camera(ear(num(0.23)), open(none)), usage(), llm, llm},
		{"open eyes NaN", camera(open(nan)), usage(), focused, focused},
		{"open eyes 0", camera(ear(num(0.2)), open(num(0))), usage(), llm, llm},
		{"yaw 25", camera(yaw(num(25))), usage(), llm, llm},
		{"yaw -25", camera(yaw(num(-25))), usage(), llm, llm},
		{"yaw below 25", camera(yaw(num(above(25, 0)))), usage(), focused, focused},
		{"yaw above -25", camera(yaw(num(above(-25, 0)))), usage(), focused, focused},
		{"yaw missing", camera(yaw(none)), usage(), llm, llm},
		{"yaw NaN", camera(yaw(nan)), usage(), llm, llm},
		{"pitch 25", camera(pitch(num(25))), usage(), llm, llm},
		{"pitch -25", camera(pitch(num(-25))), usage(), llm, llm},
		{"pitch below 25", camera(pitch(num(24.99))), usage(), focused, focused},
		{"pitch above -25", camera(pitch(num(-24.99))), usage(), focused, focused},
		{"pitch missing", camera(pitch(none)), usage(), llm, llm},
		{"pitch NaN", camera(pitch(nan)), usage(), llm, llm},
		{"perclos drowsy", camera(drowsy(yes)), usage(), llm, llm},
		{"perclos missing", camera(drowsy(messages.Maybe[bool]{})), usage(), focused, llm},
		{"yawning", camera(yawning(yes)), usage(), llm, llm},
		{"yawning missing", camera(yawning(messages.Maybe[bool]{})), usage(), focused, llm},
		{"face_detected missing", camera(face(messages.Maybe[bool]{})), usage(), focused, llm},
		{"idle 60", camera(), usage(idle(num(60))), focused, focused},
		{"idle above 60", camera(), usage(idle(num(above(60, 61)))), llm, llm},
		{"idle missing, is_idle false", camera(), usage(idle(none)), focused, llm},
		{"idle missing, is_idle true", camera(), usage(idle(none), isIdle(yes)), llm, llm},
		{"idle 5, is_idle missing", camera(), usage(idle(num(5)), isIdle(messages.Maybe[bool]{})), focused, focused},
		{"idle 5, is_idle true", camera(), usage(idle(num(5)), isIdle(yes)), llm, llm},
		{"idle 61, is_idle missing", camera(), usage(idle(num(61)), isIdle(messages.Maybe[bool]{})), llm, llm},
		{"idle 61, is_idle false", camera(), usage(idle(num(61))), llm, llm},
		{"idle NaN", camera(), usage(idle(nan)), llm, llm},
		{"idle unknown", camera(), usage(idle(none), isIdle(messages.Maybe[bool]{})), llm, llm},
		{"nothing measured", &messages.CameraSnapshot{}, &messages.UsageSnapshot{}, llm, llm},
		{"no pose at all", camera(yaw(none), pitch(none)), usage(), llm, llm},

		// rule 3 has no condition on the application: a person facing the screen may read
		{"scrolling in Safari, facing the screen", camera(), scrolling(), focused, focused},

		// a covered camera while somebody types
		{"covered, key now", camera(face(no)), usage(key(num(0))), away, llm},
		{"covered, key 10 s ago", camera(face(no)), usage(key(num(10))), away, llm},
		{"covered, key more than 10 s ago", camera(face(no)), usage(key(num(above(10, 11)))), away, away},
		{"covered, no key known", camera(face(no)), usage(key(none)), away, away},
		{"covered, key NaN", camera(face(no)), usage(key(nan)), away, away},
		{"covered for long, key now", camera(face(no), noFace(num(1))), usage(key(num(3))), away, llm},
		{"nothing but a ratio, key now", camera(face(messages.Maybe[bool]{}), noFace(num(0.8))), usage(key(num(3))),
			gone, llm},
		{"nothing but a ratio of 0.7, key now", camera(face(messages.Maybe[bool]{}), noFace(num(0.7))),
			usage(key(num(3))), focused, llm},
		{"nothing but a ratio, key long ago", camera(face(messages.Maybe[bool]{}), noFace(num(0.8))),
			usage(key(num(11))), gone, gone},
		{"seen again, key now", camera(noFace(num(0.8))), usage(key(num(3))), gone, gone},
	} {
		for profile, w := range map[attention.Profile]want{attention.ProfileSeed: c.seed,
			attention.ProfileDefault: c.regular} {
			got, clear := rules(profile).Judge(attention.Look{Camera: c.camera, Usage: c.usage})
			if clear != (w != llm) || got.State != w.state || got.Confidence != w.confidence {
				t.Errorf("Judge(%s, %s) = %s %v, %v, want %s %v", profile, c.name, got.State, got.Confidence, clear,
					w.state, w.confidence)
			}
			if clear && (got.Source != messages.FromRule || got.Reasoning == "" || got.CameraState+got.PCState != "") {
				t.Errorf("Judge(%s, %s) = %+v, want a rule with a reason and empty halves", profile, c.name, got)
			}
		}
	}
}

func TestFallback(t *testing.T) {
	calm := want{messages.Focused, 0.5}
	asleep, yawns := want{messages.Drowsy, 0.7}, want{messages.Drowsy, 0.6}
	wandering, still := want{messages.Distracted, 0.6}, want{messages.Idle, 0.5}
	unknown := messages.Maybe[bool]{}
	for _, c := range []struct {
		name          string
		camera        *messages.CameraSnapshot
		usage         *messages.UsageSnapshot
		seed, regular want
	}{
		{"drowsy and yawning", camera(drowsy(yes), yawning(yes)), usage(), asleep, asleep},
		{"drowsy only", camera(drowsy(yes)), usage(), calm, calm},
		{"yawning only", camera(yawning(yes)), nil, yawns, yawns},
		{"yawning, drowsy missing", camera(yawning(yes), drowsy(unknown)), usage(), yawns, yawns},
		{"yawning missing, drowsy", camera(yawning(unknown), drowsy(yes)), usage(), calm, calm},
		{"yawning comes before the head", camera(yawning(yes), yaw(num(80))), usage(), yawns, yawns},
		{"yaw 45", camera(yaw(num(45))), usage(), calm, calm},
		{"yaw above 45", camera(yaw(num(45.01))), usage(), wandering, wandering},
		{"yaw below -45", camera(yaw(num(-45.01))), usage(), wandering, wandering},
		{"yaw NaN", camera(yaw(nan)), usage(), calm, calm},
		{"yaw missing", camera(yaw(none)), usage(), calm, calm},
		{"7 switches, 5 applications", camera(), usage(apps(7, 5)), wandering, wandering},
		{"6 switches, 5 applications", camera(), usage(apps(6, 5)), calm, calm},
		{"7 switches, 4 applications", camera(), usage(apps(7, 4)), calm, calm},
		{"7 switches, no camera", nil, usage(apps(7, 5)), wandering, wandering},
		{"nothing", nil, nil, nobody, nobody},
		{"no camera", nil, usage(), calm, calm},
		{"no camera, idle 600", nil, usage(idle(num(600)), isIdle(yes)), calm, calm},
		{"no camera, idle above 600", nil, usage(idle(num(600.1)), isIdle(yes)), calm, still},
		{"no camera, idle comes before switches", nil, usage(idle(num(601)), apps(7, 5)), wandering, still},
		{"camera, idle above 600", camera(), usage(idle(num(900)), isIdle(yes)), calm, calm},
		{"no computer", camera(), nil, calm, calm},
		{"a covered camera yawns", camera(face(no), yawning(yes)), usage(key(num(2))), yawns, calm},
		{"nothing measured", &messages.CameraSnapshot{}, &messages.UsageSnapshot{}, calm, calm},
	} {
		for profile, w := range map[attention.Profile]want{attention.ProfileSeed: c.seed,
			attention.ProfileDefault: c.regular} {
			got := rules(profile).Fallback(attention.Look{Camera: c.camera, Usage: c.usage})
			if got.State != w.state || got.Confidence != w.confidence || got.Source != messages.FromFallback {
				t.Errorf("Fallback(%s, %s) = %s %v by %s, want %s %v by fallback", profile, c.name, got.State,
					got.Confidence, got.Source, w.state, w.confidence)
			}
		}
	}
}

func TestFresh(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		camera, usage time.Duration // ages
		sees, uses    bool
	}{
		{0, 0, true, true},
		{15 * time.Second, 90 * time.Second, true, true},
		{15*time.Second + 1, 90 * time.Second, false, true},
		{15 * time.Second, 90*time.Second + 1, true, false},
		{time.Hour, time.Hour, false, false},
		{-time.Hour, -time.Hour, true, true},
	} {
		l := attention.Look{Camera: camera(), Usage: usage()}
		l.Camera.ObservedAt, l.Usage.ObservedAt = now.Add(-c.camera), now.Add(-c.usage)
		got := rules(attention.ProfileDefault).Fresh(l, now)
		if (got.Camera != nil) != c.sees || (got.Usage != nil) != c.uses {
			t.Errorf("Fresh(%v, %v) = %v, %v, want %v, %v", c.camera, c.usage, got.Camera != nil, got.Usage != nil,
				c.sees, c.uses)
		}
	}
}

func BenchmarkFallback(b *testing.B) {
	r := rules(attention.ProfileDefault)
	l := attention.Look{Camera: camera(yaw(num(30))), Usage: usage()}
	b.ReportAllocs()
	for b.Loop() {
		if s := r.Fallback(l); s.State != messages.Focused {
			b.Fatal(s.State)
		}
	}
}
