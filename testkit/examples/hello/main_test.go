package main

import (
	"os"
	"strings"
	"testing"
)

func Example() {
	main()
	// Output: hello from hello/world
}

// TestREADME keeps the program in the README the one that runs here, and short.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\npackage main\n")
	block, _, _ = strings.Cut(block, "```")
	_, want, _ := strings.Cut(string(program), "package main\n")
	if block != want {
		t.Errorf("the program hello in README.md is not main.go: make them the same; README.md has\n%s", block)
	}
	if n := strings.Count(string(program), "\n"); n > 30 {
		t.Errorf("hello has %d lines, want at most 30", n)
	}
}
