//go:build speed

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeedAtRest is what a real kehai takes of one core while a window of
// 1280×800 that it looks at once a second shows nothing new.
func TestSpeedAtRest(t *testing.T) {
	const first, rest = 2 * time.Second, 10 * time.Second
	gauge := watched(t, restingRun(t), 1)
	<-time.After(first) // for what the message has left behind
	began, busy := time.Now(), gauge("process_cpu_seconds_total")
	<-time.After(rest)
	busy = gauge("process_cpu_seconds_total") - busy
	wall := time.Since(began).Seconds()
	speed.Report(t, speed.Figure{
		Name: "at rest, 1280×800 once a second",
		Ours: speed.Took(busy * 1e9), Limit: "one core " + speed.Took(wall*1e9),
		Ratio: busy / wall, Aim: 0.02, Percent: true,
	})
}

func restingRun(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.jsonl": `{"at_ms":0,"who":"friend","text":"Hello","conversation":"Hana"}` + "\n",
		"kehai.yaml": `
windows:
  - name: line
    driver: drawn
    size: [1280, 800]
    script: one.jsonl
web:
  enabled: true
  addr: 127.0.0.1:0
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "run", "--json",
		"--config", filepath.Join(dir, "kehai.yaml"), "--data", filepath.Join(dir, "data"))
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=0", childEnv)) // nothing fails
	return cmd
}
