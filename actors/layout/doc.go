// Package layout describes chat windows as data: where the header, the messages and the
// input are, which colours the bubbles have, and which words are the application's own.
// The poller, OCR and fusion read a [Layout]. None of them knows an application by name.
//
// [ByName] gives the built-in ones: auto (any window with bubbles: nothing is known
// of it), line (LINE for desktop) and generic (green or blue own bubbles on the
// right, white or grey incoming ones on the left).
// [Parse] reads a custom layout from YAML, and [Calibrate] proposes one from a
// screenshot. Colour rules are in colour.go, rectangles in box.go.
//
// # Writing a layout
//
// Start from line.yaml in this folder, or from what calibration prints, and change what
// differs. The README says what each field is. Lengths are logical pixels: one pixel of a
// capture at scale 1, two at scale 2.
//
// Rules of colours compare channels, because a display's colour profile changes their
// differences little.
package layout
