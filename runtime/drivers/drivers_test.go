package drivers

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/private"
)

// closable is a driver of any kind that notes that it was closed.
type closable struct {
	hardware.Screen
	hardware.Typist
	hardware.Structure
	name   string
	closed *[]string
}

func (c closable) Close() error {
	*c.closed = append(*c.closed, c.name)
	return nil
}

var errNoWindow = errors.New("no such window")

// fakes is a set of drivers that note which of their windows were closed.
func fakes(closed *[]string) *Set {
	screen := func(w config.Window) (hardware.Screen, string, error) {
		if w.Name == "gone" {
			return nil, "", errNoWindow
		}
		return closable{name: "screen " + w.Name, closed: closed}, "ref " + w.Name, nil
	}
	return &Set{
		Screens: map[string]OpenScreen{"seen": screen, "typed": screen},
		Typists: map[string]Typist{"typed": {"fingers", func(w config.Window) (hardware.Typist, error) {
			return closable{name: "typist " + w.Name, closed: closed}, nil
		}}},
		Structures: map[string]OpenStructure{"tree": func(w config.Window) (hardware.Structure, string, error) {
			return closable{name: "tree " + w.Name, closed: closed}, "node " + w.Name, nil
		}},
		Recognizers: map[string]Recognizer{config.OCRDrawn: {}, "eyes": {}},
	}
}

func watching(windows ...config.Window) config.Config {
	cfg := config.Default()
	cfg.Node, cfg.OCR.Engine, cfg.Focus.Usage = "a", "eyes", config.UsageNone
	cfg.Windows = windows
	return cfg
}

func TestOpen(t *testing.T) {
	var closed []string
	o, err := fakes(&closed).Open(watching(config.Window{Name: "line", Driver: "typed", Structure: "tree"},
		config.Window{Name: "read", Driver: "seen"}))
	if err != nil {
		t.Fatal(err)
	}
	line, read := o.Windows["line@a"], o.Windows["read@a"]
	if line.Ref != "ref line" || line.Hands != "fingers" || !line.Typed() || line.Drawn() {
		t.Errorf("Open(typed) = %+v, want a window that fingers type into", line)
	}
	if read.Hands != "none" || read.Typed() || read.Typist != (hardware.NoTypist{}) {
		t.Errorf("Open(seen) = %+v, want a window that nobody types into", read)
	}
	if tree := o.Trees["line@a"]; tree.Ref != "node line" || len(o.Trees) != 1 {
		t.Errorf("Open() has the trees %+v, want that of line alone", o.Trees)
	}
	var typists []string
	for _, typist := range o.Typists {
		typists = append(typists, string(typist.Window)+" "+typist.Name)
	}
	if want := []string{"line@a fingers", "read@a none"}; !slices.Equal(typists, want) {
		t.Errorf("Open() has the typists %v, want %v", typists, want)
	}
	want := []string{"screen line", "typist line", "tree line", "screen read"}
	if err := errors.Join(o.Close(), o.Close()); err != nil || !slices.Equal(closed, want) {
		t.Errorf("Close() twice = %v and closed %v, want %v once", err, closed, want)
	}
}

// Where one window cannot be opened, the others are closed again.
func TestOpenFails(t *testing.T) {
	var closed []string
	_, err := fakes(&closed).Open(watching(config.Window{Name: "line", Driver: "typed"},
		config.Window{Name: "gone", Driver: "seen"}))
	if !errors.Is(err, errNoWindow) || !strings.Contains(err.Error(), "window gone") {
		t.Errorf("Open() = %v, want the error of the window gone", err)
	}
	if want := []string{"screen line", "typist line"}; !slices.Equal(closed, want) {
		t.Errorf("Open() closed %v, want %v", closed, want)
	}
	if _, err := fakes(&closed).Open(watching(config.Window{Name: "line", Driver: "sene"})); err == nil ||
		!strings.Contains(err.Error(), "sene") {
		t.Errorf("Open(a driver that there is not) = %v, want its name", err)
	}
}

