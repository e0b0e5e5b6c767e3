package testkit_test

import (
	"context"
	"fmt"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/testkit"
)

// A language model that is limited at first, and then answers.
func ExampleLLMServer() {
	server, err := testkit.NewLLMServer(
		testkit.LLMReply{Status: 429},
		testkit.LLMReply{Text: "Good morning", PromptTokens: 12, AnswerTokens: 3},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	cfg := config.Default().LLM
	cfg.Tier, cfg.Provider, cfg.Model, cfg.BaseURL = config.LLMLocal, "openai", "any", server.URL()+"/v1"
	model, err := drivers.AskLLM(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	for range 2 {
		reply, err := model.Generate(context.Background(), runtime.LLMQuestion{Prompt: "Say good morning"})
		fmt.Println(reply.Text, err)
	}
	fmt.Println(len(server.Requests()), server.Requests()[0].Prompt)
	// Output:
	//  llm: the server takes no more questions for now (status 429)
	// Good morning <nil>
	// 2 Say good morning
}
