package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Task is what the model is to do.
type Task string

// Tasks. Each is asked for the purpose of the same name.
const (
	Judge Task = "judge" // {"should_respond": bool, "reason": text, "confidence": 0 to 1}
	Reply Task = "reply" // the next message of an assistant
	// Interview is the interviewer's next message; asked for the purpose reply.
	Interview Task = "interview"
	Analyse   Task = "analyse" // {"themes": […]}, what an interview is about
	Select    Task = "select"  // {"chosen": […]}, which notes help to answer the messages
	Learn     Task = "learn"   // {"learned": […]}, what to keep of what was said
	Mask      Task = "mask"    // {"private": […]}, what is private beyond what rules found
)

// Input is what a prompt is made of.
type Input struct {
	Task     Task
	Language Language
	Tone     string // polite_soft, casual or formal; for replies. "" is none
	Persona  string // the assistant's name, from the owner's configuration

	Interview InterviewInput // of that task

	// What other people wrote, and what is derived from it. Whatever the model may not
	// see must be masked already.
	Now   time.Time // the zero time is left out
	Lines []Line    // the oldest first
}

// InterviewInput is what an interviewer needs: the owner's plan, how far it has come, and
// what was said so far.
type InterviewInput struct {
	Phase               string // intro, enumerate, recommend, choose, deepening or summary_check
	Goal                string
	MustAsk, MustNotAsk []string
	MaxDeep             int
	Ask                 string // the question that the reply must put, "" for none

	// These are derived from what other people wrote.
	Summary, MostImportant messages.Text
}

// Line is one message, or one note to choose from.
type Line struct {
	Note bool // a note: from Kehai's memory, not from the conversation that the model sees
	Own  bool // written by the persona
	Name messages.Text
	At   time.Time // the zero time is left out
	Text messages.Text
}

// Prompt is a question to a model.
type Prompt struct {
	Task    Task
	System  string
	User    messages.Text
	Version string // of the texts used

	own []string // lines and sentences of the instructions from the catalogue, without the owner's values
}

// ErrInput marks an input for which there is no prompt.
var ErrInput = errors.New("prompt: there is no such prompt")

// maxPersona bounds the assistant's name, in runes.
const maxPersona = 80

// Compose makes a prompt. The same input gives the same prompt, and no message can change
// its instructions.
func (c *Catalogue) Compose(in Input) (Prompt, error) {
	names := []string{string(in.Task)}
	if in.Tone != "" && (in.Task == Reply || in.Task == Interview) {
		names = append(names, "tone."+in.Tone)
	}
	if in.Task == Interview {
		names = append(names, "interview."+in.Interview.Phase)
	}
	names = append(names, "data", "before", "after")
	var texts, own []string
	for i, name := range names {
		e, ok := c.texts[string(in.Language)+"/"+name]
		if !ok {
			return Prompt{}, fmt.Errorf("%w: %s/%s", ErrInput, in.Language, name)
		}
		if texts = append(texts, e.text); i < len(names)-2 {
			for _, part := range e.own {
				own = append(own, strings.ReplaceAll(part, "{persona}", squeeze(oneLine(in.Persona, maxPersona))))
			}
		}
	}
	fill := in.filler()
	around := len(texts) - 2
	var system []string
	for _, t := range texts[:around] {
		system = append(system, fill.Replace(t))
	}
	user := fill.Replace(texts[around]) + "\n" + in.data() + fill.Replace(texts[around+1])
	return Prompt{
		Task: in.Task, System: strings.Join(system, "\n\n"), User: messages.Text(user), Version: version(texts...),
		own: own,
	}, nil
}

// filler fills in the owner's values, once: placeholders inside them stay as they are. Other
// people's words are only referred to, never filled in.
func (in Input) filler() *strings.Replacer {
	of := map[Language]string{Japanese: "データの %s", English: "the field %s of the data"}[in.Language]
	if of == "" {
		of = "%s"
	}
	pairs := []string{
		"{persona}", oneLine(in.Persona, maxPersona), "{goal}", oneLine(in.Interview.Goal, maxOwner),
		"{must_ask}", in.listed(in.Interview.MustAsk), "{must_not_ask}", in.listed(in.Interview.MustNotAsk),
		"{ask}", in.listed([]string{in.Interview.Ask}), "{max_deep}", strconv.Itoa(in.Interview.MaxDeep),
	}
	for _, name := range fromData {
		pairs = append(pairs, "{"+name+"}", fmt.Sprintf(of, name))
	}
	return strings.NewReplacer(pairs...)
}

// maxOwner is the longest text of a project, in runes.
const maxOwner = 2000

// listed puts texts of a project on one line.
func (in Input) listed(list []string) string {
	var out []string
	for _, t := range list {
		if t = oneLine(t, maxOwner); t != "" {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return map[Language]string{Japanese: "（なし）", English: "(none)"}[in.Language]
	}
	return strings.Join(out, " / ")
}

// oneLine returns a text of bounded length, without line breaks and invisible characters.
func oneLine(s string, runes int) string {
	return text.Shorten(strings.Join(strings.Fields(visible(s)), " "), runes)
}

// Ask makes the question to the worker. The answer carries the key.
func (p Prompt) Ask(key string) messages.AskLLM {
	purpose := p.Task
	if purpose == Interview {
		purpose = Reply
	}
	asJSON := p.Task != Reply && p.Task != Interview
	return messages.AskLLM{
		Purpose: string(purpose), System: p.System, Prompt: p.User, Key: key,
		JSON: asJSON, Stream: !asJSON,
	}
}

// Echoes reports whether an answer repeats the prompt: its instructions, or the form of
// its data. Such an answer is useless.
func (p Prompt) Echoes(answer string) bool {
	if strings.Contains(answer, fence+dataWord) || strings.Contains(answer, fence+endWord) {
		return true
	}
	answer = squeeze(answer)
	return slices.ContainsFunc(p.own, func(line string) bool { return strings.Contains(answer, line) })
}

// MayEcho reports whether the beginning of an answer repeats the prompt, or ends in what may
// become a repetition. Nothing of it should be seen until it has gone on.
func (p Prompt) MayEcho(soFar string) bool {
	if p.Echoes(soFar) || strings.Contains(soFar, fence) {
		return true
	}
	soFar = squeeze(soFar)
	return slices.ContainsFunc(p.own, func(line string) bool {
		start := text.First(line, echoes)
		at := strings.LastIndex(soFar, start)
		return at >= 0 && strings.HasPrefix(line, soFar[at:])
	})
}

const (
	// echoed is the shortest part of the instructions that counts as repeated, in runes
	// without white space: shorter ones may match by chance.
	echoed = 20
	echoes = 12 // the same for the beginning of one that may still go on
)

// repeatable are the lines and sentences of a text in which a repetition of it is recognised.
func repeatable(t string) (list []string) {
	take := func(part string) {
		part = strings.TrimLeft(squeeze(part), "-")
		if utf8.RuneCountInString(part) >= echoed && !slices.Contains(list, part) &&
			!placeholder.MatchString(strings.ReplaceAll(part, "{persona}", "")) {
			list = append(list, part)
		}
	}
	for line := range strings.Lines(t) {
		take(line)
	}
	for _, sentence := range sentences.Split(t, -1) {
		take(sentence)
	}
	return list
}

// sentences end with a stop, at a list's sign, or at an empty line.
var sentences = regexp.MustCompile(`[.:]\s|。|\n- |\n\n`)

func squeeze(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
