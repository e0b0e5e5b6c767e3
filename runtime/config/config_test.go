package config

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// exampleDefault is the default configuration of a made-up Linux machine.
func exampleDefault() Config {
	return defaultConfig("linux", "/home/hana", "mac-a.local", func(string) string { return "" })
}

// same compares values, not where they are from.
func same(a, b Config) bool {
	a.origins, b.origins = nil, nil
	return reflect.DeepEqual(a, b)
}

func written(t *testing.T, c Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatalf("Write() = %v, want nil", err)
	}
	return b.String()
}

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := parseFile("kehai.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse(%q) = %v, want nil", text, err)
	}
	return c
}

func TestDefaultIsValid(t *testing.T) {
	c := exampleDefault()
	if err := c.Validate(); err != nil {
		t.Errorf("Validate(defaults) = %v, want nil", err)
	}
	if mac := defaultConfig("darwin", "/Users/hana", "mac-a", os.Getenv); mac.OCR.Engine != OCRVision {
		t.Errorf("the engine of a Mac = %s, want its own", mac.OCR.Engine)
	}
	real := Default()
	if err := real.Validate(); err != nil {
		t.Errorf("Default().Validate() = %v, want nil", err)
	}
	if err := (&Config{}).Validate(); !errors.Is(err, ErrConfig) {
		t.Errorf("Config{}.Validate() = %v, want %v", err, ErrConfig)
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// The golden file is the example for people; -update rewrites it.
func TestWriteDefaultGolden(t *testing.T) {
	var b bytes.Buffer
	c := exampleDefault()
	if err := c.write(&b, c); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "default.yaml")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("Write(defaults) = %s\nwant the text of %s; -update rewrites it", b.String(), path)
	}
	back, err := parseFile(path, want)
	if err != nil || !same(back, c) {
		t.Errorf("Parse(%s) = %+v, %v, want %+v", path, back, err, c)
	}
}

// every is a configuration in which each field differs from its default.
//
//go:embed testdata/every.yaml
var every string

func TestParseSetsEveryField(t *testing.T) {
	c, standard := parse(t, every), Default()
	usual := map[string]string{}
	for _, f := range standard.tree().Values() {
		usual[f.Key] = f.Text()
	}
	for _, f := range c.tree().Values() {
		if strings.HasPrefix(f.Key, "windows.1") || f.Key == "windows.0.layout" || f.Key == "encryption.key_file" ||
			f.Key == "llm.key_file" || f.Key == "memory.embedding.key_file" || f.Key == "windows.0.script" {
			continue // a second window, and what cannot differ here
		}
		if f.Text() == usual[f.Key] {
			t.Errorf("Parse(every).%s = %s, want another value than the default", f.Key, f.Text())
		}
	}
	if got, want := c.Store.MinFree, text.Size(3<<29); got != want {
		t.Errorf("min_free = %d, want %d", got, want)
	}
	if got, want := c.OCR.Timeout, 90*time.Second; got != want {
		t.Errorf("timeout = %v, want %v", got, want)
	}
	if got, want := c.Windows[0].Ref, `0x2a:"\ '花 #`; got != want {
		t.Errorf("ref = %q, want %q", got, want)
	}
	if got, want := c.Windows[1], (Window{Name: "yes-no", App: "line", Driver: "drawn",
		Script: "/srv/quiet.txt", Speed: 1, Scale: 1, Theme: "light", Size: [2]int{480, 720},
		Poll: time.Second, CatchUp: "read"}); got != want {
		t.Errorf("second window = %+v, want %+v", got, want)
	}
	if back := parse(t, written(t, c)); !same(back, c) {
		t.Errorf("Parse(Write(c)) = %+v, want %+v", back, c)
	}
}

func TestParseLeavesDefaults(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "web:\n",
		"\ufeff# mark\r\nweb:\r\n  enabled: false\r\n"} {
		if got, want := parse(t, text), Default(); !same(got, want) {
			t.Errorf("Parse(%q) = %+v, want the defaults", text, got)
		}
	}
	if got := parse(t, "windows: []").Windows; len(got) != 0 {
		t.Errorf("windows: [] = %v, want none", got)
	}
	c := parse(t, "windows: []")
	if back := parse(t, written(t, c)); !same(back, c) {
		t.Errorf("Parse(Write(no windows)) = %+v, want %+v", back, c)
	}
}

