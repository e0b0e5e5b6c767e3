package attention_test

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/runtime/attention"
)

// Two snapshots are judged together: an open face alone could be asleep with
// open eyes, a key press alone could be a cat.
func ExampleClassify() {
	camera := []byte(`{"face_detected":true,"ear_average":0.31,"perclos_drowsy":false,"yawning":false,"head_pose":{"yaw":4,"pitch":-2}}`)
	usage := []byte(`{"active_app":"Code","idle_seconds":2}`)
	for _, pc := range [][]byte{usage, nil} {
		v, err := attention.Classify("default", camera, pc)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v.State, v.Confidence, v.Source)
	}
	// Output:
	// focused 0.9 rule
	// focused 0.5 fallback
}

// A record is judged in its own time; one empty picture is not yet an absence.
func ExampleReplay() {
	record := `{"at_ms":0,"camera":{"face_detected":true}}
{"at_ms":10000,"camera":{"face_detected":false}}
{"at_ms":20000,"camera":{"face_detected":false}}`
	err := attention.Replay("default", strings.NewReader(record), func(l attention.Line) error {
		fmt.Println(l.AtMS, l.State, l.Steady)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0 focused focused
	// 10000 away focused
	// 20000 away away
	// <nil>
}
