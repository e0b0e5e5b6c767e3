// Package landmarks measures eyes, mouth, head and gaze from the landmarks of a face.
//
// [Measure] takes the points of one picture, [Window] summarises a minute of them
// as a messages.CameraSnapshot, and [Baseline] learns what is usual for this
// person at this camera. Points are in picture coordinates: x to the right, y
// down, one unit for both. Angles are in degrees: yaw grows to the right of the
// picture, pitch grows downwards.
//
// Everything here is arithmetic on its arguments and allocates nothing.
package landmarks
