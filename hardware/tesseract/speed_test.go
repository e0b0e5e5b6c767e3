//go:build speed

package tesseract

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/ocrproc"
	"github.com/kehai-run/kehai/testkit/speed"
)

// childEnv makes the test binary a process that reads.
const childEnv = "KEHAI_TEST_TESSERACT"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	engine := func() (hardware.Recognizer, error) { return Open(Options{}) }
	if err := ocrproc.Serve(os.Stdin, os.Stdout, engine); err != nil {
		os.Exit(1)
	}
}

// TestSpeedOfAnotherProcess measures what it costs to have a bubble read in a process of its own.
func TestSpeedOfAnotherProcess(t *testing.T) {
	img := picture(t, 26, "明日の朝は早く起きます", "駅前の本屋で会いましょう")
	there := ocrproc.New(func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		return cmd
	})
	defer there.Close()
	read := func(r hardware.Recognizer) func() {
		return func() {
			lines, err := r.Recognize(context.Background(), img, hardware.Hint{Block: true})
			if err != nil || len(lines) != 2 {
				t.Errorf("Recognize() = %d lines, %v, want two", len(lines), err)
			}
		}
	}
	speed.Compare(t, speed.Row{Name: "read a bubble in another process", Ours: read(there), Peer: read(open(t)),
		Against: "in this one", Within: 1.1})
}