func TestParseErrors(t *testing.T) {
	const at = "runtime: bad configuration: kehai.yaml:"
	for _, c := range []struct{ in, want string }{
		{"durabilty: power", at + `1:1: unknown key "durabilty": did you mean durability?`},
		{"ocr:\n  wrokers: 3", at + `2:3: unknown key "ocr.wrokers": did you mean workers?`},
		{"first_sight: all", at + `1:1: unknown key "first_sight": did you mean dedup.first_sight?`},
		{"shutdown: {zzzzzzzz: 1}", at + `1:12: unknown key "shutdown.zzzzzzzz": known in shutdown are drain`},
		{"durability: powr", at + `1:13: durability: "powr": want process or power: did you mean power?`},
		{"ocr:\n  workers: 99", at + `2:12: ocr.workers: 99: want 1 to 16`},
		{"ocr:\n  workers: 1_0", at + `2:12: ocr.workers: "1_0": want a whole number from 1 to 16`},
		{"windows: [{name: a, speed: fast}]", at + `1:28: windows.0.speed: "fast": want a number from 0.001 to 1000`},
		{"windows: [{name: a, speed: NaN}]", at + `1:28: windows.0.speed: NaN: want 0.001 to 1000`},
		{"ocr: {timeout: 5}", at + `1:16: ocr.timeout: "5": want a duration such as 1.5s, 250ms or 720h`},
		{"store: {min_free: 3}", at + `1:19: store.min_free: "3": want a size such as 128MiB or 2GiB`},
		{"store: {min_free: 63MiB}", at + `1:19: store.min_free: 63MiB: want 64MiB to 1TiB`},
		{"web: {enabled: yes}", at + `1:16: web.enabled: "yes": want true or false`},
		{"web: {addr: " +
			"0.0.0.0:1}", at + `1:13: web.addr: "0.0.0.0:1": want a loopback address such as 127.0.0.1 or [::1], because the page shows private messages`},
		{"web: {addr: " +
			"':7411'}", at + `1:13: web.addr: ":7411": want a loopback address such as 127.0.0.1 or [::1], because the page shows private messages`},
		{"web: {addr: localhost:70000}", at + `1:13: web.addr: "localhost:70000": want a port from 0 to 65535`},
		{"node: " +
			"Mac", at + `1:7: node: "Mac": want 1 to 32 characters of a to z, 0 to 9 and -, neither first nor last a -`},
		{"data: ~", at + `1:7: data: has no value: give one, or leave the key out for the default`},
		{"data: [a]", at + `1:7: data: want one value, found a list`},
		{"data: ''", at + `1:7: data: want a folder (where this machine tells no home folder there is no default)`},
		{"data: \"a\\nb\"", at + `1:7: data: "a\nb": want one line of text without control characters`},
		{"burst:\n  quiet: 9s", at + `2:10: burst.quiet: 9s: want at most burst.cap, which is 7.5s`},
		{"burst:\n  cap: 1s", at + `2:8: burst.cap: 1s: want at least burst.quiet, which is 1.5s`},
		{"node: a\nnode: b", at + `2:1: node: set twice: keep one`},
		{"windows: {name: " +
			"x}", at + `1:10: windows: want a list, each entry beginning with - (or [] for none), found keys with values`},
		{"windows:\n  - app: " +
			"line", at + `2:5: windows.0.name: "": want 1 to 32 characters of a to z, 0 to 9 and -, neither first nor last a -`},
		{"windows:\n  - name: a\n  - name: a", at +
			`3:11: windows.1.name: "a": windows.0 has that name: give each window its own`},
		{"windows:\n  - name: a\n  - name: b\n    ref: a",
			at + `4:10: windows.1.ref: "a": windows.0 shows the same window: give each its own ref`},
		{"windows:\n  - name: a\n    size: [100, 500]", at + `3:11: windows.0.size: [100, 500]: want 200 to 4096`},
		{"windows:\n  - name: a\n    size: 500", at +
			`3:11: windows.0.size: "500": want width and height such as [480, 720]`},
		{"windows:\n  - name: a\n    driver: x11\n    script: s",
			at + `4:13: windows.0.script: only a drawn window can play one: leave it out or set driver: drawn`},
		{"windows: [" + strings.Repeat("{name: a}, ", 17) + "]", ""},
		{"- a", at + `1:1: want keys with values below it, found a list`},
		{"log: &a {level: " +
			"info}", at + `1:6: log: want keys with values below it, found an anchor, alias or tag, which have no use here`},
		{"log: {}\n---\nlog: {}", at + `3:4: a second document: want one`},
		{"web:\n\tenabled: true", at + `2:1: not readable as YAML: a tab where none may be: indent with spaces`},
		{"node: \"open", at + `1:7: not readable as YAML: could not find end character of double-quoted text`},
		{"# ok\nnode: a\xff", at + `2:8: not UTF-8: save the file as UTF-8`},
		{"log: " + strings.Repeat("[", 40), at + "1:1: nested too deep: this is not a configuration of Kehai"},
		{strings.Repeat("#", yamlfile.MaxSize+1), at[:len(at)-1] + `: longer than 64 KiB: this is not a configuration of Kehai`},
	} {
		got, err := parseFile("kehai.yaml", []byte(c.in))
		if !errors.Is(err, ErrConfig) || !same(got, Config{}) {
			t.Errorf("Parse(%.60q) = %v, %v, want no configuration and %v", c.in, got, err, ErrConfig)
		} else if err.Error() != c.want && c.want != "" {
			t.Errorf("Parse(%.60q) = %v, want %s", c.in, err, c.want)
		}
	}
}

