package llm

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnswerOf(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"hello":                                "hello",
		"<think>hm</think>hello":               "hello",
		" \n<think>\nhm\n</think>\n\nhello\n":  "hello\n",
		"<think></think><think>b</think>hello": "hello",
		"[THINK]hm[/THINK]hello":               "hello",
		"<think>never ends":                    "",
		"<thin":                                "<thin",
		"<this> is no tag":                     "<this> is no tag",
		"a <think>b</think> c":                 "a <think>b</think> c", // inside an answer it is text
		"hm, let me see\n</think>\n\nhello":    "hello",
		"</think>\nhello":                      "hello",
		"the tag </think> ends it":             "the tag </think> ends it",
		"hello\n</think>":                      "hello\n</think>",
		"<think>a</think>b\n</think>\nc":       "b\n</think>\nc",
		"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>hello": "hello",
		"<|channel|>final<|message|>hello": "hello",
		`{"state":"<think>"}`:              `{"state":"<think>"}`,
	} {
		if got := answerOf(in); got != want {
			t.Errorf("answerOf(%q) = %q, want %q", in, got, want)
		}
	}
}

// However the text is cut into pieces, the same answer comes out.
func TestThoughtsInPieces(t *testing.T) {
	bits := []string{"<think>", "</think>", "\n</think>\n", "[THINK]", "[/THINK]", "\n", " ", "a", "答え", "<", "/", ">",
		"<|channel|>", "analysis<|message|>", "final<|message|>", "\r\n"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, 12).Draw(t, "text"), "")
		var filter thoughts
		got := ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			more, anew := filter.add(rest[:n])
			if anew {
				got = ""
			}
			got += more
			rest = rest[n:]
		}
		if got += filter.end(); got != answerOf(text) {
			t.Fatalf("%q in pieces = %q, want %q", text, got, answerOf(text))
		}
	})
}
