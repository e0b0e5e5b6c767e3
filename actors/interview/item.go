package interview

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
)

// Item is something that a person named.
type Item struct {
	Text   string `json:"text"`
	Stress int    `json:"stress,omitempty"` // how often it was stressed
}

// Bounds of what is kept of one interview.
const (
	maxItems = 50
	maxItem  = 120 // runes of an item
)

var (
	// separators stand between items of an enumeration.
	separators = regexp.MustCompile(`[、，,;；・\n/／。!！?？]+|\.(?:\s+|$)|\s+(?:and|or|plus|as well as)\s+|\s[-–—]\s`)
	// bullets stand before an item.
	bullets = regexp.MustCompile(`^\s*(?:[-*•●◦·]|\(?\d{1,2}[.)）:]|[①-⑳])\s*|` +
		`^(?:and|or|also|plus|then|first|second|third|あと|まず|次に)\s+|` +
		`^(?:あとは|それと|それから|他には|一つ目は|二つ目は|三つ目は)`)
	// stresses mark what somebody stresses.
	stresses = regexp.MustCompile(`(?i)一番|いちばん|最も|もっとも|何より|とにかく|特に|とくに|本当に|ほんとに|ほんとうに|すごく|めちゃくちゃ|` +
		`めっちゃ|絶対|重要|大事|大切|深刻|切実|\b(?:most|especially|particularly|above all|really|biggest|worst|best|` +
		`main(?:ly)?|important|crucial|by far|definitely|absolutely|extremely|so much)\b`)
	fillers = whole("はい", "ええ", "うん", "えっと", "うーん", "そうですね", "そうだな", "そうですねえ", "なるほど", "yes", "yeah",
		"well", "um", "uh", "hm", "hmm", "ok", "okay", "so", "i think", "let me see", "let's see", "you know", "i mean",
		"あの", "その", "and", "also", "あと", "それから", "まず", "次に", "とか", "など", "etc")
)

// addItems adds the items of an answer that were not named yet. One that is named
// again with stress is stressed.
func addItems(items []Item, said string) []Item {
	items = append([]Item(nil), items...)
	for key, it := range named(said) {
		if i := indexOf(items, key); i >= 0 {
			items[i].Stress += it.Stress
		} else if len(items) < maxItems {
			items = append(items, it)
		}
	}
	return items
}

// named yields what a text names, by its text without white space, punctuation and case.
// Words that end the list, or pass a question, name nothing.
func named(said string) iter.Seq2[string, Item] {
	return func(yield func(string, Item) bool) {
		for _, piece := range pieces(said) {
			stress := 0
			if stresses.MatchString(piece) {
				stress = 1
			}
			piece = text.First(strings.TrimSpace(bullets.ReplaceAllString(strings.TrimSpace(piece), "")), maxItem)
			key := text.Compact(piece)
			if strings.Trim(key, "0123456789") == "" || fillers[key] { // a number alone numbered the next one
				continue
			}
			if in := meant(piece); in == closing || in == skip {
				continue
			}
			if !yield(key, Item{Text: piece, Stress: stress}) {
				return
			}
		}
	}
}

var (
	// goesOn ends a clause or a topic that the next one goes on with: 「昨日は、」「雨が降っていて、」「遅いので、」. What is
	// listed as a clause ends in し or たり.
	goesOn = regexp.MustCompile(`(?:\p{Hiragana}て|いで|んで|ので|から|けど|けれど|けれども|[^、]は|には|では|たら|れば|えば|ると|いと|のに|が)$`)
	// leads begins a clause before the one that says something, and follows begins one that says more of it.
	leads = regexp.MustCompile(`(?i)^(?:when|whenever|if|while|after|before|because|since|although|though|as|once|` +
		`unless)\s`)
	follows = regexp.MustCompile(`(?i)^(?:which|who|whom|whose|that|where|because|since|so that|so|but|although|` +
		`though|unless|until)\s`)
)

