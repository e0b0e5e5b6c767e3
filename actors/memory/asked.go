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

// FactName is the name under which a fact is stored, whatever word tells it. A stored one
// keeps its name.
type FactName string

// Facts that say where somebody belongs.
const (
	Home   FactName = "home"
	Work   FactName = "work"
	School FactName = "school"
)

// facts are the facts whose words are known: under which names they are stored, which other
// words tell the first of these, and how a question asks for them.
var facts = []struct {
	names []FactName
	told  string
	asked *regexp.Regexp
}{
	{[]FactName{Home, "address"}, "居住地 住所 住まい 住んでいる所 residence",
		regexp.MustCompile(`住(?:ん|み|む|所)|引っ?越|暮らし|\b(?:liv(?:e|es|ing)|moved? to|home ?town|address)\b`)},
	{[]FactName{Work}, "仕事 職業 職場 勤務先 会社 job",
		regexp.MustCompile(`仕事|職業|勤め|勤務|働|会社|転職|\b(?:works?|working|job|employer|profession)\b`)},
	{[]FactName{School}, "学校", regexp.MustCompile(`学校|大学|高校|\b(?:school|university|college)\b`)},
	{[]FactName{"birthday", "誕生日"}, "", regexp.MustCompile(`誕生日|\bbirthday\b`)},
	{[]FactName{"hobby", "趣味"}, "", regexp.MustCompile(`趣味|\bhobb(?:y|ies)\b`)},
	{[]FactName{"hometown", "出身"}, "", regexp.MustCompile(`出身|\bhome ?town\b`)},
	{[]FactName{"phone number", "電話番号"}, "", regexp.MustCompile(`電話番号|\bphone number\b`)},
}

// Matters are what a Japanese sentence tells, or asks for, by its own word, as alternatives
// of a pattern.
const Matters = `名前|誕生日|趣味|出身|血液型|職業|仕事|最寄り駅|待ち合わせ(?:場所|時間)?|集合(?:場所|時間)?|` +
	`締め切り|締切|会議|打ち合わせ|合言葉|電話番号|好物|身長|結婚記念日|部署|番号`

// NameOf is the name of the fact that a word tells.
func NameOf(word string) string {
	for _, f := range facts {
		if slices.Contains(strings.Fields(f.told), word) {
			return string(f.names[0])
		}
	}
	return word
}

var (
	matters = regexp.MustCompile(`(?:([^\s、。はが]{1,12}の))?(` + Matters + `)`)
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
		if slices.ContainsFunc(list, func(t Topic) bool { return t.Kind == kind && string(t.Name) == name }) {
			return
		}
		for _, s := range whose {
			list = append(list, Topic{Kind: kind, Subject: messages.Text(s), Name: messages.Text(name)})
		}
	}
	for _, f := range facts {
		if f.asked.MatchString(question) {
			for _, name := range f.names {
				add(Fact, string(name))
			}
		}
	}
	for _, m := range matters.FindAllStringSubmatch(question, maxRelated) {
		add(Fact, NameOf(m[1]+m[2]))
		add(Fact, NameOf(m[2]))
	}
	for _, name := range related.FindAllString(question, maxRelated) {
		add(Relation, name)
		add(Fact, name)
	}
	return list
}

// maxRelated is how many people and animals, and how many matters, of a question are
// looked up.
const maxRelated = 3

// Known is a state that holds, with the words in which it is told.
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
