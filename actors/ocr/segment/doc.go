// Package segment finds what stands where in a captured chat window: its pane,
// the title, the bubbles and the pictures, and the text that no bubble holds.
// It looks at pixels alone and never reads a word.
//
// [Open] cuts the pane out of a capture; everything else is a method of [Pane].
// [Pane.Find] finds the bubbles (background.go, runs.go, segment.go, names.go,
// marks.go) and counts the blocks of text outside of them (bare.go),
// [Pane.Mask] whitens what is one's own (mask.go), and prepare.go makes a
// picture that an engine can read, without the emoji that emoji.go finds. [Quiet] says where a change is no news, and
// [Overlay] draws what was found for a person to look at.
//
// For a layout that says `find: auto` nothing is known of places and colours: auto.go
// and edges.go find the pane, the header and the input by straight edges, highlight.go
// paints over the band under the pointer, flat.go and blocks.go the bubbles by regions of
// one colour, rows.go messages without bubbles, unfilled.go one's own where they alone
// have none, and sides.go weighs whose they are; learn.go keeps what frames teach.
//
// All rectangles are in pixels of the pane, with the origin at its top left
// pixel. [Pane.At] is where that stands in the capture. Lengths in a layout are
// logical pixels.
package segment
