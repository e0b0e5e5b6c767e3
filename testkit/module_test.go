package testkit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFromAnotherModule builds a host of its own module and runs its tests,
// without network: what a host imports must be enough, and must not be internal.
func TestFromAnotherModule(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// The same requirements as ours, so that the sums serve and nothing is looked up.
	_, requires, _ := strings.Cut(string(ours), "\nrequire")
	mod := "module example.com/host\n\ngo 1.26.0\n\nrequire github.com/kehai-run/kehai v0.0.0\n\nreplace " +
		"github.com/kehai-run/kehai => " +
		root + "\n\nrequire" + requires
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte(mod))
	write("go.sum", sums)
	host, err := os.ReadFile("testdata/host_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write("host_test.go", host)
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test in another module: %v\n%s", err, out)
	}
}
