package landmarks

import (
	"errors"
	"fmt"
	"math"

	"github.com/kehai-run/kehai/messages"
)

// ErrPoints marks landmarks that cannot be measured: neither 478 nor 68 points,
// coordinates that are not numbers, or points that do not form a face.
var ErrPoints = errors.New("landmarks: a face cannot be measured")

// Face is what one picture shows of a face.
type Face struct {
	// EAR is the eye aspect ratio, mean of both eyes: 0.25 to 0.35 for open eyes,
	// near 0.1 for shut ones. Soukupová and Čech, "Real-Time Eye Blink Detection
	// using Facial Landmarks", 2016, formula 1.
	EAR float64
	// MAR is the mouth aspect ratio: the mean of three openings between the inner
	// lips by the inner width; 0 for a closed mouth, above 0.6 for a yawn.
	MAR float64
	// Yaw and Pitch say where the head points, see [Measure].
	Yaw, Pitch float64
	// GazeYaw and GazePitch say where the eyes look, relative to the camera, not to
	// the head. HasGaze is false without irises.
	GazeYaw, GazePitch float64
	HasGaze            bool
	Centre             messages.Point // between the eyes
	Size               float64        // pixels of one centimetre of the average head
}

// Measure measures the points of one face. EAR and MAR do not change when a
// picture is moved, turned or scaled. The angles do not change when it is moved
// or scaled.
//
// The head's angles come from seven rigid points and an average skull, by POSIT
// (DeMenthon and Davis, "Model-Based Object Pose in 25 Lines of Code", 1995): the
// least-squares solution for the first two rows of the rotation, made orthogonal
// by giving both the same share of the error, and again with the perspective
// that follows. A usual distance replaces the focal length of the lens, so the
// points are enough. The angles are relative to the line from the camera to the
// face; up to 40 degrees they are accurate to a few degrees.
func Measure(points []messages.Point) (Face, error) {
	var l *layout
	switch len(points) {
	case MediaPipePoints:
		l = &mediaPipe
	case OpenFacePoints:
		l = &openFace
	default:
		return Face{}, fmt.Errorf("%w: %d points: want %d (MediaPipe) or %d (OpenFace)", ErrPoints, len(points),
			MediaPipePoints, OpenFacePoints)
	}
	f := Face{EAR: (eye(points, &l.right) + eye(points, &l.left)) / 2, MAR: mouth(points, &l.mouth)}
	r, ok := pose(points, &l.rigid)
	f.Yaw, f.Pitch = direction(r.rows[0][2], r.rows[1][2])
	f.Size = r.scale
	f.Centre = middle(middle(points[l.rigid[0]], points[l.rigid[1]]), middle(points[l.rigid[2]], points[l.rigid[3]]))
	if !ok || !finite(f.EAR, f.MAR, f.Yaw, f.Pitch, f.Size, f.Centre.X, f.Centre.Y) {
		return Face{}, fmt.Errorf("%w: they form no face", ErrPoints)
	}
	if l.iris[0] != 0 {
		f.GazeYaw, f.GazePitch, f.HasGaze = gaze(points, l, r)
	}
	return f, nil
}

// eye is (|p2 p6| + |p3 p5|) / (2 |p1 p4|).
func eye(points []messages.Point, p *[6]int) float64 {
	return (distance(points[p[1]], points[p[5]]) + distance(points[p[2]], points[p[4]])) /
		(2 * distance(points[p[0]], points[p[3]]))
}

func mouth(points []messages.Point, p *[8]int) float64 {
	open := distance(points[p[2]], points[p[5]]) + distance(points[p[3]], points[p[6]]) +
		distance(points[p[4]], points[p[7]])
	return open / (3 * distance(points[p[0]], points[p[1]]))
}

// turn is a rotation of the head and the scale of its picture. The rows are the
// camera's axes seen from the head: right, up, towards the camera.
type turn struct {
	rows  [3]vec
	scale float64
}

// centred is the skull around its mean. inverse is its pseudo-inverse, which
// solves for three unknowns from seven points.
var (
	centred = aroundMean(skull)
	inverse = pseudoInverse(centred)
)

// usualDistance is how far a person sits from the camera, in centimetres of the
// average head. At half or twice the distance the angles are off by a tenth.
const usualDistance = 60

