package messages

import "time"

// DeskID names a place where one person sits: one camera, one computer. It is
// the key of the actors camera, pcusage, focus, focushistory and notifier, and
// bound to its node.
type DeskID string

// Point is a landmark in an image: x to the right, y down, in pixels or any
// other unit that is the same for both.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// FaceFrame is what a face tracker saw in one picture of the camera: 478 points
// of MediaPipe's face landmarker or 68 of OpenFace, none when there was no face.
type FaceFrame struct {
	Session string        // one run of one tracker; its times only grow
	At      time.Duration // by the tracker's own clock
	Points  []Point
}

// MessageType implements [Message].
func (FaceFrame) MessageType() Type { return Type{"face_frame", 1} }

// HeadPose is where a head points, in degrees; 0 and 0 face the screen.
type HeadPose struct {
	Yaw   Maybe[float64] `json:"yaw"`   // positive to the right of the picture
	Pitch Maybe[float64] `json:"pitch"` // positive down
}

// CameraSnapshot sums up what the camera saw of a person during the last minute. Values that
// could not be measured are missing.
type CameraSnapshot struct {
	FaceDetected         Maybe[bool]    `json:"face_detected"`           // now
	FaceNotDetectedRatio Maybe[float64] `json:"face_not_detected_ratio"` // of the minute, 0 to 1
	// eye aspect ratio of both eyes, about 0.3 when open
	EARAverage Maybe[float64] `json:"ear_average"`
	// of this person's open eyes, once that is known
	EAROpen            Maybe[float64] `json:"ear_open,omitzero"`
	Perclos            Maybe[float64] `json:"perclos"`        // share of the minute with closed eyes, 0 to 1
	PerclosDrowsy      Maybe[bool]    `json:"perclos_drowsy"` // whether that share means drowsiness
	Yawning            Maybe[bool]    `json:"yawning"`        // now or a moment ago
	HeadPose           HeadPose       `json:"head_pose"`
	GazeOffScreenRatio Maybe[float64] `json:"gaze_off_screen_ratio"` // of the minute, 0 to 1
	BlinksPerMinute    Maybe[float64] `json:"blinks_per_minute"`
	HeadMovementCount  Maybe[int]     `json:"head_movement_count"` // larger ones, in the minute
	ObservedAt         time.Time      `json:"observed_at"`
}

// MessageType implements [Message].
func (CameraSnapshot) MessageType() Type { return Type{"camera_snapshot", 1} }

// UsageSnapshot sums up how the computer was used during the last minute:
// counts and the name of an application, never what was typed or shown.
type UsageSnapshot struct {
	ActiveApp                Text           `json:"active_app"` // "" for none
	IdleSeconds              Maybe[float64] `json:"idle_seconds"`
	IsIdle                   Maybe[bool]    `json:"is_idle"`              // no input for more than a minute
	KeyboardRateWindow       Maybe[float64] `json:"keyboard_rate_window"` // key presses in the minute
	MouseRateWindow          Maybe[float64] `json:"mouse_rate_window"`    // mouse events in the minute
	AppSwitchesInWindow      Maybe[int]     `json:"app_switches_in_window"`
	UniqueAppsInWindow       Maybe[int]     `json:"unique_apps_in_window"`
	SecondsSinceLastKeyboard Maybe[float64] `json:"seconds_since_last_keyboard"` // missing while there was none
	ObservedAt               time.Time      `json:"observed_at"`
}

// MessageType implements [Message].
func (UsageSnapshot) MessageType() Type { return Type{"usage_snapshot", 1} }

// KeyRecency refreshes when the last key was pressed between two
// [UsageSnapshot]s.
type KeyRecency struct {
	LastKey time.Time
}

// MessageType implements [Message].
func (KeyRecency) MessageType() Type { return Type{"key_recency", 1} }

// CameraDue is a camera's own timer.
type CameraDue struct{}

// MessageType implements [Message].
func (CameraDue) MessageType() Type { return Type{"camera_due", 1} }

// ForgetEyes has a camera learn anew what is usual for a person.
type ForgetEyes struct {
	Person string `json:"person,omitempty"` // as the configuration names whoever sits there; "" for no name
}

// MessageType implements [Message].
func (ForgetEyes) MessageType() Type { return Type{"forget_eyes", 1} }

// UsageDue is the own timer of an actor of kind pcusage.
type UsageDue struct{}

// MessageType implements [Message].
func (UsageDue) MessageType() Type { return Type{"usage_due", 1} }

// ReadUsage asks a usage worker how the computer is used now.
type ReadUsage struct{}

// MessageType implements [Message].
func (ReadUsage) MessageType() Type { return Type{"read_usage", 1} }

// UsageRead is the usage worker's answer: running counts, no contents and no titles. Values
// that the system does not report are missing.
type UsageRead struct {
	App      Text                 // "" for none
	Idle     Maybe[time.Duration] // since the last input of any kind
	Keys     Maybe[uint64]        // key presses since the driver was opened
	Mouse    Maybe[uint64]        // mouse events since then
	SinceKey Maybe[time.Duration] // since the last key press
}

