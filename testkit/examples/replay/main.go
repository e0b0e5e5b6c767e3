// Command replay measures what the rules of a configuration make of a chat: it
// plays a script in virtual time and counts what was missed, doubled or came out
// wrong.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit/replay"
)

const chat = `{"at_ms":0,"who":"friend","text":"Are you there?","conversation":"Hana"}
{"at_ms":3000,"who":"friend","text":"OK"}
{"at_ms":9000,"who":"me","text":"Yes"}
{"at_ms":15000,"do":"crash"}
{"at_ms":18000,"who":"friend","text":"OK"}
`

func main() {
	s, err := script.Parse(strings.NewReader(chat))
	if err != nil {
		log.Fatal(err)
	}
	for _, profile := range []string{config.ProfileDefault, config.ProfileSeed} {
		cfg := runtime.Default()
		cfg.SetProfile(profile)
		result, err := replay.Run(context.Background(), replay.Options{
			Script: s, Config: cfg, Seed: 1, Fonts: drawn.FindFonts(),
			Deliver: func(e control.Entry) error {
				fmt.Printf("%s: %q\n", profile, e.Message.Text)
				return nil
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d of %d, %d missed, %d doubled\n",
			profile, result.Delivered, result.Expected, result.Missed, result.Doubled)
	}
}
