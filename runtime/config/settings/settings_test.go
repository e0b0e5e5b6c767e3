package settings_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/kehai-run/kehai/actors/text/yamlfile"
	"github.com/kehai-run/kehai/runtime/config/settings"
)

// house is a struct that has each tag, and each kind of value.
type house struct {
	Address string   `yaml:"address" form:"word?"`
	Plan    string   `yaml:"plan" path:"true"`
	Key     string   `yaml:"key" path:"true" secret:"key file"`
	Mode    string   `yaml:"mode" oneof:"eco|full"`
	Alarm   bool     `yaml:"alarm" unset:"the guard turns it on"`
	Guests  []string `yaml:"guests"`
	Heat    heat     `yaml:"heat"`
	Lamps   []lamp   `yaml:"lamps" most:"2"`
	Owner   string   `yaml:"-"`
}

type heat struct {
	Every time.Duration `yaml:"every" min:"1s" max:"1h"`
	From  float64       `yaml:"from" min:"0" max:"30" atmost:"to"`
	To    float64       `yaml:"to" min:"0" max:"30"`
}

type lamp struct {
	Room  string `yaml:"room" form:"word"`
	Watts int    `yaml:"watts" min:"0" max:"100"`
}

var errHouse = errors.New("bad house")

var kind = &settings.Kind{
	Err: errHouse, File: yamlfile.Kind{Name: "a house"}, Prefix: "HOUSE_", Foreign: []string{"HOUSE_KEEPER"},
	Forms: map[string]func(string) string{"word": func(s string) string {
		if s == "" || strings.Contains(s, " ") {
			return "want one word"
		}
		return ""
	}},
	Entries: map[reflect.Type]any{reflect.TypeFor[lamp](): lamp{Room: "hall", Watts: 40}},
	Comments: func() yaml.CommentMap {
		return yaml.CommentMap{
			"$.heat":           {yaml.HeadComment(" What keeps it warm.")},
			"$.lamps[0].watts": {yaml.HeadComment(" 0 is off.")},
		}
	},
}

func usual() house { return house{Mode: "eco", Heat: heat{time.Minute, 18, 21}} }

// read returns what a file, an environment and flags (key and value by turns) make of a house.
func read(file string, env []string, flags ...string) (h *house, tree settings.Tree, err error) {
	values := usual()
	h = &values
	tree = settings.New(kind, h, settings.Origins{})
	p := tree.Parse("house.yaml", "/etc", []byte(file))
	err = p.And(tree.ApplyEnv(env, func(string) bool { return false }).Err())
	for i := 0; i < len(flags); i += 2 {
		err = p.And(tree.SetFlag("--"+flags[i], flags[i], flags[i+1]))
	}
	if err != nil {
		return h, tree, err
	}
	return h, tree, tree.Check().Err()
}

// TestSources: a later source wins over an earlier one and the defaults, 0 is 0, and each value
// knows where it is from.
func TestSources(t *testing.T) {
	h, tree, err := read("address: elm\nplan: plan.pdf\nheat: {from: 0}\nlamps: [{watts: 0}, {room: attic}]\n",
		[]string{"HOUSE_HEAT_EVERY=5m", "HOUSE_LAMPS_1_WATTS=7", "HOUSE_GUESTS=Ken, Hana", "HOUSE_MODE=",
			"HOUSE_KEEPER=x", "PATH=/bin"}, "mode", "full")
	if err != nil {
		t.Fatal(err)
	}
	want := &house{
		Address: "elm", Plan: "/etc/plan.pdf", Mode: "full", Guests: []string{"Ken", "Hana"},
		Heat: heat{5 * time.Minute, 0, 21}, Lamps: []lamp{{"hall", 0}, {"attic", 7}},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("read() = %+v, want %+v", h, want)
	}
	for key, want := range map[string]string{
		"address": "house.yaml:1:10", "heat.from": "house.yaml:3:14", "heat.every": "HOUSE_HEAT_EVERY",
		"mode": "--mode", "heat.to": "", "lamps.0.room": "house.yaml:4:10", "lamps.1.watts": "HOUSE_LAMPS_1_WATTS",
	} {
		if got := tree.Origin(key).String(); got != want {
			t.Errorf("Origin(%s) = %q, want %q", key, got, want)
		}
	}
}

