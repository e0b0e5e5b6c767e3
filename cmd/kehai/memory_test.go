package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkMemory runs a whole kehai on the drawn window with Tesseract and
// reports what it takes once it has delivered messages: resident memory, OCR's
// C library included, and the Go heap in use. Aims: 200 MB and 40 MB.
func BenchmarkMemory(b *testing.B) {
	kehai := filepath.Join(b.TempDir(), "kehai")
	if out, err := exec.Command("go", "build", "-o", kehai, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	for b.Loop() {
		rss, heap := memoryOfARun(b, kehai)
		b.ReportMetric(rss/1e6, "RSS-MB")
		b.ReportMetric(heap/1e6, "heap-MB")
	}
	b.ReportMetric(0, "ns/op")
}

func memoryOfARun(b *testing.B, kehai string) (rss, heap float64) {
	b.Helper()
	cmd := exec.Command(kehai, "run", "--json", "--speed", "5", "--data", b.TempDir())
	cmd.Env = append(os.Environ(), "KEHAI_WEB_ADDR=127.0.0.1:0")
	gauge := watched(b, cmd, 5)
	return gauge("process_resident_memory_bytes"), gauge("go_memstats_heap_inuse_bytes")
}

// watched starts a kehai run --json whose last argument is its data, waits for so many
// messages, and returns what reads its figures. It is killed at the end of the test.
func watched(tb testing.TB, cmd *exec.Cmd, messages int) func(name string) float64 {
	tb.Helper()
	page := ""
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for lines := bufio.NewScanner(stderr); page == "" && lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "Live page: "); ok {
			page, _, _ = strings.Cut(url, "/ ")
		}
	}
	out := bufio.NewScanner(stdout)
	for range messages {
		if !out.Scan() {
			tb.Fatalf("kehai ended after too few messages: %v", out.Err())
		}
	}
	file := filepath.Join(tb.TempDir(), "meter.key")
	meter := exec.Command(cmd.Path, "page", "--meter", file, "--data", cmd.Args[len(cmd.Args)-1])
	meter.Env = cmd.Env
	if out, err := meter.CombinedOutput(); err != nil {
		tb.Fatalf("kehai page --meter: %v\n%s", err, out)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return func(name string) float64 { return gauge(tb, page, strings.TrimSpace(string(key)), name) }
}

// gauge reads a figure of a running kehai.
func gauge(tb testing.TB, page, key, name string) float64 {
	tb.Helper()
	ask, err := http.NewRequest(http.MethodGet, page+"/metrics", nil)
	if err != nil {
		tb.Fatal(err)
	}
	ask.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(ask)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	m := regexp.MustCompile(fmt.Sprintf(`(?m)^%s (\S+)$`, name)).FindSubmatch(text)
	if m == nil {
		tb.Fatalf("no %s in the metrics", name)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