func TestErrorsComeTogetherInOrder(t *testing.T) {
	_, err := parseFile("k.yaml", []byte("ocr:\n  workers: 0\nlog:\n  level: loud\nnod: a\n"))
	want := `runtime: bad configuration:
  k.yaml:2:12: ocr.workers: 0: want 1 to 16
  k.yaml:4:10: log.level: "loud": want debug, info, warn or error
  k.yaml:5:1: unknown key "nod": did you mean node?`
	if err == nil || err.Error() != want {
		t.Errorf("Parse() = %v, want %s", err, want)
	}
}

func TestPaths(t *testing.T) {
	t.Setenv("HOME", "/home/hana")
	dir := t.TempDir()
	file := filepath.Join(dir, "kehai.yaml")
	if err := os.WriteFile(file, []byte("data: ~/chat\nwindows:\n  - name: a\n    script: s/quiet.txt\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file)
	if err != nil {
		t.Fatalf("Load(%s) = %v, want nil", file, err)
	}
	if got, want := c.Data, "/home/hana/chat"; got != want {
		t.Errorf("data = %q, want %q", got, want)
	}
	if got, want := c.Windows[0].Script, filepath.Join(dir, "s", "quiet.txt"); got != want {
		t.Errorf("script = %q, want %q", got, want)
	}
	if text := written(t, c); !strings.Contains(text, "chat  # file "+file+":1:7\n") {
		t.Errorf("Write() = %s, want the place of data", text)
	}
	if _, err := Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, ErrConfig) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load(none.yaml) = %v, want %v and %v", err, ErrConfig, fs.ErrNotExist)
	}
	if c, err := Load(""); err != nil || !same(c, Default()) {
		t.Errorf(`Load("") = %+v, %v, want the defaults`, c, err)
	}
}

func TestSourcesInOrder(t *testing.T) {
	c := parse(t, "ocr: {workers: 3, cache: 7, retries: 2}\n")
	if err := c.ApplyEnv([]string{"KEHAI_OCR_CACHE=8", "KEHAI_OCR_RETRIES=3", "KEHAI_WINDOWS_0_SIZE=800x600",
		"KEHAI_NODE=", "PATH=/bin", "KEHAI_CONFIG=x", "KEHAI_BROWSER=y"}); err != nil {
		t.Fatalf("ApplyEnv() = %v, want nil", err)
	}
	if err := c.SetFlag("--retries", "ocr.retries", "4"); err != nil {
		t.Fatalf("SetFlag() = %v, want nil", err)
	}
	c.Burst.Parts = 5
	text := written(t, c)
	for _, want := range []string{
		"workers: 3  # file kehai.yaml:1:16", "cache: 8  # env KEHAI_OCR_CACHE", "retries: 4  # flag --retries",
		"parts: 5  # program", "tail: 200  # default", "size: [800, 600]  # env KEHAI_WINDOWS_0_SIZE",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("Write() = %s, want %q in it", text, want)
		}
	}
	if back := parse(t, text); !same(back, c) {
		t.Errorf("Parse(Write(c)) = %+v, want %+v", back, c)
	}
	for key, want := range map[string]bool{"ocr.workers": true, "ocr.cache": true, "ocr.retries": true,
		"burst.parts": false, "web.enabled": false} {
		if got := c.IsSet(key); got != want {
			t.Errorf("IsSet(%s) = %v, want %v", key, got, want)
		}
	}
	err := c.SetFlag("--retries", "ocr.retris", "4")
	if want := "runtime: bad configuration: --retries: unknown key \"ocr.retris\": did you mean " +
		"ocr.retries?"; err == nil || err.Error() != want {
		t.Errorf("SetFlag(ocr.retris) = %v, want %s", err, want)
	}
	c.OCR.Workers = 99 // set by the program, so the file is not to blame
	if err, want := c.Validate(), "runtime: bad configuration: ocr.workers: 99: want 1 to 16"; err == nil ||
		err.Error() != want {
		t.Errorf("Validate() = %v, want %s", err, want)
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	a := Default()
	b := a
	if err := b.ApplyEnv([]string{"KEHAI_WINDOWS_0_NAME=other"}); err != nil {
		t.Fatal(err)
	}
	if err := b.SetFlag("--scale", "windows.0.scale", "2"); err != nil {
		t.Fatal(err)
	}
	if !same(a, Default()) || len(a.origins) != 0 {
		t.Errorf("after changing a copy the original is %+v, want the defaults", a)
	}
}

func TestApplyEnvErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"KEHAI_OCR_WORKER=2", "KEHAI_OCR_WORKER: unknown variable: did you mean KEHAI_OCR_WORKERS?"},
		{"KEHAI_ZZZZZZZZZZZZZZZZ=2", "KEHAI_ZZZZZZZZZZZZZZZZ: unknown variable: unset it"},
		{"KEHAI_OCR_WORKERS=many", `KEHAI_OCR_WORKERS: ocr.workers: "many": want a whole number from 1 to 16`},
		{"KEHAI_OCR_WORKERS=77", "KEHAI_OCR_WORKERS: ocr.workers: 77: want 1 to 16"},
		{"KEHAI_WINDOWS_1_NAME=a", "KEHAI_WINDOWS_1_NAME: unknown variable: did you mean KEHAI_WINDOWS_0_NAME?"},
		{"KEHAI_LOG_LEVEL=wran", `KEHAI_LOG_LEVEL: log.level: "wran": want debug, info, warn or error: did you mean warn?`},
	} {
		cfg := Default()
		err := cfg.ApplyEnv([]string{c.in})
		if want := "runtime: bad configuration: " + c.want; err == nil || err.Error() != want {
			t.Errorf("ApplyEnv(%s) = %v, want %s", c.in, err, want)
		}
	}
	cfg := Default()
	if err := cfg.ApplyEnv([]string{"KEHAI_ENCRYPTION_KEY_ENV=KEHAI_MY_KEY", "KEHAI_MY_KEY=secret"}); err != nil {
		t.Errorf("ApplyEnv(key in KEHAI_MY_KEY) = %v, want nil", err)
	}
}

func TestEnvNamesAreUnique(t *testing.T) {
	c := Default()
	seen := map[string]string{}
	for _, f := range c.tree().Values() {
		key := f.Key
		if other, ok := seen[EnvName(key)]; ok {
			t.Errorf("EnvName(%s) = EnvName(%s) = %s, want different names", key, other, EnvName(key))
		}
		seen[EnvName(key)] = key
	}
}

func TestCheckDrivers(t *testing.T) {
	c := parse(t, "windows:\n  - name: a\n    driver: drwan\n")
	if err := c.CheckDrivers(Drivers{DriverScreen: {"drwan"}, DriverOCR: {"tesseract"}}); err != nil {
		t.Errorf("CheckDrivers(known) = %v, want nil", err)
	}
	err := c.CheckDrivers(Drivers{DriverScreen: {"x11", "drawn"}, DriverOCR: {"drawn"}})
	want := `runtime: bad configuration:
  ocr.engine: "tesseract": want drawn
  kehai.yaml:3:13: windows.0.driver: "drwan": want drawn or x11: did you mean drawn?`
	if err == nil || err.Error() != want {
		t.Errorf("CheckDrivers() = %v, want %s", err, want)
	}
}

// Each field says its default, range and allowed values; the tags and Default
// are what holds.
func TestDocsAgreeWithTags(t *testing.T) {
	c := exampleDefault()
	for _, f := range c.tree().Values() {
		doc := strings.Join(f.Comment(), "")
		want := []string{"Default " + strings.TrimSuffix(f.Text(), ".")}
		if f.Text() == "" {
			want = []string{"Default empty", "Empty: "}
		}
		if f.Key == "data" || f.Key == "node" {
			want = []string{"Default: the "}
		}
		if lo, hi := f.Tag.Get("min"), f.Tag.Get("max"); lo != "" && f.Key != "burst.cap" &&
			!strings.HasPrefix(f.Key, "retention.") {
			want = append(want, lo+" to "+hi)
		}
		want = append(want, f.OneOf()...)
		for _, w := range want {
			if !strings.Contains(doc, w) {
				t.Errorf("comment of %s = %q, want %q in it", f.Key, doc, w)
			}
		}
	}
}

