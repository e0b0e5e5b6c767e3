package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestNoticeIsOfWhatIsLinkedIn(t *testing.T) {
	t.Chdir("../../..")
	want, err := notices()
	kept, kerr := os.ReadFile(noticeFile)
	if err := errors.Join(err, kerr); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, want) {
		t.Errorf("%s is not what is linked in: make notice", noticeFile)
	}
}

func TestArchive(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	content := map[string][]byte{"kehai": []byte("program"), "NOTICE": []byte("notice"), "LICENSE": nil}
	first, err := archive("kehai_v1", content, at.In(time.FixedZone("east", 3600)))
	again, aerr := archive("kehai_v1", content, at)
	if err := errors.Join(err, aerr); err != nil || !bytes.Equal(first, again) {
		t.Fatalf("archive() twice: %v, the same bytes: %v", err, bytes.Equal(first, again))
	}
	zip, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil || !h.ModTime.Equal(at) || h.Uid != 0 || h.Uname != "" {
			t.Fatalf("%+v, %v, want nothing of who made it", h, err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+string(b))
	}
	want := "-rw-r--r-- kehai_v1/LICENSE \n-rw-r--r-- kehai_v1/NOTICE notice\n-rwxr-xr-x kehai_v1/kehai program"
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("archive() has\n%s\nwant\n%s", got, want)
	}
}

func TestBill(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.2", Main: debug.Module{Version: "v1"}, Deps: []*debug.Module{
		{Path: "a.example/b", Version: "v2"}, {Path: "replaced", Replace: &debug.Module{Path: "by", Version: "v3"}}}}
	b, err := bill(info, "linux/arm64")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"golang/a.example/b@v2", "golang/by@v3", "go1.2", "CycloneDX", "linux/arm64"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("bill() = %s, want %s in it", b, want)
		}
	}
}