// Two runs would write over each other's journal of a drawn window.
func TestDrawnWindowIsHeld(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.Node = t.TempDir(), "a"
	if len(cfg.Windows) != 1 || cfg.Windows[0].Driver != "drawn" {
		t.Fatalf("the default windows are %+v, want one that is drawn", cfg.Windows)
	}
	open := func() (*Opened, error) {
		set := Builtin(cfg)
		return set.Open(cfg)
	}
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if w := first.Windows[cfg.Windows[0].ID("a")]; !w.Drawn() || !w.Typed() {
		t.Errorf("Open() = %+v, want a drawn window that is typed into", w)
	}
	if _, err := open(); !errors.Is(err, private.ErrHeld) {
		t.Errorf("Open() of a window that is open = %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := open()
	if err != nil {
		t.Fatalf("Open() after Close = %v, want the window free", err)
	}
	defer again.Close()
	journal := filepath.Join(cfg.Data, "windows", cfg.Windows[0].Name+".jsonl")
	if info, err := os.Stat(journal); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the journal is %v, %v, want a file of this user's alone", info, err)
	}
}

// How OCR is read depends on the isolation that is asked for and on what the program can.
func TestOCR(t *testing.T) {
	var closed []string
	window := config.Window{Name: "line", Driver: "seen"}
	command := func(string) *exec.Cmd { return exec.Command("true") }
	open := func() (hardware.Recognizer, error) { return nil, errNoWindow }
	for _, c := range []struct {
		name, engine   string
		isolation      ocr.Isolation
		command        func(string) *exec.Cmd
		here, isolated bool // that the first, the second is there
		wrong          string
	}{
		{"drawn", config.OCRDrawn, config.IsolationProcess, command, false, false, "knows only windows"},
		{"drawn here", config.OCRDrawn, config.IsolationInProcess, command, true, false, ""},
		{"no command", "eyes", config.IsolationProcess, nil, false, false, "call runtime.OCRProcess"},
		{"here alone", "eyes", config.IsolationInProcess, nil, true, false, ""},
		{"here, and there after a hang", "eyes", config.IsolationInProcess, command, true, true, ""},
		{"there", "eyes", config.IsolationProcess, command, true, false, ""},
		{"there if it can", "eyes", config.IsolationAuto, command, true, false, ""},
		{"else here", "eyes", config.IsolationAuto, nil, true, false, ""},
		{"drawn never there", config.OCRDrawn, config.IsolationAuto, command, true, false, ""},
	} {
		set := fakes(&closed)
		set.Recognizers[c.engine], set.OCRCommand = Recognizer{Open: open}, c.command
		cfg := watching(window)
		cfg.OCR.Engine, cfg.OCR.Isolation = c.engine, c.isolation
		here, isolated, err := set.OCR(cfg)
		if (here != nil) != c.here || (isolated != nil) != c.isolated || (err != nil) != (c.wrong != "") {
			t.Errorf("%s: OCR() = %v, %v, %v, want one %v, another %v, error %q", c.name, here != nil, isolated != nil,
				err, c.here, c.isolated, c.wrong)
		}
		if err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: OCR() = %v, want %q", c.name, err, c.wrong)
		}
		if here != nil {
			_, err := here()
			if inProcess := errors.Is(err, errNoWindow); inProcess == strings.HasPrefix(c.name, "there") {
				t.Errorf("%s: the first engine is one of this process: %v", c.name, inProcess)
			}
		}
	}
}

// A host's own process that reads text gets no keys.
func TestOCRCommandHasNoKeys(t *testing.T) {
	t.Setenv("TEST_STORE_KEY", "value-of-a-key")
	t.Setenv("TEST_LLM_KEY", "value-of-a-key")
	t.Setenv("TEST_EMBEDDING_KEY", "value-of-a-key")
	t.Setenv("TEST_OTHER", "1")
	set := &Set{OCRCommand: func(string) *exec.Cmd { return exec.Command("true") }}
	cfg := config.Default()
	cfg.Encryption.KeyEnv, cfg.LLM.KeyEnv = "TEST_STORE_KEY", "TEST_LLM_KEY"
	cfg.Memory.Embedding.KeyEnv = "TEST_EMBEDDING_KEY"
	env := set.ocrCommand(cfg).Environ()
	if i := slices.IndexFunc(env, func(v string) bool { return strings.Contains(v, "value-of-a-key") }); i >= 0 {
		t.Errorf("the process gets %s, want no key", env[i])
	}
	if !slices.Contains(env, "TEST_OTHER=1") {
		t.Error("the process lacks what is no key")
	}
	set.OCRCommand = func(string) *exec.Cmd { return nil }
	if err := set.ocrCommand(cfg).Run(); err == nil {
		t.Error("Run() of a host's nil command = nil, want an error")
	}
}

func TestServeOCRRefuses(t *testing.T) {
	var closed []string
	for _, engine := range []string{config.OCRDrawn, "elsewhere"} {
		err := fakes(&closed).ServeOCR(engine, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "want eyes") || strings.Contains(err.Error(), "want drawn") {
			t.Errorf("ServeOCR(%s) = %v, want the engines that can", engine, err)
		}
	}
}

func TestProbeOCR(t *testing.T) {
	var closed []string
	set := fakes(&closed)
	set.Recognizers["eyes"] = Recognizer{Probe: func() error { return errNoWindow }}
	if err := set.ProbeOCR(watching(config.Window{Name: "line"})); !errors.Is(err, errNoWindow) {
		t.Errorf("ProbeOCR() = %v, want what is missing", err)
	}
	if err := set.ProbeOCR(watching()); err != nil {
		t.Errorf("ProbeOCR() = %v where no window is read, want nothing", err)
	}
	if cfg := watching(config.Window{Name: "line"}); !set.OCRHangs(cfg) {
		t.Error("OCRHangs() = false where no other process can read")
	}
}