// pieces are the items of an enumeration. A sentence with commas between its clauses is one.
func pieces(said string) (list []string) {
	open, comma := false, "" // the last piece goes on; the comma behind it
	add := func(piece string) {
		trimmed := strings.TrimSpace(piece)
		filler := fillers[text.Compact(trimmed)]
		if last := len(list) - 1; last >= 0 && comma != "" && !filler && (open || follows.MatchString(trimmed)) {
			list[last] += comma + piece
		} else {
			list = append(list, piece)
		}
		open = !filler && (goesOn.MatchString(trimmed) || leads.MatchString(trimmed))
	}
	from := 0
	for _, at := range separators.FindAllStringIndex(said, -1) {
		add(said[from:at[0]])
		if comma, from = said[at[0]:at[1]], at[1]; strings.Trim(comma, "、，,") != "" {
			comma = ""
		}
	}
	add(said[from:])
	return list
}

// Revised is the interview after an answer was edited, or taken back if now is "". Items
// that only the old answer named are forgotten; items of the new text take their place.
func (s State) Revised(was, now string, left []string) State {
	gone := map[string]bool{}
	for key := range named(was) {
		gone[key] = indexOf(s.Items, key) >= 0
	}
	listed := slices.Contains(slices.Collect(maps.Values(gone)), true)
	for _, said := range left {
		for key := range named(said) {
			gone[key] = false
		}
	}
	s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(it Item) bool { return gone[text.Compact(it.Text)] })
	if listed && now != "" && Answers(now) {
		s.Items = addItems(s.Items, now)
	}
	if indexOf(s.Items, text.Compact(s.Chosen)) < 0 {
		s.Chosen = ""
	}
	return s
}

// Joined is the interview with what another one of the same person named too.
func (s State) Joined(o State) State {
	s.Items = slices.Clone(s.Items)
	for _, it := range o.Items {
		if i := indexOf(s.Items, text.Compact(it.Text)); i >= 0 {
			s.Items[i].Stress = max(s.Items[i].Stress, it.Stress)
		} else if len(s.Items) < maxItems {
			s.Items = append(s.Items, it)
		}
	}
	return s
}

// indexOf finds an item by its text without white space, punctuation and case.
func indexOf(items []Item, key string) int {
	for i, it := range items {
		if text.Compact(it.Text) == key {
			return i
		}
	}
	return -1
}

// choose notes which item an answer names, wholly or in part; among several the one
// that is named last is meant.
func (s *State) choose(said string) {
	key, at := text.Compact(said), -1
	for _, it := range s.Items {
		item := text.Compact(it.Text)
		if i := strings.LastIndex(key, item); i > at {
			s.Chosen, at = it.Text, i
		} else if at < 0 && utf8.RuneCountInString(key) > 1 && strings.Contains(item, key) {
			s.Chosen, at = it.Text, 0
		}
	}
	if at >= 0 {
		return
	}
	for i, names := range ordinals {
		if i < len(s.Items) && names.MatchString(text.Normalize(said)) {
			s.Chosen = s.Items[i].Text
			return
		}
	}
}

// ordinals name an item by its place.
var ordinals = []*regexp.Regexp{
	regexp.MustCompile(`^(?:1|一)(?:番目|つ目|番|つめ|$)|最初の|\b(?:the )?first\b|^number (?:one|1)\b`),
	regexp.MustCompile(`^(?:2|二)(?:番目|つ目|番|つめ|$)|\b(?:the )?second\b|^number (?:two|2)\b`),
	regexp.MustCompile(`^(?:3|三)(?:番目|つ目|番|つめ|$)|\b(?:the )?third\b|^number (?:three|3)\b`),
}

// MostImportant is what the person chose, else what was stressed most, else what was
// named first; "" if nothing was named.
func (s State) MostImportant() string {
	if s.Chosen != "" {
		return s.Chosen
	}
	best := Item{}
	for _, it := range s.Items {
		if best.Text == "" || it.Stress > best.Stress {
			best = it
		}
	}
	return best.Text
}

// maxSummary bounds a summary, in runes.
const maxSummary = 600

// Summary lists what was named, the most important first, in at most 600 runes.
func (s State) Summary() string {
	first := s.MostImportant()
	list := []string{}
	if first != "" {
		list = append(list, first)
	}
	for _, it := range s.Items {
		if it.Text != first {
			list = append(list, it.Text)
		}
	}
	out, runes := "", 0
	for _, t := range list {
		n := utf8.RuneCountInString(t) + 3
		if runes += n; runes > maxSummary {
			break
		}
		if out != "" {
			out += " / "
		}
		out += t
	}
	return out
}
