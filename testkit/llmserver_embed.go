package testkit

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"strings"
)

// embedLength is how many numbers the vectors of [Embed] have.
const embedLength = 256

// Embed is a model that says what a text means, without one: texts that share sequences of
// two and three characters are alike. The vector has length 1, that of a text without
// characters is 0. Equal texts have equal vectors, on every machine.
func Embed(text string) []float32 {
	v := make([]float32, embedLength)
	letters := []rune(" " + strings.ToLower(strings.Join(strings.Fields(text), " ")) + " ")
	for n := 2; n <= 3 && strings.TrimSpace(text) != ""; n++ {
		for i := 0; i+n <= len(letters); i++ {
			h := fnv.New32a()
			_, _ = io.WriteString(h, string(letters[i:i+n]))
			sum := h.Sum32()
			v[sum%embedLength] += 1 - 2*float32(sum>>31)
		}
	}
	norm := 0.0
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	for i := range v {
		if norm > 0 {
			v[i] /= float32(math.Sqrt(norm))
		}
	}
	return v
}

// embedFormat is the format of a request for vectors, "" for another one.
func embedFormat(path string) string {
	switch {
	case strings.HasSuffix(path, "/v1/embeddings"):
		return LLMOpenAI
	case strings.HasSuffix(path, "/api/embed"):
		return LLMOllama
	}
	return ""
}

// embedBody has the fields that both formats share, and those of each.
type embedBody struct {
	Input      json.RawMessage `json:"input"` // a text, or a list of texts
	Dimensions int             `json:"dimensions"`
	Encoding   string          `json:"encoding_format"` // OpenAI: float, the default, or base64
}

func (b embedBody) texts() (list []string) {
	var one string
	if json.Unmarshal(b.Input, &one) == nil {
		return []string{one}
	}
	if json.Unmarshal(b.Input, &list) != nil {
		return nil
	}
	return list
}

// serveEmbed answers a request for vectors as its format is documented:
// https://platform.openai.com/docs/api-reference/embeddings/create and
// https://docs.ollama.com/api/embed. OpenAI takes no empty text; Ollama does.
func serveEmbed(w http.ResponseWriter, r LLMRequest) {
	var b embedBody
	if json.Unmarshal(r.Body, &b) != nil || len(b.Input) == 0 || r.Model == "" {
		failLLM(w, w, r, LLMReply{Status: http.StatusBadRequest, Text: "invalid input"})
		return
	}
	var data []object
	lists, tokens := [][]float32{}, 0
	for i, text := range r.Input {
		if text == "" && r.Format == LLMOpenAI {
			failLLM(w, w, r, LLMReply{Status: http.StatusBadRequest, Text: "input cannot be an empty string"})
			return
		}
		v := Embed(text)
		if b.Dimensions > 0 {
			v = v[:min(len(v), b.Dimensions)]
		}
		one := object{"object": "embedding", "index": i, "embedding": v}
		if b.Encoding == "base64" {
			raw, _ := binary.Append(nil, binary.LittleEndian, v)
			one["embedding"] = base64.StdEncoding.EncodeToString(raw)
		}
		lists, data, tokens = append(lists, v), append(data, one), tokens+len(strings.Fields(text))
	}
	answer := object{"object": "list", "data": data, "model": r.Model,
		"usage": object{"prompt_tokens": tokens, "total_tokens": tokens}}
	if r.Format == LLMOllama {
		answer = object{"model": r.Model, "embeddings": lists, "total_duration": 14143917,
			"load_duration": 1019500, "prompt_eval_count": tokens}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // who has gone reads nothing
}
