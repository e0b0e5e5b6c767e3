package landmarks

import (
	"math"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// What this package chose itself, besides the window, which the product defines. See
// also [Rules].
const (
	span       = 60               // seconds of the window
	maxGap     = time.Second      // a longer silence of the tracker counts for nothing
	faceHolds  = time.Second      // how long a face counts as present
	recent     = 5                // seconds that EAR is averaged over
	poseRecent = 2                // seconds that the pose is averaged over
	enoughEyes = 10 * time.Second // of visible eyes, before their shares mean something
	yawnHolds  = 10 * time.Second // one judgement long, so that none misses it
	moved      = 4.0              // centimetres between the eyes' middle and where it was
	turned     = 15.0             // degrees
	gazeSide   = 30.0             // degrees to either side that are off the screen
	gazeUp     = -20.0            // degrees up
	gazeDown   = 35.0             // degrees down: the camera sits above the screen
)

// Window summarises the last minute of one tracker session. One with only Rules is
// empty. Times are the tracker's own and must not go back.
type Window struct {
	Rules    Rules
	Baseline Baseline
	Literal  bool // ignore what is usual for the person, except for closed eyes

	began    bool
	last     time.Duration // newest picture
	lastFace time.Duration // newest picture with a face, if face
	face     bool
	buckets  [span]bucket

	lids      lids
	open      bool // the mouth is
	openSince time.Duration
	yawned    bool
	yawnEnd   time.Duration
	anchored  bool
	anchor    Face // where the head was when it last moved
}

// bucket is one second of a window.
type bucket struct {
	second         int64
	total, face    time.Duration
	eyes, closed   time.Duration
	gaze, off      time.Duration
	pictures       int
	ear, yaw, tilt float64 // sums over pictures
	blinks, moves  int
}

// Last is the time of the newest picture.
func (w *Window) Last() time.Duration { return w.last }

// Add takes a picture; f is nil when it shows no face.
func (w *Window) Add(at time.Duration, f *Face) {
	dt := at - w.last
	if !w.began || dt > maxGap {
		dt = 0
	}
	gap := w.began && at-w.last > maxGap
	w.began, w.last = true, at
	b := w.bucket(at)
	b.total += dt
	if f == nil || gap {
		w.lids, w.open = lids{}, false
	}
	if f == nil {
		return
	}
	w.face, w.lastFace = true, at
	b.face += dt
	w.eyes(b, f, at, dt)
	w.mouth(f, at)
	w.head(b, f)
	if f.HasGaze {
		b.gaze += dt
		if math.Abs(f.GazeYaw) > gazeSide || f.GazePitch < gazeUp || f.GazePitch > gazeDown {
			b.off += dt
		}
	}
	w.Baseline.learn(&w.Rules, f, dt)
}

// bucket returns the bucket of a time, emptied if it held an older second.
func (w *Window) bucket(at time.Duration) *bucket {
	second := int64(at / time.Second)
	b := &w.buckets[((second%span)+span)%span]
	if b.second != second {
		*b = bucket{second: second}
	}
	return b
}

func (w *Window) eyes(b *bucket, f *Face, at, dt time.Duration) {
	b.pictures++
	b.ear += f.EAR
	b.eyes += dt
	if w.Baseline.Closure(&w.Rules, f.EAR) >= w.Rules.Closed {
		b.closed += dt
	}
	if w.lids.blinked(&w.Rules, f.EAR, at, dt) {
		b.blinks++
	}
}

func (w *Window) mouth(f *Face, at time.Duration) {
	switch {
	case f.MAR <= w.Rules.Yawn:
		w.open = false
	case !w.open:
		w.open, w.openSince = true, at
	case at-w.openSince >= w.Rules.YawnAfter:
		w.yawned, w.yawnEnd = true, at
	}
}

// head counts a movement whenever the head is far enough from where it was at
// the last movement.
func (w *Window) head(b *bucket, f *Face) {
	b.yaw += f.Yaw
	b.tilt += f.Pitch
	switch {
	case !w.anchored:
		w.anchored, w.anchor = true, *f
	case distance(f.Centre, w.anchor.Centre) > moved*w.anchor.Size || math.Abs(f.Yaw-w.anchor.Yaw) > turned ||
		math.Abs(f.Pitch-w.anchor.Pitch) > turned:
		b.moves++
		w.anchor = *f
	}
}

// Snapshot summarises the window at its newest picture. A value without enough
// data is missing.
func (w *Window) Snapshot() messages.CameraSnapshot {
	var s messages.CameraSnapshot
	if !w.began {
		return s
	}
	var sum, now, pose bucket
	for i := range w.buckets {
		b := &w.buckets[i]
		age := int64(w.last/time.Second) - b.second
		if age < 0 || age >= span || b.total == 0 && b.pictures == 0 {
			continue
		}
		sum.add(b)
		if age < recent {
			now.add(b)
		}
		if age < poseRecent {
			pose.add(b)
		}
	}
	s.FaceDetected = messages.Just(w.face && w.last-w.lastFace <= faceHolds)
	s.Yawning = messages.Just(w.yawned && w.last-w.yawnEnd <= yawnHolds)
	s.HeadMovementCount = messages.Just(sum.moves)
	if sum.total > 0 {
		s.FaceNotDetectedRatio = messages.Just(1 - share(sum.face, sum.total))
	}
	if now.pictures > 0 {
		s.EARAverage = messages.Just(now.ear / float64(now.pictures))
	}
	if w.Baseline.Known(&w.Rules) && !w.Literal {
		s.EAROpen = messages.Just(w.Baseline.Open(&w.Rules))
	}
	if pose.pictures > 0 && s.FaceDetected.Value {
		var yaw, pitch float64
		if !w.Literal {
			yaw, pitch = w.Baseline.Neutral(&w.Rules)
		}
		n := float64(pose.pictures)
		s.HeadPose = messages.HeadPose{Yaw: messages.Just(pose.yaw/n - yaw), Pitch: messages.Just(pose.tilt/n - pitch)}
	}
	if sum.eyes >= enoughEyes {
		closed := share(sum.closed, sum.eyes)
		s.Perclos, s.PerclosDrowsy = messages.Just(closed), messages.Just(closed >= w.Rules.Drowsy)
		s.BlinksPerMinute = messages.Just(float64(sum.blinks) / sum.eyes.Minutes())
	}
	if sum.gaze > 0 {
		s.GazeOffScreenRatio = messages.Just(share(sum.off, sum.gaze))
	}
	return s
}

func (b *bucket) add(o *bucket) {
	b.total += o.total
	b.face += o.face
	b.eyes += o.eyes
	b.closed += o.closed
	b.gaze += o.gaze
	b.off += o.off
	b.pictures += o.pictures
	b.ear += o.ear
	b.yaw += o.yaw
	b.tilt += o.tilt
	b.blinks += o.blinks
	b.moves += o.moves
}

func share(part, whole time.Duration) float64 { return float64(part) / float64(whole) }
