// Package poller watches one window. It has the window captured at an interval,
// and read when its pixels have changed. [New] makes the actor poller/WINDOW. It
// compares frames by their [Hash]; job.go says when a frame is tried again.
//
//	PollDue ─► capture ─► FrameCaptured ─► Hash ─┬─ settled: nothing
//	                                             └─ else ─► ocr ─► FrameRead ─► fusion/WINDOW
//
// A frame is done only when fusion says FrameSettled: then everything in it is
// committed. Until then nothing is captured. Whatever crashes, the window still
// shows what is not stored yet. A frame that fusion cannot settle (FrameHeld) is
// read again, less and less often while it stays. While Kehai types into the window
// (Typing), polls are skipped.
//
// Table: "looks" with one row, what settled frames have taught about the looks of the
// window: a few colours, and where clock times stand. A crash costs one reading.
package poller
