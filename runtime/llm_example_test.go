package runtime_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/attention"
	"github.com/kehai-run/kehai/runtime/engine"
)

// parrot is a language model of a host's own.
type parrot struct{}

func (parrot) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	if strings.Contains(q.Prompt, "weather") {
		return runtime.LLMReply{}, &runtime.LLMError{Code: "refused", Text: "parrots do not know the weather"}
	}
	return runtime.LLMReply{Text: q.Prompt + "!", Model: "parrot"}, nil
}

// A host brings its own model. Its actors ask it with a call and always hear
// back.
func ExampleWithLLM() {
	heard := make(chan string)
	asker := engine.Kind{Name: "asker", New: func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, msg messages.Message) error {
			switch m := msg.(type) {
			case messages.Started:
				for _, prompt := range []messages.Text{"hello", "how is the weather?"} {
					turn.Call(messages.WorkerLLM, messages.AskLLM{Purpose: "small talk", Prompt: prompt},
						actors.CallOptions{Deadline: actors.DefaultDeadline})
				}
			case messages.LLMAnswer:
				heard <- string(m.Text)
			case messages.CallFailed:
				heard <- m.Code + ": " + m.Detail
			}
			return nil
		})
	}}
	data, err := os.MkdirTemp("", "kehai")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(data)
	cfg := runtime.Default()
	cfg.Data, cfg.Windows = data, nil
	cfg.LLM.Concurrency = 1 // one question after the other
	rt, err := runtime.New(cfg, runtime.WithLLM(parrot{}), runtime.WithActor(asker, "me"),
		runtime.InMemory())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- rt.Run(ctx) }()
	fmt.Println(<-heard)
	fmt.Println(<-heard)
	stop()
	fmt.Println(<-ended)
	// Output:
	// hello!
	// refused: llm: parrots do not know the weather
	// <nil>
}

// Where the model does not decide, the verdict is the fallback's, and the error
// says why.
func ExampleAskFocus() {
	camera := []byte(`{"face_detected":true,"ear_average":0.31,"head_pose":{"yaw":60,"pitch":0}}`)
	by, err := attention.Profile("default")
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := attention.Ask(context.Background(), by, camera, nil, parrot{})
	fmt.Println(verdict.State, verdict.Source)
	fmt.Println(err)
	// Output:
	// distracted fallback
	// runtime: the language model did not decide: attention: the language model's answer is no judgement
}
