// Package feed takes what a face tracker sees: JSON lines over a Unix socket, or
// over HTTP on the loopback interface.
//
// [New] opens both and [Server.Serve] answers until its context ends; each
// picture goes to Options.Sink as a messages.FaceFrame, each ready-made snapshot
// as a messages.CameraSnapshot. Package runtime hands them to the camera of its
// desk. Whatever can write lines can be a tracker: kehai focus feed sends them on,
// and kehai focus feed --example prints one for MediaPipe.
//
// # Protocol
//
// A line is one JSON object of at most [MaxLine] bytes, ended by a line feed. A
// picture holds the landmarks of one face, in pixels:
//
//	{"at_ms":33.4,"points":[[612.5,301.2],[640.1,322.0],…]}
//
// There are 478 points (MediaPipe FaceLandmarker, with irises) or 68 (OpenFace,
// dlib); a third coordinate is left unused, and {"x":…,"y":…} is as good as
// […,…]. Coordinates from 0 to 1, as MediaPipe gives them, need the size of the
// picture:
//
//	{"at_ms":33.4,"width":1280,"height":720,"points":[[0.4785,0.4183],…]}
//
// A picture without a face has "points":null or []. at_ms is the tracker's own
// clock in milliseconds, from any beginning (milliseconds since 1970 too), and
// never goes back within a session. A tracker that measures for itself sends snapshots instead, with the fields of
// messages.CameraSnapshot:
//
//	{"camera":{"face_detected":true,"ear_average":0.31,"head_pose":{"yaw":3,"pitch":-5}}}
//
// A bad line is answered and left out; the next one is read as usual:
//
//	{"ok":false,"line":7,"code":"points","error":"feed: 70 points: want 478 …"}
//
// A line with "ack":true is answered with {"ok":true,"line":8} when it was taken;
// other good lines are not answered. {"ack":true} alone is a line that is only
// answered, once all before it were.
//
// On the socket each connection is a session. Over HTTP a tracker posts one or
// more lines to /v1/focus with the header "Authorization: Bearer TOKEN"; the
// query ?session=NAME tells one run of a tracker from the next (the eight used
// last are known), and the answer is {"taken":2,"errors":[…]} with the errors as
// above. The status is 200 if a line was taken, 503 if all were good and none was
// taken now, else 400.
//
// One session is heard at a time. The lines of another are answered with the code
// busy until the first has ended its connection, or has been silent for ten
// seconds.
//
// # Rate
//
// Ten to thirty pictures a second show every blink. Two pictures more than a
// second apart say nothing of the time between them: from a tracker that slow no
// PERCLOS is ever known, and the rules find nobody focused. Two a second are the
// least; a tracker that cannot keep that up measures for itself and sends
// snapshots.
package feed
