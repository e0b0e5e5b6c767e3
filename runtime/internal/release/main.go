// Command release makes what a release consists of: for each platform an archive and a list of
// what is in its program (CycloneDX), and the checksums of all. The same commit and the same Go
// give the same bytes, in any directory and on any machine. With -notice it only writes
// .github/NOTICE, the licences of all that is linked in.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const noticeFile = ".github/NOTICE"

var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}

func main() {
	out := flag.String("o", "dist", "write the release into this `directory`")
	notice := flag.Bool("notice", false, "only write "+noticeFile)
	flag.Parse()
	text, err := notices()
	switch {
	case err != nil:
	case *notice:
		err = os.WriteFile(noticeFile, text, 0o644)
	default:
		err = release(*out, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(dir string, notice []byte) error {
	if kept, err := os.ReadFile(noticeFile); err != nil || !bytes.Equal(kept, notice) {
		return fmt.Errorf("%s is not what is linked in: make notice, and commit it", noticeFile)
	}
	seconds, err := output(nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, platform := range platforms {
		name, program, info, err := build(dir, platform)
		if err != nil {
			return err
		}
		content := map[string][]byte{"kehai": program, "NOTICE": notice}
		for _, f := range []string{"LICENSE", "README.md"} {
			if content[f], err = os.ReadFile(f); err != nil {
				return err
			}
		}
		if files[name+".tar.gz"], err = archive(name, content, time.Unix(at, 0)); err != nil {
			return err
		}
		if files[name+".cdx.json"], err = bill(info, platform); err != nil {
			return err
		}
	}
	var sums bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return err
		}
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// build makes the program of a platform; name has its version.
func build(dir, platform string) (name string, program []byte, info *buildinfo.BuildInfo, err error) {
	path := filepath.Join(dir, "kehai")
	defer os.Remove(path)
	_, err = output(environment(platform), "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path,
		"./cmd/kehai")
	if err == nil {
		program, err = os.ReadFile(path)
	}
	if err == nil {
		info, err = buildinfo.ReadFile(path)
	}
	if err != nil {
		return "", nil, nil, err
	}
	if strings.Contains(info.Main.Version, "dirty") {
		return "", nil, nil, errors.New("there are changes that are not committed: commit them, or stash them")
	}
	name = fmt.Sprintf("kehai_%s_%s", info.Main.Version, strings.ReplaceAll(platform, "/", "_"))
	return name, program, info, nil
}

// environment has nothing of the machine in what is built.
func environment(platform string) []string {
	system, processor, _ := strings.Cut(platform, "/")
	return append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "CGO_ENABLED=0", "GOAMD64=v1",
		"GOARM64=v8.0", "GOOS="+system, "GOARCH="+processor)
}

// archive packs files into a directory of the name.
func archive(name string, content map[string][]byte, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for _, file := range slices.Sorted(maps.Keys(content)) {
		mode := int64(0o644)
		if file == "kehai" {
			mode = 0o755
		}
		err := out.WriteHeader(&tar.Header{Name: name + "/" + file, Mode: mode, Size: int64(len(content[file])),
			ModTime: at.UTC(), Format: tar.FormatPAX})
		if err == nil {
			_, err = out.Write(content[file])
		}
		if err != nil {
			return nil, err
		}
	}
	err := errors.Join(out.Close(), zip.Close())
	return b.Bytes(), err
}

// component is a part of a program in the form of CycloneDX 1.5.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Ref     string `json:"purl,omitempty"`
}

// bill lists the modules that the Go command says are in a program.
func bill(info *buildinfo.BuildInfo, platform string) ([]byte, error) {
	parts := []component{{"library", "stdlib", info.GoVersion, "pkg:golang/std@" + info.GoVersion}}
	for _, m := range info.Deps {
		m = cmp.Or(m.Replace, m)
		parts = append(parts, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	main := component{Type: "application", Name: "kehai (" + platform + ")", Version: info.Main.Version}
	b, err := json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": main}, "components": parts}, "", "  ")
	return append(b, '\n'), err
}

// notices are the licences and notices of all modules that are linked in, on any platform: each
// text once, after the modules that it is of.
func notices() ([]byte, error) {
	of := map[string][]string{} // by text
	for _, platform := range platforms {
		list, err := output(environment(platform), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}"+
			"{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/kehai")
		if err != nil {
			return nil, err
		}
		root, err := output(nil, "go", "env", "GOROOT")
		if err != nil {
			return nil, err
		}
		list += "The Go standard library\t" + strings.TrimSpace(root) + "\n"
		for line := range strings.Lines(list) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if err := texts(of, fields[0], fields[1:]); err != nil {
				return nil, err
			}
		}
	}
	blocks := []string{"Kehai contains the following, each under the text below its name."}
	for text, modules := range of {
		slices.Sort(modules)
		blocks = append(blocks, strings.Join(slices.Compact(modules), "\n")+"\n\n"+text)
	}
	slices.Sort(blocks[1:])
	return []byte(strings.Join(blocks, "\n\n"+strings.Repeat("=", 80)+"\n") + "\n"), nil
}

// texts adds the licences of a module: those of its own and of the packages that are linked in.
func texts(of map[string][]string, module string, dirs []string) error {
	found := false
	for i, dir := range dirs {
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			name := strings.ToUpper(f.Name())
			if f.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") &&
				!strings.HasPrefix(name, "NOTICE") {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				return err
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r", ""))
			of[text] = append(of[text], module)
			found = found || i == 0
		}
	}
	if !found {
		return fmt.Errorf("%s has no licence", module)
	}
	return nil
}

// output runs a command in the repository; a nil environment is this one's.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = env
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, args[0], err, wrong.String())
	}
	return string(out), err
}