func TestDataDir(t *testing.T) {
	for _, c := range []struct{ goos, home, env, want string }{
		{"linux", "/home/hana", "", "/home/hana/.local/share/kehai"},
		{"linux", "/home/hana", "/x", "/x/kehai"},
		{"linux", "/home/hana", "relative", "/home/hana/.local/share/kehai"},
		{"linux", "", "", ""},
		{"darwin", "/Users/hana", "/x", "/Users/hana/Library/Application Support/Kehai"},
		{"darwin", "", "", ""},
	} {
		if got := dataDir(c.goos, c.home, func(string) string { return c.env }); got != c.want {
			t.Errorf("dataDir(%s, %s, %s) = %q, want %q", c.goos, c.home, c.env, got, c.want)
		}
	}
}

func TestNodeName(t *testing.T) {
	for host, want := range map[string]string{
		"mac-a": "mac-a", "Hanas-MacBook.local": "hanas-macbook", "花のMac": "mac", "花": "here", "": "here",
		"--a__b--": "a-b", strings.Repeat("x", 31) + "-yz": strings.Repeat("x", 31), ".local": "here",
	} {
		if got := nodeName(host); got != want || !nameForm.MatchString(got) {
			t.Errorf("nodeName(%q) = %q, want %q", host, got, want)
		}
	}
}

// key returns 32 bytes that are the same in every run.
func key() []byte {
	source := rand.NewChaCha8([32]byte{7})
	k := make([]byte, 32)
	source.Read(k)
	return k
}

func TestReadKey(t *testing.T) {
	k := key()
	forms := map[string]string{
		"hex": hex.EncodeToString(k), "HEX": strings.ToUpper(hex.EncodeToString(k)),
		"base64": base64.StdEncoding.EncodeToString(k),
		"url":    base64.URLEncoding.EncodeToString(k), "bare": base64.RawStdEncoding.EncodeToString(k),
		"lines": " " + hex.EncodeToString(k) + "\r\n",
	}
	for name, text := range forms {
		env := func(asked string) string { return map[string]string{"THE_KEY": text}[asked] }
		if got, err := ReadKey(Encryption{KeyEnv: "THE_KEY"}, env); err != nil || !bytes.Equal(got, k) {
			t.Errorf("ReadKey(env %s) = %x, %v, want the key", name, got, err)
		}
	}
	forms["raw"] = string(k)
	for name, text := range forms {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadKey(Encryption{KeyFile: path}, os.Getenv); err != nil || !bytes.Equal(got, k) {
			t.Errorf("ReadKey(file %s) = %x, %v, want the key", name, got, err)
		}
	}
	unset := func(string) string { return " " }
	_, err := ReadKey(Encryption{KeyEnv: "THE_KEY"}, unset)
	if err == nil || !strings.Contains(err.Error(),
		"THE_KEY is not set: put the key there, 32 bytes as hex or base64") {
		t.Errorf("ReadKey(not set) = %v, want what to put where", err)
	}
	if got, err := ReadKey(Encryption{}, os.Getenv); err != nil || got != nil {
		t.Errorf("ReadKey(none) = %x, %v, want nil, nil", got, err)
	}
}

