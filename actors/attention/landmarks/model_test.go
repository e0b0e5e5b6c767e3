package landmarks

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// head is a made-up head in front of a pinhole camera.
type head struct {
	yaw, pitch, roll   float64 // degrees; roll is the camera's
	gazeYaw, gazePitch float64 // of the eyes, against the camera
	ear, mar           float64
	x, y, distance     float64 // centimetres from the camera's axis, and from the camera
	scale              float64 // of the head against the average one
	focal              float64 // pixels
}

func facing() head { return head{ear: 0.3, distance: 60, scale: 1, focal: 900} }

// points draws the head's landmarks.
func (h head) points(n int) []messages.Point {
	l := &mediaPipe
	if n == OpenFacePoints {
		l = &openFace
	}
	points := make([]messages.Point, n)
	for i, at := range l.rigid {
		points[at] = h.project(h.turn(skull[i]))
	}
	for side, e := range [...]*[6]int{&l.right, &l.left} {
		a, b := skull[2*side], skull[2*side+1] // its corners, left to right in the picture
		width := length(vec{b[0] - a[0], b[1] - a[1], b[2] - a[2]})
		at := func(share, up float64) vec {
			return vec{a[0] + share*(b[0]-a[0]), a[1] + share*(b[1]-a[1]) + up*width, a[2] + share*(b[2]-a[2])}
		}
		lids := [6]vec{at(0, 0), at(1.0/3, h.ear/2), at(2.0/3, h.ear/2), at(1, 0), at(2.0/3, -h.ear/2),
			at(1.0/3, -h.ear/2)}
		for i, v := range lids {
			points[e[i]] = h.project(h.turn(v))
		}
		if l.iris[0] != 0 {
			m := at(0.5, 0)
			centre := h.turn(vec{m[0] + eyeCentre[0], m[1] + eyeCentre[1], m[2] + eyeCentre[2]})
			g := unit(h.gazeYaw, h.gazePitch)
			points[l.iris[side]] = h.project(vec{centre[0] + eyeRadius*h.scale*g[0], centre[1] + eyeRadius*h.scale*g[1],
				centre[2] + eyeRadius*h.scale*g[2]})
		}
	}
	const lips, low, front = 2.2, -4.0, 5.0 // half the inner width, and where the mouth is
	for i, v := range [8]vec{
		{-lips, low, front}, {lips, low, front},
		{-lips / 2, low + h.mar*lips, front}, {0, low + h.mar*lips, front}, {lips / 2, low + h.mar*lips, front},
		{-lips / 2, low - h.mar*lips, front}, {0, low - h.mar*lips, front}, {lips / 2, low - h.mar*lips, front},
	} {
		points[l.mouth[i]] = h.project(h.turn(v))
	}
	return points
}

// unit is the direction of angles: right, up, towards the camera.
func unit(yaw, pitch float64) vec {
	y, p := yaw*math.Pi/180, pitch*math.Pi/180
	return vec{math.Sin(y) * math.Cos(p), -math.Sin(p), math.Cos(y) * math.Cos(p)}
}

// turn brings a point of the head into the camera's directions.
func (h head) turn(v vec) vec {
	y, p := h.yaw*math.Pi/180, h.pitch*math.Pi/180
	// first the nod, around the axis through the ears, then the turn
	v = vec{v[0], v[1]*math.Cos(p) - v[2]*math.Sin(p), v[1]*math.Sin(p) + v[2]*math.Cos(p)}
	v = vec{v[0]*math.Cos(y) + v[2]*math.Sin(y), v[1], -v[0]*math.Sin(y) + v[2]*math.Cos(y)}
	return vec{v[0] * h.scale, v[1] * h.scale, v[2] * h.scale}
}

// project draws a point as a pinhole camera does, turned by roll.
func (h head) project(v vec) messages.Point {
	depth := h.distance - v[2]
	x, y := h.focal*(v[0]+h.x)/depth, -h.focal*(v[1]+h.y)/depth
	r := h.roll * math.Pi / 180
	return messages.Point{X: 640 + x*math.Cos(r) - y*math.Sin(r), Y: 360 + x*math.Sin(r) + y*math.Cos(r)}
}
