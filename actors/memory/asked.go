package memory

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Words that name topics, as alternatives of a pattern.
const (
	Relatives = `妹|弟|姉|兄|母|父|夫|妻|旦那|彼氏|彼女|息子|娘|上司|親友|友達|同僚|婚約者|いとこ|祖母|祖父`
	Kin       = `dog|cat|puppy|kitten|sister|brother|mother|father|mom|dad|wife|husband|son|daughter|boss|cousin|` +
		`friend|girlfriend|boyfriend|partner`
	Animals = `猫|犬|ねこ|いぬ|ペット|うさぎ|ハムスター|インコ|亀`
)

// topical are the words by which a question asks for a topic that has a fixed name.
var topical = []struct {
	name string
	re   *regexp.Regexp
}{
	{"home", regexp.MustCompile(`住(?:ん|み|む|所)|引っ?越|暮らし|\b(?:liv(?:e|es|ing)|moved? to|home ?town|address)\b`)},
	{"work", regexp.MustCompile(`仕事|職業|勤め|勤務|働|会社|転職|\b(?:works?|working|job|employer|profession)\b`)},
	{"school", regexp.MustCompile(`学校|大学|高校|\b(?:school|university|college)\b`)},
	{"誕生日", regexp.MustCompile(`誕生日`)},
	{"birthday", regexp.MustCompile(`\bbirthday\b`)},
	{"趣味", regexp.MustCompile(`趣味`)},
	{"hobby", regexp.MustCompile(`\bhobb(?:y|ies)\b`)},
}

var (
	related = regexp.MustCompile(Relatives + `|` + Animals + `|\b(?:` + Kin + `)\b`)
	theirs  = regexp.MustCompile(`[私僕俺]|わたし|うち|\b(?:i|my|me|our)\b`)
	ours    = regexp.MustCompile(`あなた|君|きみ|そちら|\byour?\b`)
	earlier = regexp.MustCompile(`(?:^|[^\p{Han}])前[はに]|以前|昔|もともと|元々|かつて|これまで|今まで|最初|` +
		`\b(?:before|used to|previous(?:ly)?|former(?:ly)?|ever|originally|first|history)\b`)
)

// Earlier reports whether a question asks for what was.
func Earlier(question string) bool { return earlier.MatchString(folded(question)) }

// maxAsked is how much of a question is read, in bytes.
const maxAsked = 4 << 10

func folded(question string) string { return text.Normalize(question[:min(len(question), maxAsked)]) }

// Asked returns the topics that a question may ask for, without what is known of them.
// speakers are the people on the other side; the question is theirs.
func Asked(question string, speakers []string) (list []Topic) {
	question = folded(question)
	whose := append(slices.Clone(speakers), "")
	named := slices.DeleteFunc(slices.Clone(speakers), func(s string) bool {
		return s == "" || !strings.Contains(question, text.Normalize(s))
	})
	switch {
	case ours.MatchString(question) && !theirs.MatchString(question):
		whose = []string{""}
	case theirs.MatchString(question) && !ours.MatchString(question):
		whose = speakers
	case len(named) > 0:
		whose = named
	}
	add := func(kind Kind, name string) {
		for _, s := range whose {
			list = append(list, Topic{Kind: kind, Subject: messages.Text(s), Name: messages.Text(name)})
		}
	}
	for _, t := range topical {
		if t.re.MatchString(question) {
			add(Fact, t.name)
		}
	}
	for _, name := range related.FindAllString(question, maxRelated) {
		add(Relation, name)
		add(Fact, name)
	}
	return list
}

// maxRelated is how many people and animals of a question are looked up.
const maxRelated = 3

// Known is a state that holds, and how it is told.
func (t Topic) Known() (s State, told messages.Text, ok bool) {
	if t.Kind == Preference {
		for _, s := range slices.Backward(t.States) {
			if s.Until.IsZero() && s.Status == Confirmed {
				return s, messages.Text(map[bool]string{true: "likes: ", false: "dislikes: "}[s.Like]) + s.Body, true
			}
		}
		return State{}, "", false
	}
	if s, ok = t.Now(); !ok || t.Kind == Summary {
		return State{}, "", false
	}
	if told = s.Body; t.Name != s.Body {
		told = t.Name + ": " + s.Body
	}
	if t.Kind == Task {
		told = "to do: " + s.Body
	}
	return s, told, true
}

// Former are the events that are outdated by what is known of a topic.
func (t Topic) Former() (list []messages.MessageID) {
	for _, s := range t.States {
		if s.Until.IsZero() || s.End == Finished || s.End == Duplicate {
			continue
		}
		for _, id := range s.Evidence {
			now := slices.ContainsFunc(t.States, func(o State) bool {
				return o.Until.IsZero() && slices.Contains(o.Evidence, id)
			})
			ends := slices.ContainsFunc(t.Claims, func(c Claim) bool { return c.Event == id && c.Op == Ends })
			if !now && !ends && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	return list
}
