package web

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// lessonFor serves a lesson; ask sends a request with a key.
func lessonFor(t *testing.T, l Lesson) (ask func(method, path, key, body string) (int, string), served <-chan error,
	end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	addresses, over := make(chan string, 1), make(chan error, 1)
	go func() { over <- l.Serve(ctx, func(a string) { addresses <- a }) }()
	base, own, _ := strings.Cut(<-addresses, "#")
	return func(method, path, key, body string) (int, string) {
		t.Helper()
		url := strings.TrimSuffix(base, "/") + path
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.ReplaceAll(key, "own", own))
		if host, foreign := strings.CutPrefix(key, "host "); foreign {
			r.Host = host
			r.Header.Set("Authorization", "Bearer "+own)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(raw)
	}, over, cancel
}

// Whoever does not have the key of the address sees nothing of the window and takes nothing.
func TestALessonIsForWhoHasItsKey(t *testing.T) {
	l := Lesson{Shot: image.NewRGBA(image.Rect(0, 0, 40, 30)), Try: func(context.Context, Pointed) Tried {
		t.Error("somebody without the key tries something")
		return Tried{}
	}}
	ask, served, end := lessonFor(t, l)
	for _, key := range []string{"", "x", "ownx", "host kehai.example"} {
		for _, r := range [][3]string{{"GET", "/shot"}, {"GET", "/found"}, {"POST", "/try", `{"points":[[1,1],[2,2]]}`},
			{"POST", "/take", "{}"}} {
			if status, said := ask(r[0], r[1], key, r[2]); status != 401 && status != 403 {
				t.Errorf("%s %s with key %q: %d %s", r[0], r[1], key, status, said)
			}
		}
	}
	if status, _ := ask("GET", "/", "", ""); status != 200 {
		t.Errorf("the page itself: %d", status)
	}
	end()
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve() = %v, want that it was ended", err)
	}
}

// Only what was tried last and is good can be taken, once; what is no pair of points is told.
func TestALessonTakesWhatIsGood(t *testing.T) {
	good := false
	l := Lesson{Shot: image.NewRGBA(image.Rect(0, 0, 40, 30)), Try: func(_ context.Context, p Pointed) Tried {
		return Tried{Good: good, Said: p.Mine.String() + p.Theirs.String() + p.Me}
	}}
	ask, served, _ := lessonFor(t, l)
	for body, want := range map[string]string{
		"":                                  "as JSON",
		`{"points":[[1,1]]}`:                "two points",
		`{"points":[[1,1],[40,2]]}`:         "40×30",
		`{"points":[[1,1],[-1,2]]}`:         "inside",
		`{"points":[[1,1],[2,2]],"more":1}`: "as JSON",
		`{"me":"` + strings.Repeat("x", maxPointed) + `"}`: "as JSON",
	} {
		if status, said := ask("POST", "/try", "own", body); status != 400 || !strings.Contains(said, want) {
			t.Errorf("%.40s: %d %s, want %q", body, status, said, want)
		}
	}
	for _, want := range []int{409, 200} {
		_, said := ask("POST", "/try", "own", `{"points":[[1,2],[3,4]]}`)
		var got struct {
			Said  string
			Good  bool
			Texts []TriedText
		}
		if err := json.Unmarshal([]byte(said), &got); err != nil || got.Said != "(1,2)(3,4)" || got.Texts == nil {
			t.Errorf("/try answers %s, %v", said, err)
		}
		if status, _ := ask("GET", "/found", "own", ""); status != 404 {
			t.Errorf("/found without a picture: %d", status)
		}
		if status, said := ask("POST", "/take", "own", "{}"); status != want {
			t.Errorf("/take: %d %s, want %d", status, said, want)
		}
		good = true
	}
	select {
	case err := <-served:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the lesson goes on after it was taken")
	}
}