// rounds of pose: the first has no perspective, each later one uses the
// perspective of the round before.
const rounds = 3

func pose(points []messages.Point, rigid *[7]int) (t turn, ok bool) {
	var mean messages.Point
	for _, at := range rigid {
		mean.X += points[at].X / float64(len(rigid))
		mean.Y += points[at].Y / float64(len(rigid))
	}
	for range rounds {
		var across, up vec
		for i, at := range rigid {
			near := 1 - dot(t.rows[2], centred[i])/usualDistance // nearer points are drawn larger
			x, y := (points[at].X-mean.X)*near, (mean.Y-points[at].Y)*near
			for k := range 3 {
				across[k] += inverse[i][k] * x
				up[k] += inverse[i][k] * y
			}
		}
		if t, ok = orthogonal(across, up); !ok {
			return turn{}, false
		}
	}
	return t, true
}

// orthogonal makes a rotation from its first two rows, whose length is its scale.
// The nearest orthogonal pair lies evenly around their bisectors.
func orthogonal(across, up vec) (turn, bool) {
	a, b := length(across), length(up)
	if !(a > 0) || !(b > 0) {
		return turn{}, false
	}
	var sum, difference vec
	for k := range 3 {
		sum[k] = across[k]/a + up[k]/b
		difference[k] = across[k]/a - up[k]/b
	}
	s, d := length(sum)*math.Sqrt2, length(difference)*math.Sqrt2
	if !(s > 0) || !(d > 0) {
		return turn{}, false
	}
	t := turn{scale: (a + b) / 2}
	for k := range 3 {
		t.rows[0][k] = sum[k]/s + difference[k]/d
		t.rows[1][k] = sum[k]/s - difference[k]/d
	}
	t.rows[2] = cross(t.rows[0], t.rows[1])
	return t, true
}

// gaze turns the position of each iris into a direction. The centre of an eyeball
// is fixed in the head, so its position in the picture is known. The iris lies
// one radius away from it, in the direction of the gaze. The offset between the
// two in the picture is therefore that direction, as the camera sees it.
func gaze(points []messages.Point, l *layout, r turn) (yaw, pitch float64, ok bool) {
	var x, y float64
	for i, e := range [...]*[6]int{&l.right, &l.left} {
		corners := middle(points[e[0]], points[e[3]])
		iris := points[l.iris[i]]
		x += (iris.X-corners.X)/r.scale - dot(r.rows[0], eyeCentre)
		y += (corners.Y-iris.Y)/r.scale - dot(r.rows[1], eyeCentre)
	}
	yaw, pitch = direction(x/(2*eyeRadius), y/(2*eyeRadius))
	return yaw, pitch, finite(yaw, pitch)
}

// direction turns the first two components of a unit vector, right and up, into
// yaw and pitch. Components too long for a unit vector mean 90 degrees.
func direction(right, up float64) (yaw, pitch float64) {
	towards := math.Sqrt(max(0, 1-right*right-up*up))
	return math.Atan2(right, towards) * 180 / math.Pi, math.Atan2(-up, math.Hypot(right, towards)) * 180 / math.Pi
}

func distance(a, b messages.Point) float64 {
	x, y := a.X-b.X, a.Y-b.Y
	return math.Sqrt(x*x + y*y)
}

func middle(a, b messages.Point) messages.Point {
	return messages.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
}

func dot(a, b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func length(v vec) float64 { return math.Sqrt(dot(v, v)) }

func cross(a, b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func aroundMean(points [7]vec) [7]vec {
	var mean vec
	for _, p := range points {
		for k := range 3 {
			mean[k] += p[k] / float64(len(points))
		}
	}
	for i := range points {
		for k := range 3 {
			points[i][k] -= mean[k]
		}
	}
	return points
}

// pseudoInverse of points M are the rows of (MᵀM)⁻¹Mᵀ, one for each point.
func pseudoInverse(points [7]vec) (rows [7]vec) {
	var m [3]vec // MᵀM
	for _, p := range points {
		for j := range 3 {
			for k := range 3 {
				m[j][k] += p[j] * p[k]
			}
		}
	}
	c := [3]vec{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])} // its inverse, by determinant
	det := dot(m[0], c[0])
	for i, p := range points {
		for k := range 3 {
			rows[i][k] = dot(c[k], p) / det
		}
	}
	return rows
}
