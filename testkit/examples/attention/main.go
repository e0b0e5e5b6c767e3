// Command attention judges what a person at a desk does: a moment by itself, and a record of
// moments in its own time; of the record it prints only the changes.
package main

import (
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/attention"
)

// record is three minutes of a desk, a line every ten seconds: what a face tracker
// and the desktop saw. In the second minute nobody is there.
func record() string {
	var b strings.Builder
	for at := 0; at <= 180; at += 10 {
		there, idle := true, 1
		if at >= 60 && at < 120 {
			there, idle = false, at-60
		}
		fmt.Fprintf(&b, `{"at_ms":%d,"camera":{"face_detected":%t},"pc":{"active_app":"Code","idle_seconds":%d}}`+"\n",
			1000*at, there, idle)
	}
	return b.String()
}

func main() {
	camera := []byte(`{"face_detected":true,"ear_average":0.31,"perclos_drowsy":false,"yawning":false,
		"head_pose":{"yaw":4,"pitch":-2}}`)
	usage := []byte(`{"active_app":"Code","idle_seconds":2}`)
	verdict, err := attention.Classify("default", camera, usage)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("now %s, as the %s says with confidence %.1f\n", verdict.State, verdict.Source, verdict.Confidence)

	err = attention.Replay("default", strings.NewReader(record()), func(l attention.Line) error {
		if t := l.Transition; t != nil {
			fmt.Printf("%v: %s, was %s\n", time.Duration(l.AtMS)*time.Millisecond, t.To, t.From)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