// TestProblems: what is wrong is said with its place and the nearest right name, and all of it.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		file  string
		env   string
		flags []string
		want  string
	}{
		{file: "adress: elm", want: `house.yaml:1:1: unknown key "adress": did you mean address?`},
		{file: "heat: {watts: 1}", want: `house.yaml:1:8: unknown key "heat.watts": known in heat are every, from, to`},
		{file: "every: 1s", want: `house.yaml:1:1: unknown key "every": did you mean heat.every?`},
		{file: "mode: ecco", want: `house.yaml:1:7: mode: "ecco": want eco or full: did you mean eco?`},
		{file: "mode:", want: "house.yaml:1:7: mode: has no value: give one, or leave the key out for the default"},
		{file: "alarm: yes", want: `house.yaml:1:8: alarm: "yes": want true or false`},
		{file: "address: two words", want: "house.yaml:1:10: address: want one word"},
		{file: "heat: {from: 31}", want: "house.yaml:1:14: heat.from: 31: want 0 to 30"},
		{file: "heat: {from: 22}", want: "house.yaml:1:14: heat.from: 22: want at most heat.to, which is 21"},
		{file: "heat: {from: warm}", want: `house.yaml:1:14: heat.from: "warm": want a number from 0 to 30`},
		{file: "heat: 3", want: "house.yaml:1:7: heat: want keys with values below it, found a single value"},
		{file: "lamps: [{}, {}, {}]", want: "house.yaml:1:17: lamps: 3 lamps: want at most 2"},
		{file: "mode: full\nmode: eco", want: "house.yaml:2:1: mode: set twice: keep one"},
		{file: "mode: eco\nalarm: 1\nheat: {every: 1}", want: "house.yaml:2:8: alarm: \"1\": want true or false\n" +
			`house.yaml:3:15: heat.every: "1": want a duration such as 1.5s, 250ms or 720h`},
		{env: "HOUSE_HEATEVERY=1s", want: "HOUSE_HEATEVERY: unknown variable: did you mean HOUSE_HEAT_EVERY?"},
		{env: "HOUSE_HEAT_EVERY=soon", want: `HOUSE_HEAT_EVERY: heat.every: "soon": ` +
			`want a duration such as 1.5s, 250ms or 720h`},
		{flags: []string{"modus", "eco"}, want: `--modus: unknown key "modus": did you mean mode?`},
		{flags: []string{"heat.to", "17"}, want: "--heat.to: heat.to: 17: want at least heat.from, which is 18"},
	} {
		_, _, err := read(c.file, []string{c.env}, c.flags...)
		if !errors.Is(err, errHouse) {
			t.Errorf("read(%q, %q, %q) = %v, want an error that wraps %v", c.file, c.env, c.flags, err, errHouse)
			continue
		}
		got := strings.TrimLeft(strings.TrimPrefix(err.Error(), errHouse.Error()+":"), " \n")
		got = strings.ReplaceAll(got, "\n  ", "\n")
		if got != c.want {
			t.Errorf("read(%q, %q, %q) says\n%s\nwant\n%s", c.file, c.env, c.flags, got, c.want)
		}
	}
}

// TestSecrets: a value that may be a key is neither printed nor in an error.
func TestSecrets(t *testing.T) {
	key := strings.Repeat("0123456789abcdef", 4)
	h, tree, err := read("key: "+key, nil)
	if err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("read(a key) = %v, want an error without it", err)
	}
	var b strings.Builder
	if err := tree.Write(&b, "", usual()); err != nil || strings.Contains(b.String(), key) || h.Key == "" {
		t.Errorf("Write() = %v and %q, want it without the key", err, b.String())
	}
}

// TestWrite: what is printed has comments and sources, and reads back to the same values.
func TestWrite(t *testing.T) {
	h, tree, err := read("address: elm\nlamps: [{room: attic}, {}]", nil, "heat.to", "22")
	if err != nil {
		t.Fatal(err)
	}
	h.Mode = "full"
	var b strings.Builder
	if err := tree.Write(&b, "# A house.\n", usual()); err != nil {
		t.Fatal(err)
	}
	const want = `# A house.

address: elm  # file house.yaml:1:10

plan: ""  # default

key: ""  # default

mode: full  # program

# alarm: false  # default; the guard turns it on

guests: []  # default

# What keeps it warm.
heat:
  every: 1m  # default

  from: 18  # default

  to: 22  # flag --heat.to

lamps:
  -
    room: attic  # file house.yaml:2:16
    # 0 is off.
    watts: 40  # default
  -
    room: hall  # default
    watts: 40  # default
`
	if b.String() != want {
		t.Errorf("Write() prints\n%s\nwant\n%s", b.String(), want)
	}
	back, _, err := read(b.String(), nil)
	if err != nil || !reflect.DeepEqual(back, h) {
		t.Errorf("read(what Write prints) = %+v, %v, want %+v", back, err, h)
	}
}

// TestFollow: a value that nobody set follows to the defaults of now.
func TestFollow(t *testing.T) {
	_, tree, err := read("heat: {from: 18}", nil)
	if err != nil {
		t.Fatal(err)
	}
	tree.Follow("heat", usual().Heat, heat{time.Hour, 5, 9})
	got := map[string]string{}
	for _, f := range tree.Values() {
		got[f.Key] = f.Text()
	}
	for key, want := range map[string]string{"heat.every": "1h", "heat.from": "18", "heat.to": "9"} {
		if got[key] != want {
			t.Errorf("after Follow %s is %q, want %s", key, got[key], want)
		}
	}
}