// MessageType implements [Message].
func (UsageRead) MessageType() Type { return Type{"usage_read", 1} }

// Attention is what a person at a desk is doing, as far as one can tell.
type Attention string

// States of attention.
const (
	Focused    Attention = "focused"
	Drowsy     Attention = "drowsy"
	Distracted Attention = "distracted"
	Away       Attention = "away"
	Idle       Attention = "idle"
	Unknown    Attention = "unknown" // nothing to judge by
)

// FocusSource says who judged.
type FocusSource string

// Sources of a judgement.
const (
	FromRule     FocusSource = "rule"
	FromLLM      FocusSource = "llm"
	FromFallback FocusSource = "fallback" // no rule applied, and no valid answer of a language model came
)

// FocusState is one judgement.
type FocusState struct {
	State      Attention   `json:"state"`
	Confidence float64     `json:"confidence"` // 0 to 1
	Reasoning  Text        `json:"reasoning"`
	Source     FocusSource `json:"source"`
	At         time.Time   `json:"at"`
	// Both halves are judged together, so these are always empty. They are kept
	// for readers of an older interface.
	CameraState string `json:"camera_state"`
	PCState     string `json:"pc_state"`
}

// FocusDue is the classifier's own timer.
type FocusDue struct{}

// MessageType implements [Message].
func (FocusDue) MessageType() Type { return Type{"focus_due", 1} }

// FocusJudged reports one judgement as it was made, and the state reported after noise
// was filtered out.
type FocusJudged struct {
	Desk   DeskID     `json:"desk"`
	Raw    FocusState `json:"raw"`
	Steady FocusState `json:"steady"`
	Answer Text       `json:"answer,omitempty"` // of the language model, word for word, if it was asked
}

// MessageType implements [Message].
func (FocusJudged) MessageType() Type { return Type{"focus_judged", 1} }

// FocusChanged says that the reported state has changed. To.At is when.
type FocusChanged struct {
	Desk DeskID     `json:"desk"`
	From Attention  `json:"from"`
	To   FocusState `json:"to"`
}

// MessageType implements [Message].
func (FocusChanged) MessageType() Type { return Type{"focus_changed", 1} }

// AskFocus asks an actor of kind focus for the reported state of its desk: is somebody
// there, and busy? The answer goes to the sender. Both are fleeting, and where attention
// is off no answer comes, so the sender must be able to go on without one.
type AskFocus struct {
	Key string `json:"key"` // given back in the answer; never private
}

// MessageType implements [Message].
func (AskFocus) MessageType() Type { return Type{"ask_focus", 1} }

// FocusAnswer answers [AskFocus].
type FocusAnswer struct {
	Key    string     `json:"key"`
	Desk   DeskID     `json:"desk"`
	Steady FocusState `json:"steady"` // its newest judgement; At is when that was
	Since  time.Time  `json:"since"`  // when the state began; zero before the first judgement
	Paused bool       `json:"paused"` // by the person: then the state is unknown
}

// MessageType implements [Message].
func (FocusAnswer) MessageType() Type { return Type{"focus_answer", 1} }

// PauseFocus stops judging at a desk until [ResumeFocus]; the state is unknown meanwhile.
type PauseFocus struct{}

// MessageType implements [Message].
func (PauseFocus) MessageType() Type { return Type{"pause_focus", 1} }

// ResumeFocus ends a pause.
type ResumeFocus struct{}

// MessageType implements [Message].
func (ResumeFocus) MessageType() Type { return Type{"resume_focus", 1} }

// HistoryDue is a history's own timer.
type HistoryDue struct{}

// MessageType implements [Message].
func (HistoryDue) MessageType() Type { return Type{"history_due", 1} }

// NoticeDue is a notifier's own timer.
type NoticeDue struct{}

// MessageType implements [Message].
func (NoticeDue) MessageType() Type { return Type{"notice_due", 1} }

// PauseNotices keeps a notifier quiet.
type PauseNotices struct {
	Until time.Time `json:"until"` // zero: until [ResumeNotices]
}

// MessageType implements [Message].
func (PauseNotices) MessageType() Type { return Type{"pause_notices", 1} }

// ResumeNotices ends a pause.
type ResumeNotices struct{}

// MessageType implements [Message].
func (ResumeNotices) MessageType() Type { return Type{"resume_notices", 1} }

// FocusNotice tells a person that a state lasts.
type FocusNotice struct {
	ID    string    `json:"id"`
	Desk  DeskID    `json:"desk"`
	State Attention `json:"state"`
	Since time.Time `json:"since"`
	At    time.Time `json:"at"`
}

// MessageType implements [Message].
func (FocusNotice) MessageType() Type { return Type{"focus_notice", 1} }

// ShowNotice asks a notify worker to show a notice on the desktop.
type ShowNotice struct{ Notice FocusNotice }

// MessageType implements [Message].
func (ShowNotice) MessageType() Type { return Type{"show_notice", 1} }

// NoticeShown is the notify worker's answer.
type NoticeShown struct{ ID string }

// MessageType implements [Message].
func (NoticeShown) MessageType() Type { return Type{"notice_shown", 1} }
