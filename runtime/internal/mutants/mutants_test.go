//go:build mutants

package mutants

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

const root = "../../.." // of the repository

// mutant is a fault: in a file, old stands once and is replaced by new.
type mutant struct {
	what     string
	file     string
	old, new string
	by       string // tests that are known to see it, as for -run; "": any of its package
	survives string // why no test can see it; "": one must
}

// packages are where a fault of a file may be seen, the likeliest first.
func (m mutant) packages() []string {
	own := "./" + filepath.Dir(m.file)
	switch own {
	case "./runtime/engine":
		return []string{own, "./runtime/engine/live", "./runtime/follow", "./runtime/bare"}
	case "./runtime/admin", "./runtime/web": // which need a runtime
		return []string{own, "./runtime"}
	case "./runtime/maintenance", "./runtime/follow": // which need a store in files, and keys
		return []string{own, "./runtime/bare"}
	}
	return []string{own}
}

// limits says how long the tests of a package may take with a fault, which may make them hang: slack times as
// long as without one, and at least the floor. On a busy machine they must not seem to hang.
type limits map[string]time.Duration

const (
	limitSlack = 4
	limitFloor = 3 * time.Minute
	noLimit    = 20 * time.Minute // without a fault
)

func (l limits) of(pkg string) time.Duration { return max(limitFloor, limitSlack*l[pkg]) }

// TestMutants runs the table. KEHAI_MUTANT=PATTERN runs those whose words match.
func TestMutants(t *testing.T) {
	chosen, err := regexp.Compile(os.Getenv("KEHAI_MUTANT"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := unchanged(t, chosen)
	table := tabwriter.NewWriter(t.Output(), 0, 8, 2, ' ', 0)
	seen, survivors := 0, []string(nil)
	for n, m := range mutants {
		if !chosen.MatchString(m.what) {
			continue
		}
		by, err := m.run(t, allowed)
		switch {
		case err != nil:
			t.Errorf("mutant %d, %s: %v", n+1, m.what, err)
		case by != "":
			seen++
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", n+1, m.file, m.what, by)
		default:
			fmt.Fprintf(table, "%d\t%s\t%s\tSURVIVED\n", n+1, m.file, m.what)
			survivors = append(survivors, fmt.Sprintf("%d, %s: %s", n+1, m.what, cmp.Or(m.survives, "no test sees it")))
			if m.survives == "" {
				t.Errorf("mutant %d, %s: no test sees it: write one, or say why there can be none", n+1, m.what)
			}
		}
		if by != "" && m.survives != "" {
			t.Errorf("mutant %d, %s: %s sees it: take out why it survives", n+1, m.what, by)
		}
		table.Flush()
	}
	fmt.Fprintf(t.Output(), "%d mutants were seen, %d survived\n%s\n", seen, len(survivors),
		strings.Join(survivors, "\n"))
}

// unchanged fails the test if a package's own tests fail without a fault: they would
// seem to see every one.
func unchanged(t *testing.T, chosen *regexp.Regexp) limits {
	none := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(none, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := limits{}
	for _, m := range mutants {
		for _, pkg := range m.packages() {
			if taken[pkg] > 0 || !chosen.MatchString(m.what) {
				continue
			}
			began := time.Now()
			if by, err := tests(t.Context(), none, pkg, ".", noLimit); by != "" || err != nil {
				t.Fatalf("%s fails without a mutant (%s, error %v): mend it first", pkg, by, err)
			}
			taken[pkg] = time.Since(began)
		}
	}
	if len(taken) == 0 {
		t.Fatalf("no mutant's words match %q", chosen)
	}
	return taken
}

// run returns which tests see a mutant, "" for none.
func (m mutant) run(t *testing.T, allowed limits) (by string, err error) {
	overlay, err := m.overlay(t.TempDir())
	if err != nil {
		return "", err
	}
	for _, pkg := range m.packages() {
		if m.by == "" {
			break
		}
		if by, err = tests(t.Context(), overlay, pkg, m.by, allowed.of(pkg)); by != "" || err != nil {
			return by, err
		}
	}
	for _, pkg := range m.packages() {
		if by, err = tests(t.Context(), overlay, pkg, ".", allowed.of(pkg)); by != "" || err != nil {
			break
		}
	}
	if by != "" && m.by != "" {
		by += fmt.Sprintf(" (not %s)", m.by)
	}
	return by, err
}

// overlay writes the changed file, and what the Go command wants to know of it.
func (m mutant) overlay(dir string) (path string, err error) {
	original, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("no longer applies: its text stands %d times in %s: write it anew, or take it out", n,
			m.file)
	}
	changed := filepath.Join(dir, "changed.go")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, errors.Join(
		os.WriteFile(changed, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600),
		os.WriteFile(path, list, 0o600))
}

var (
	failed  = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	hung    = regexp.MustCompile(`panic: test timed out after \S+\n\s+running tests:\n\s+(\w+)`)
	crashed = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*)$`)
	within  = regexp.MustCompile(`\.(Test\w+)\(`)
)

// tests runs the tests of a package under an overlay, and returns which failed.
func tests(ctx context.Context, overlay, pkg, run string, limit time.Duration) (by string, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-short", "-failfast", "-vet=off", "-overlay", overlay,
		"-timeout", limit.String(), "-run", run, pkg)
	cmd.Dir = root
	// Enough for what the simulation is known to see.
	cmd.Env = append(os.Environ(), "KEHAI_SCHEDULES="+cmp.Or(os.Getenv("KEHAI_SCHEDULES"), "3000"))
	output, err := cmd.CombinedOutput()
	out := string(output)
	if err == nil {
		return "", nil
	}
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") {
		return "", fmt.Errorf("does not compile:\n%s", out)
	}
	var names []string
	for _, f := range failed.FindAllStringSubmatch(out, -1) {
		names = append(names, f[1])
	}
	if h := hung.FindStringSubmatch(out); h != nil {
		names = append(names, h[1]+" (hangs)")
	} else if crashed.MatchString(out) && len(names) == 0 {
		name := "a test"
		if in := within.FindStringSubmatch(out); in != nil {
			name = in[1]
		}
		names = append(names, name+" (panics)")
	}
	if names == nil {
		return "", fmt.Errorf("go test %s: %w\n%s", pkg, err, out)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", "), nil
}

// TestMutantsApply says at once which mutants no longer apply.
func TestMutantsApply(t *testing.T) {
	for n, m := range mutants {
		if _, err := m.overlay(t.TempDir()); err != nil {
			t.Errorf("mutant %d, %s: %v", n+1, m.what, err)
		}
	}
}
