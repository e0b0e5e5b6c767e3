package attention

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// SystemPrompt is the language model's system prompt.
//
//go:embed system.txt
var SystemPrompt string

// unavailable replaces a half without data.
const unavailable = "(unavailable)"

// Prompt describes a look. A language model gets to see the fields named here
// and no others.
func Prompt(l Look) messages.Text {
	camera, usage := unavailable, unavailable
	if c := l.Camera; c != nil {
		var pose, o object
		pose.number("yaw", c.HeadPose.Yaw)
		pose.number("pitch", c.HeadPose.Pitch)
		o.truth("face_detected", c.FaceDetected)
		o.number("face_not_detected_ratio", c.FaceNotDetectedRatio)
		o.number("ear_average", c.EARAverage)
		o.number("ear_open", c.EAROpen)
		o.number("perclos", c.Perclos)
		o.truth("perclos_drowsy", c.PerclosDrowsy)
		o.truth("yawning", c.Yawning)
		if len(pose) > 0 {
			o.put("head_pose", pose.String())
		}
		o.number("gaze_off_screen_ratio", c.GazeOffScreenRatio)
		o.number("blinks_per_minute", c.BlinksPerMinute)
		o.count("head_movement_count", c.HeadMovementCount)
		camera = o.String()
	}
	if u := l.Usage; u != nil {
		var o object
		if app := appName(u.ActiveApp); app != "" {
			o.put("active_app", strconv.Quote(app))
		}
		o.number("idle_seconds", u.IdleSeconds)
		o.truth("is_idle", u.IsIdle)
		o.number("keyboard_rate_window", u.KeyboardRateWindow)
		o.number("mouse_rate_window", u.MouseRateWindow)
		o.count("app_switches_in_window", u.AppSwitchesInWindow)
		o.count("unique_apps_in_window", u.UniqueAppsInWindow)
		o.number("seconds_since_last_keyboard", u.SecondsSinceLastKeyboard)
		usage = o.String()
	}
	return messages.Text("Judge the person's state from both sources.\n\nFace:\n" + camera +
		"\n\nComputer:\n" + usage + "\n\nAnswer with one JSON object and nothing else.")
}

// object builds a JSON object; its fields keep the order in which they were put.
type object []string

func (o *object) put(name, value string) { *o = append(*o, strconv.Quote(name)+":"+value) }

// number rounds to two decimals: more would make equal cases look different.
func (o *object) number(name string, m messages.Maybe[float64]) {
	if m.Known && !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) {
		o.put(name, strconv.FormatFloat(math.Round(m.Value*100)/100+0, 'f', -1, 64))
	}
}

func (o *object) truth(name string, m messages.Maybe[bool]) {
	if m.Known {
		o.put(name, strconv.FormatBool(m.Value))
	}
}

func (o *object) count(name string, m messages.Maybe[int]) {
	if m.Known {
		o.put(name, strconv.Itoa(m.Value))
	}
}

func (o object) String() string { return "{" + strings.Join(o, ",") + "}" }

// maxApp is the longest application name that is passed on, in runes.
const maxApp = 40

// appName reduces an application's name to what can safely go into a prompt: no
// characters that could act as an instruction or a quotation, no address, no long
// number. A program may call itself anything, even by its user's e-mail address.
func appName(t messages.Text) string {
	var b strings.Builder
	runes := 0
	for _, r := range string(t) {
		switch {
		case r == '@':
			return ""
		case runes == maxApp:
			return maskNumber(strings.TrimSpace(b.String()))
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(" .-_+&#", r):
			b.WriteRune(r)
			runes++
		}
	}
	return maskNumber(strings.TrimSpace(b.String()))
}

// maskNumber blanks a name with seven digits or more: that is a telephone or
// account number, not a version.
func maskNumber(name string) string {
	digits := 0
	for _, r := range name {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits >= 7 {
		return ""
	}
	return name
}
