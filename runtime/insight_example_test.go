package runtime_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// analyst is a language model that leads interviews, and finds one theme in each.
type analyst struct{}

func (analyst) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	if q.Purpose == "analyse" {
		return runtime.LLMReply{Text: `{"themes":[{"theme":"Packed trains","jtbd":"When I go to work, I want a seat.",
			"summary":"There is no seat.","severity":4,"evidence":["the train is packed","which nobody said"]}]}`}, nil
	}
	return runtime.LLMReply{Text: "What else?"}, nil
}

// What interviews have in common, once they are over. The model's second quote was never
// said, and is left out.
func ExampleRuntime_Talk_insights() {
	cfg := runtime.Default()
	cfg.Windows = nil
	analysed := make(chan messages.InterviewAnalysed, 10)
	rt, err := runtime.New(cfg, runtime.WithLLM(analyst{}), runtime.InMemory(),
		runtime.WithListener(func(ev runtime.Event) {
			if m, ok := ev.Message.(messages.InterviewAnalysed); ok && m.Final {
				analysed <- m
			}
		}))
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()

	talk := rt.Talk()
	project, err := talk.Define(ctx, "mornings", []byte("goal: why mornings are hard\n"))
	for _, name := range []string{"Hana", "Ken"} {
		var c messages.ConversationID
		if err == nil {
			c, err = talk.Begin(ctx, control.Begin{Channel: messages.ChannelHost, Name: name, Project: project})
		}
		if err == nil {
			_, err = talk.Say(ctx, c, control.Say{Text: "Each morning the train is packed. Call me: 090-1234-5678"})
		}
		if err == nil {
			err = talk.Stop(ctx, c) // or the participant comes to the end
		}
		if err == nil {
			<-analysed
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	found, err := talk.Insights(ctx)
	for _, p := range found {
		for _, c := range p.Cards {
			fmt.Printf("%s %s: severity %d, %d of %d interviews\n", string(c.Theme), c.Level, c.Severity, c.Frequency,
				p.Finished)
			for _, q := range c.Quotes {
				fmt.Println(strings.ToUpper(string(q.Text[:1])) + string(q.Text[1:]))
			}
		}
	}
	stop()
	fmt.Println(err, <-ended)
	// Output:
	// Packed trains M: severity 4, 2 of 2 interviews
	// The train is packed
	// The train is packed
	// <nil> <nil>
}