// Wherever the key is put by mistake, no error and no output shows it.
func TestKeyIsNeverShown(t *testing.T) {
	k := key()
	path := filepath.Join(t.TempDir(), "key")
	for _, secret := range []string{hex.EncodeToString(k), base64.StdEncoding.EncodeToString(k),
		base64.RawStdEncoding.EncodeToString(k), base64.URLEncoding.EncodeToString(k), "pa55 word!",
		hex.EncodeToString(k[1:])} {
		env := func(string) string { return secret }
		if err := os.WriteFile(path, []byte(secret+"x"), 0o600); err != nil {
			t.Fatal(err)
		}
		asKey := secret != "pa55 word!" && len(secret) != 62
		var errs []error
		_, err := ReadKey(Encryption{KeyFile: path}, env)
		errs = append(errs, err)
		_, err = ReadKey(Encryption{KeyEnv: secret}, env)
		if asKey || strings.Contains(secret, " ") {
			errs = append(errs, err)
		}
		if !asKey {
			_, err = ReadKey(Encryption{KeyEnv: "KEY"}, env)
			errs = append(errs, err)
		}
		if asKey && !strings.Contains(secret, "/") {
			_, err = ReadKey(Encryption{KeyFile: secret}, env)
			errs = append(errs, err)
			_, err = parseFile("kehai.yaml", []byte("encryption:\n  key_file: "+secret))
			errs = append(errs, err)
			c := Default()
			c.Encryption = Encryption{KeyFile: secret}
			if text := written(t, c); strings.Contains(text, secret) {
				t.Errorf("Write(key as key_file) shows it")
			}
		}
		if asKey || strings.Contains(secret, " ") {
			_, err = parseFile("kehai.yaml", []byte("encryption:\n  key_env: "+secret))
			errs = append(errs, err)
			c := Default()
			errs = append(errs, c.ApplyEnv([]string{"KEHAI_ENCRYPTION_KEY_ENV=" + secret}))
			c.Encryption = Encryption{KeyEnv: secret}
			if text := written(t, c); strings.Contains(text, secret) {
				t.Errorf("Write(key as key_env) shows it")
			}
		}
		_, err = parseFile("kehai.yaml", []byte("encryption:\n  key: "+secret))
		errs = append(errs, err)
		_, err = parseFile("kehai.yaml", []byte("encryption:\n  key_env: \""+secret))
		errs = append(errs, err)
		_, err = parseFile("kehai.yaml", []byte("encryption: "+secret))
		errs = append(errs, err)
		for i, err := range errs {
			if !errors.Is(err, ErrConfig) || strings.Contains(err.Error(), secret) {
				t.Errorf("case %d with a secret of %d characters = %v, want %v without the secret", i, len(secret), err,
					ErrConfig)
			}
		}
	}
}

// A file that parses is valid, and its written form parses to the same values.
func FuzzParseConfig(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "default.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(golden), every, "windows:\n- {name: a, ref: '~', script: \"\\u00e9\\t\"}",
		"data: |\n  a\n", "data: ~/x", "- - - a", "{{[", "a: &a [*a]", "node: !!str 1", "? a\n: b", "data: '# '",
		"data: 1e3\nnode: 12"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseFile("kehai.yaml", data)
		if err != nil {
			if !errors.Is(err, ErrConfig) {
				t.Fatalf("Parse(%q) = %v, want %v", data, err, ErrConfig)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatalf("Validate(parse(%q)) = %v, want nil", data, err)
		}
		text := written(t, c)
		back, err := parseFile("kehai.yaml", []byte(text))
		if err != nil || !same(back, c) {
			t.Fatalf("Parse(Write(c)) = %+v, %v, want %+v; written:\n%s", back, err, c, text)
		}
	})
}

// A file that nests as deep as its length allows neither ends the process nor
// takes long.
func TestDeepNesting(t *testing.T) {
	for _, unit := range []string{"[", "{", "- ", "{a: ", "? ", "*a ", "&a ", "!a "} {
		text := strings.Repeat(unit, yamlfile.MaxSize/len(unit))
		if _, err := parseFile("deep.yaml", []byte(text)); !errors.Is(err, ErrConfig) {
			t.Errorf("Parse(%q, repeated) = %.200v, want %v", unit, err, ErrConfig)
		}
	}
}

// What is printed of a configuration in which nothing is set sets nothing that counts
// otherwise once it is set.
func TestThePrintedConfigurationIsNeutral(t *testing.T) {
	again := func(c Config) Config {
		t.Helper()
		var out strings.Builder
		if err := c.Write(&out); err != nil {
			t.Fatal(err)
		}
		read, err := parseFile("kehai.yaml", []byte(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	read := again(Default())
	for _, key := range []string{"web.enabled", "log.level"} {
		if read.IsSet(key) {
			t.Errorf("IsSet(%s) of the printed defaults = true, want false", key)
		}
	}
	chosen := Default()
	if err := chosen.SetFlag("--x", "web.enabled", "false"); err != nil {
		t.Fatal(err)
	}
	if read := again(chosen); !read.IsSet("web.enabled") || read.Web.Enabled {
		t.Error("web.enabled: false was chosen and is not in what is printed")
	}
}

// parseFile reads a configuration as [Load] does, of a file with this name and text.
func parseFile(name string, data []byte) (Config, error) {
	return parseConfig(name, filepath.Dir(name), data)
}
