// Package feed receives face landmarks from a tracker: JSON lines over a Unix
// socket, or over HTTP on the loopback interface.
//
// [New] opens both, and [Server.Serve] answers until its context ends. Each
// picture goes to Options.Sink as a messages.FaceFrame, each finished snapshot as
// a messages.CameraSnapshot. Package runtime passes them to the camera of its
// desk. Any program that writes lines can be a tracker: kehai focus feed forwards
// them, and kehai focus feed --example prints a tracker for MediaPipe.
//
// # Protocol
//
// A line is one JSON object of at most [MaxLine] bytes, ended by a line feed. A
// picture holds the landmarks of one face, in pixels:
//
//	{"at_ms":33.4,"points":[[612.5,301.2],[640.1,322.0],…]}
//
// There are 478 points (MediaPipe FaceLandmarker, with irises) or 68 (OpenFace,
// dlib). A third coordinate is ignored, and a point may also be {"x":…,"y":…}.
// Coordinates from 0 to 1, as MediaPipe gives them, need the size of the picture:
//
//	{"at_ms":33.4,"width":1280,"height":720,"points":[[0.4785,0.4183],…]}
//
// A picture without a face has "points":null or []. at_ms is the tracker's own
// clock in milliseconds since any moment, 1970 included. It never goes back within
// a session. A tracker that computes the measures itself sends snapshots instead,
// with the fields of messages.CameraSnapshot:
//
//	{"camera":{"face_detected":true,"ear_average":0.31,"head_pose":{"yaw":3,"pitch":-5}}}
//
// A bad line is answered and skipped; the next one is read as usual:
//
//	{"ok":false,"line":7,"code":"points","error":"feed: 70 points: want 478 …"}
//
// A line with "ack":true is answered with {"ok":true,"line":8} once it was taken. Other
// good lines are not answered. {"ack":true} alone carries nothing; its answer means that
// all lines before it were handled.
//
// On the socket each connection is a session. Over HTTP a tracker posts one or
// more lines to /v1/focus with the header "Authorization: Bearer TOKEN". The query
// ?session=NAME tells one run of a tracker from the next; the eight most recent are
// known. The answer is {"taken":2,"errors":[…]} with the errors as above. The
// status is 200 if a line was taken, 503 if all lines are good but none can be
// taken now, else 400.
//
// The camera page of package runtime/web posts the same lines with the page's own key, to
// [Server.Lines].
//
// One session sends at a time. The lines of another get the code busy until the
// first one closes its connection, or has been silent for ten seconds.
//
// # Rate
//
// Ten to thirty pictures a second show every blink. Two pictures that are more than
// a second apart say nothing about the time between them: such a tracker never
// yields a PERCLOS, and the rules find nobody focused. Send at least two pictures a
// second. A slower tracker computes the measures itself and sends snapshots.
package feed
