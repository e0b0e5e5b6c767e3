package llm

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// EmbedSettings are the keys of the section memory that say who makes vectors of what is
// remembered.
type EmbedSettings struct {
	// Who says what a message means, so that it is found by other words too: none (words
	// alone), ollama or openai (also llama.cpp, LM Studio, vLLM and others that are
	// compatible). Default none.
	Embedder Provider `yaml:"embedder" oneof:"none|ollama|openai"`

	// How that is reached.
	Embedding Embedding `yaml:"embedding"`
}

// Embedding is where vectors come from.
type Embedding struct {
	// How far a message may go: local (a server on this machine; every other address is
	// refused) or cloud (any server: names, numbers and addresses are masked). Default
	// local.
	Tier Tier `yaml:"tier" oneof:"local|cloud"`

	// Name of the model, as the server calls it, such as nomic-embed-text. It must be
	// given unless embedder is none. With another one all that is remembered gets new
	// vectors in the background; the old ones serve until then. Empty: none. Default
	// empty.
	Model string `yaml:"model"`

	// Address of the server, with /v1 where its provider has that. Empty: the provider's
	// own, http://127.0.0.1:11434 or https://api.openai.com/v1. Default empty.
	BaseURL string `yaml:"base_url" secret:"url"`

	// Name of the environment variable with the server's key. Empty: none. Default
	// empty.
	KeyEnv string `yaml:"key_env" secret:"token env"`

	// File with the server's key in its first line. Empty: none. Default empty.
	KeyFile string `yaml:"key_file" path:"true" secret:"token file"`

	// Time for the vectors of some messages, 1s to 1m. Default 30s.
	Timeout time.Duration `yaml:"timeout" min:"1s" max:"1m"`
}

// NoEmbedder is the value of EmbedSettings.Embedder for none.
const NoEmbedder Provider = "none"

// DefaultEmbedSettings have no embedder.
func DefaultEmbedSettings() EmbedSettings {
	return EmbedSettings{Embedder: NoEmbedder, Embedding: Embedding{Tier: TierLocal, Timeout: 30 * time.Second}}
}

// On reports whether there is an embedder.
func (s EmbedSettings) On() bool { return s.Embedder != "" && s.Embedder != NoEmbedder }

// Name names the model among those of all providers, "" if there is none.
func (s EmbedSettings) Name() string {
	if !s.On() {
		return ""
	}
	return string(s.Embedder) + ":" + s.Embedding.Model
}

// Server are the settings of the embedder's server, as those of a chat model.
func (s EmbedSettings) Server() Settings {
	e := s.Embedding
	return Settings{Tier: e.Tier, Provider: s.Embedder, Model: e.Model, BaseURL: e.BaseURL, KeyEnv: e.KeyEnv,
		KeyFile: e.KeyFile, Limits: DefaultLimits()}
}

// Check reports what is wrong with the settings, each problem by its key.
func (s EmbedSettings) Check(wrong func(key, what string)) {
	if !s.On() {
		return
	}
	s.Server().Check(func(key, what string) { wrong("embedding."+key, ofEmbedding(what)) })
}

// ofEmbedding names the keys of the embedder in words about those of a chat model.
func ofEmbedding(words string) string {
	words = strings.ReplaceAll(words, "llm.provider", "memory.embedder")
	words = strings.ReplaceAll(words, "qwen3:4b", "nomic-embed-text")
	return strings.ReplaceAll(words, "llm.", "memory.embedding.")
}

// embeddings reads the vectors of an answer, in the order of the texts. A text that has no
// direction, all of 0, has none.
//
// Sources: https://platform.openai.com/docs/api-reference/embeddings/create,
// https://docs.ollama.com/api/embed.
func embeddings(p Provider, body []byte) ([][]float32, *Error) {
	var a struct {
		Data []*struct {
			Index     *int       `json:"index"`
			Embedding []*float32 `json:"embedding"`
		} `json:"data"`
		Embeddings [][]*float32    `json:"embeddings"`
		Error      json.RawMessage `json:"error"`
	}
	form := "OpenAI's embeddings"
	if p == Ollama {
		form = "Ollama's embeddings"
	}
	if err := json.Unmarshal(body, &a); err != nil {
		if json.Valid(body) {
			return nil, otherForm(form)
		}
		return nil, notJSON()
	}
	if f, ok := readFault(a.Error); ok {
		return nil, f.inStream()
	}
	rows := a.Embeddings
	if p != Ollama {
		rows = make([][]*float32, len(a.Data))
		for i, d := range a.Data {
			at := i
			if d != nil && d.Index != nil {
				at = *d.Index
			}
			if d == nil || at < 0 || at >= len(rows) || rows[at] != nil {
				return nil, otherForm(form)
			}
			rows[at] = d.Embedding
		}
	}
	list := make([][]float32, len(rows))
	for i, row := range rows {
		for _, x := range row {
			if x == nil || math.IsNaN(float64(*x)) || math.IsInf(float64(*x), 0) {
				return nil, wrongVector("numbers that are none")
			}
			list[i] = append(list[i], *x)
		}
	}
	return list, nil
}

// encodeEmbeddings writes vectors for langchaingo's client.
func encodeEmbeddings(p Provider, list [][]float32) []byte {
	if p == Ollama {
		return encode(object{"embeddings": list})
	}
	data := []object{}
	for i, v := range list {
		data = append(data, object{"index": i, "embedding": v})
	}
	return encode(object{"data": data})
}

func wrongVector(what string) *Error {
	return &Error{Code: Malformed, Text: "the model's vectors have " + what +
		": check that llm.model is one for embeddings"}
}
