// Package poller watches one window: it has it captured at an interval, and
// read when its pixels have changed. [New] makes the actor poller/WINDOW; [Hash]
// is what it compares, job.go says when it tries again.
//
//	PollDue ─► capture ─► FrameCaptured ─► Hash ─┬─ settled: nothing
//	                                             └─ else ─► ocr ─► FrameRead ─► fusion/WINDOW
//
// A frame counts as done only when fusion says FrameSettled: when everything in
// it is committed. Until then nothing is captured, so that whatever crashes, the
// window still shows what is not stored yet. A frame of which fusion cannot tell
// whose it is (FrameHeld) is read again, less and less often while it stays. The
// poller keeps nothing in the store; a crash costs one reading. While Kehai types
// into the window (Typing) polls are left out.
package poller
