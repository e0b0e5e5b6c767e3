package landmarks

// Numbers of points that [Measure] understands.
const (
	MediaPipePoints = 478 // MediaPipe FaceLandmarker: 468 of the face, 10 of the irises
	OpenFacePoints  = 68  // OpenFace, dlib and others (the iBUG 300-W mark-up); no irises
)

// layout holds the indices of the landmarks in a list of points. Right and left
// are the person's own: in a picture that is not mirrored the right eye is on
// the left.
type layout struct {
	// An eye: a corner, two points of the upper lid, the other corner, two of the
	// lower lid, in the order p1 to p6 of Soukupová and Čech.
	right, left [6]int
	// The inner lip: its corners, three points of the upper edge, the three
	// opposite ones of the lower edge.
	mouth [8]int
	// The rigid points of a head, in the order of the rows of skull: outer and
	// inner corner of the right eye, inner and outer corner of the left, root, tip
	// and base of the nose.
	rigid [7]int
	iris  [2]int // centres of the right and the left iris; 0 for none
}

var mediaPipe = layout{
	right: [6]int{33, 160, 158, 133, 153, 144}, left: [6]int{362, 385, 387, 263, 373, 380},
	mouth: [8]int{78, 308, 82, 13, 312, 87, 14, 317},
	rigid: [7]int{33, 133, 362, 263, 168, 1, 2},
	iris:  [2]int{468, 473},
}

var openFace = layout{
	right: [6]int{36, 37, 38, 39, 40, 41}, left: [6]int{42, 43, 44, 45, 46, 47},
	mouth: [8]int{60, 64, 61, 62, 63, 67, 66, 65},
	rigid: [7]int{36, 39, 42, 45, 27, 30, 33},
}

// vec is a point of the head in centimetres: x to the person's left, y up, z out
// of the face.
type vec [3]float64

// skull holds the rigid landmarks of an average head, from the canonical face
// model that MediaPipe publishes.
var skull = [7]vec{
	{-4.446, 2.664, 3.173}, {-1.856, 2.585, 3.758}, {1.856, 2.585, 3.758}, {4.446, 2.664, 3.173},
	{0, 3.271, 5.236}, {0, -1.127, 7.476}, {0, -2.089, 6.058},
}

// An eyeball of the same model, in centimetres: its radius, which is usual for an
// adult, and its centre relative to the middle between the corners of its eye.
const eyeRadius = 1.2

var eyeCentre = vec{0, 0.011, 0.361 - eyeRadius}
