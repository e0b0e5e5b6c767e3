package growth

import (
	"regexp"
	"strings"

	"github.com/kehai-run/kehai/actors/memory"
)

// finding is what a pattern has read.
type finding struct {
	kind       memory.Kind // [claims] sets it
	name, body string
	op         memory.Op
	sure       bool
}

// pattern reads one way to say something. Its groups are named: body, name, and less,
// which is what somebody likes less.
type pattern struct {
	kind memory.Kind
	name memory.FactName // of the topic; "" is the group name
	op   memory.Op
	re   *regexp.Regexp
}

// Parts of the patterns. Japanese nouns end where a particle stands.
const (
	noun     = `(?P<body>[^\s、,。「」がはをもとでにへの]{1,20})`
	less     = `(?P<less>[^\s、,。「」がはをもとでにへの]{1,20}?)`
	very     = `(?:一番|いちばん|断然|すごく|とても|本当に|ほんとに|めっちゃ|やっぱり|大|ちょっと|かなり)*`
	relative = memory.Relatives
	animal   = memory.Animals
	matter   = memory.Matters
	is       = `(?:です|だよ|だ|なんだ|になった|になりました|に変更(?:になった|になりました|です|した|しました)?|にした|` +
		`にしました|に決まった|に決まりました|に変わった|に変わりました)(?:[ねよわ]|から)*$`
	capital = `(?P<body>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)`
	kin     = memory.Kin
	thing   = `(?P<body>[\w' -]{2,30}?)`
	lasts   = `(?:る|ます)(?:よ|ね|の|ん|わ|けど|から|が|し|、|$)`
	stated  = `(?:です|だな|なんだ|なので|で|だ?(?:よ|ね|けど|から|し|、|$)|かな|かも|に|と)`
	feels   = `(?:(?:really|just|absolutely|do|still) )*` +
		`(?:like|love|adore|enjoy|don't like|do not like|hate|can't stand|dislike)`
	ending = `(?: now| too| anymore| so much| a lot)?[.,!]*$`
)

var patterns = []pattern{
	{memory.Fact, memory.Home, memory.Holds, re(noun + `(?:に|へ)(?:引っ越し(?:た|ました|てき)|引越し(?:た|ました)|越してき)`)},
	{memory.Fact, memory.Home, memory.Holds, re(noun + `(?:に|で)(?:(?:住んで|暮らして)い?(?:` + lasts + `|て)|一人暮らし)`)},
	{memory.Fact, memory.Home, memory.Holds, re(
		`\b(?i:I|we)(?:'m| am| are|'re)? (?:now )?(?:live|living) in ` + capital)},
	{memory.Fact, memory.Home, memory.Holds, re(`\b(?i:I|we)(?:'ve| have)? (?:just |recently )?moved to ` + capital)},

	{memory.Fact, memory.Work, memory.Holds, re(noun + `で(?:働いてい?(?:` + lasts + `)|働き(?:始め|はじめ)|働くことにな)`)},
	{memory.Fact, memory.Work, memory.Holds, re(noun + `に(?:転職し|就職し|入社し|勤めて|勤め始め|就職が決ま|転職が決ま)`)},
	{memory.Fact, memory.Work, memory.Ends, re(`(?:仕事|会社|バイト|職場)(?:は|を|、)?(?:もう)?(?:辞め(?:た|ました)|やめ(?:た|ました)|退職し)`)},
	{memory.Fact, memory.Work, memory.Holds, re(`\bI(?:'m| am)? (?:now )?work(?:ing)? (?:at|for) ` + capital)},
	{memory.Fact, memory.Work, memory.Holds, re(`\bI(?:'ve)? (?:got|started) a (?:new )?job (?:at|with) ` + capital)},
	{memory.Fact, memory.Work, memory.Ends, re(`\bI (?:just |finally )?quit my job\b`)},
	{memory.Fact, memory.School, memory.Holds, re(
		`(?P<body>[^\s、,。「」がはをもとでにへの]{1,12}(?:大学院?|高校|中学校?|専門学校))に(?:通って|入学し|受か)`)},

	{memory.Fact, "", memory.Holds, re(
		`(?:^|、|ちなみに|やっぱり)(?P<name>(?:[^\s、。はが]{1,12}の)?(?:` + matter + `))は、?(?P<body>.{1,30}?)` + is)},
	{memory.Fact, "", memory.Holds, re(
		`\b(?i:my|our) (?P<name>birthday|phone number|address|hobby|hometown|favou?rite \w+) ` +
			`is (?:on |in )?(?P<body>.{1,40}?)[.!]*$`)},
	{memory.Fact, "", memory.Holds, re(
		`(?P<name>(?P<body>[^\s、,。「」がはをもとでにへの]{1,12})の?アレルギー)(?:が(?:ある|あり|出)|な[んの]|です|だ|で|持ち)`)},
	{memory.Fact, "", memory.Holds, re(`\bI(?:'m| am) (?P<name>allergic to (?P<body>[\w ]{2,30}?))[.,!]*$`)},
	{memory.Fact, "", memory.Holds, re(`(?P<name>` + animal + `)の(?P<body>[ァ-ヶー]{2,8})(?:が|は|も|と|を|って)`)},

	{memory.Relation, "", memory.Holds, re(`(?P<name>` + relative + `)の(?P<body>[ァ-ヶー]{2,8})(?:が|は|も|と|に|を|って)`)},
	{memory.Relation, "", memory.Holds, re(`(?P<name>` + relative + `)の(?P<body>[^\s、。のがは]{1,6}?)(?:さん|ちゃん|くん)`)},
	{memory.Relation, "", memory.Holds, re(
		`\b(?i:my|our) (?P<name>` + kin + `)(?:'s name)?,? (?:is (?:called |named )?)?` + capital)},

	{memory.Preference, "", memory.Likes, re(noun + `(?:が|は|も)?` + very + `(?:好き|すき)` + stated)},
	{memory.Preference, "", memory.Likes, re(noun + `派(?:です|だ|かな|なん|$|ね|よ|に)`)},
	{memory.Preference, "", memory.Likes, re(noun + `に(?:ハマって|はまって)`)},
	{memory.Preference, "", memory.Likes, re(
		`\bI (?:really |just |absolutely |do |still )*(?:like|love|adore|enjoy) ` + thing + ending)},
	{memory.Preference, "", memory.Likes, re(
		less + `より(?:も|は)?、?(?P<body>[^\s、,。「」がはをもとでにへの]{1,20}?)` +
			`(?:の?(?:ほう|方))?(?:が|も)?(?:いい|良い|好き|派|合う|おいしい|です|だ|かな|$)`)},
	{memory.Preference, "", memory.Likes, re(
		`\bI (?:now )?prefer (?P<body>[\w' -]{2,30}?) (?:to|over) (?P<less>[\w' -]{2,30}?)` + ending)},
	{memory.Preference, "", memory.Dislikes, re(
		noun + `(?:が|は|も)?` + very + `(?:(?:苦手|嫌い|きらい)` + stated + `|食べられない|飲めない|好きじゃな|好きではな)`)},
	{memory.Preference, "", memory.Dislikes, re(
		`\bI (?:really )?(?:don't like|do not like|hate|can't stand|dislike) ` + thing + ending)},
	{memory.Preference, "", memory.Ends, re(`もう` + noun + `は(?:飲まない|食べない|いらない|卒業|飲んでない|食べてない)`)},
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

var (
	unsure = re(`(?:かな|かも|かもしれない|っけ|らしい|みたい|だろうか|でしょうか|たら|なら|たい|たいな|たいね|ようか|しよう|` +
		`ない[?？]|どうかな|のかな|だって|って言ってた|そうです|そうだ)$|わけ(?:じゃ|では|でも)な|` +
		`と(?:[^\s、。]{1,8}が)?(?:言って|いって)(?:い?た|い?る|ました|います)|^もし|^(?i:if|maybe|perhaps)\b|` +
		`(?:住み|働き|行き|飲み|食べ)たい|引っ越したい|転職したい|\b(?i:would|might|used to|wish|want to)\b`)
	// What somebody would rather have sounds like doubt, and is none: コーヒーより緑茶かな.
	rather = re(`(より(?:も|は)?、?[\p{Han}\p{Katakana}ー]{1,12}(?:の?(?:ほう|方)|派)?(?:が(?:いい|良い|好き))?)かなあ?$`)
	past   = re(`(?:た|だ|ました|でした|済み|終わり|完了)(?:[ねよわな]|から|の|んだ|よね|けど)*$|` +
		`(?i)\b(?:done|finished|bought|booked|went|sent|paid|was|were|\w{3,}ed)\b`)
	cancelled = re(`中止|キャンセル|取りやめ|取り消し|なくなった|なくなりました|行けなく|やめた|やめました|やめる|やめます|流れた|なしに` +
		`|(?i)\bcancel|called off|not going|won't be`)
	must = re(`(?:なきゃ|ないと|なくちゃ|なければ(?:ならない|いけない)?|ないといけない|予定(?:です|だよ?|なんだ)?|つもり(?:です|だよ?)?|` +
		`こと(?:にした|にしました|になった|になりました)|ておく|ておきます|とく|とくわ)(?:[ねよわ])*$|` +
		`(?i)\b(?:I|we)(?: need to| have to| must|(?:'ve| have) got to)\b`)
	// A verb in the dictionary's form; what ends so without being one is not in it.
	will = re(`(?:[行書聞歩働焼引置開描抜磨招拭巻解弾炊履]く|てい?く|ておく|[会買払習使伝洗歌誘祝拾伺縫]う|もらう|向かう|\p{Han}[すぶむぐ]|` +
		`[待持立打]つ|[\p{Han}えけげせぜてでねべめれわ]る|する|やる|とる|のる|くる|ます)(?:[ねよわぞ]|んだ|の|から)*$|` +
		`(?i)\b(?:(?:I|we)(?:'ll| will)|(?:I'm|I am|we're|we are) (?:going to|meeting|visiting|seeing|flying|leaving|` +
		`driving|taking|moving|picking|travell?ing|throwing|hosting|playing|joining|planning))\b`)
	// What happens by itself, or only says how something is.
	happens = re(`(?:[始閉決集止終変分見か]ま?[るわか]る|まる|わる|かる|られる|[会買使見聞もら]え?こ?える|行ける|晴れる|[降治]る|着く|` +
		`[^捨立建育]てい?る|[んい]でい?る|[^入]れる|[混込]む|だけ休む|である|あります|います|できます|なります|思います|まります|わります)(?:[ねよわ]|んだ|の|から)*$|` +
		`(?i)'ll (?:be|never|always|miss|have|bet|see (?:what|how|if|on|you))\b|` +
		`\b(?:have to|must) (?:admit|say|confess|laugh|have|be|agree|look|seem|feel)\b`)
	habit  = re(`毎[日朝晩夜週月年]|いつも|普段|ふだん|だいたい|たいてい|(?i)\b(?:every|usually|always|normally)\b`)
	spared = re(`なくて(?:も)?(?:いい|よい|良い)|ない(?:つもり|予定|こと)`)
	// The words of others, and what another one has to do.
	reported = re(`^(?:あなた|君|きみ|お前)[はが]|(?i)\b(?:said|says|told|tells|thinks?|thought)\b`)
	others   = re(`(?:彼女?|[のな]人|あの子|あいつ|みんな|両親|家族|誰か|` + relative + `|` +
		`[\p{Han}\p{Katakana}ー]+(?:さん|ちゃん|くん)|先輩|先生)(?:たち)?[はがも]|` +
		`(?i)\b(?:used to|almost|nearly)\b`)
	// What is said of another person, so that the next sentences without a subject may be too.
	person = re(others.String() + `|(?:彼女?|` + relative + `|[\p{Han}\p{Katakana}ー]+(?:さん|ちゃん|くん))の[^、。\s]{1,10}?は`)
	self   = re(`[私僕俺]|わたし|あたし|自分`)
	// What one has to do is one's own.
	owes   = re(`(?:なきゃ|ないと|なくちゃ|なければ(?:ならない|いけない)?|ておく|ておきます|とく|とくわ)(?:[ねよわ])*$`)
	joined = re(`^(.*?\bI ` + feels + ` [\w' -]{2,30}?)(?:,? (?:and|but)|,) (` + feels + ` .+)$`)
	denied = re(`(?i)\b(?:don't|do not|doesn't|didn't)\b`)
	// What is no thing.
	vague = re(`^(?:ここ|そこ|あそこ|どこ|それ|これ|あれ|大変|きれい|楽しみ|大事|最高|いつ|まだ|どう|無理|だめ|内緒|秘密)$|くて?$|から$|` +
		`^(?i:it|that|this|these|those|you|him|her|them|us|me|how|what|when|where|why|who|if|to|your|` +
		`is|are|being|each other)\b`)
	// Who or what does it, apart from times, which are marked like subjects.
	subjects = re(`が|(?:^|[^\p{Han}])\p{Han}*[^日夜朝昼晩曜週末月年時度次\sぁ-ん\x00-\x7f]は`)
	mine     = re(`[私僕俺][がは]`)
	before   = re(`^(?:思った|前|以前|予想|いつも|昨日|去年|何|今|想像|普段|誰)$`)
	states   = re(`(?:です|ません)(?:[ねよわ]|が|から|けど)*$`)
	weather  = re(`雨|雪|晴れ|天気|台風|気温|暑|寒|風が|地震|(?i)\b(?:rain|snow|sunny|weather)\b`)
	adverbs  = re(`^(?:今|いま|もう|また|やっぱり|やっぱ|やはり|実は|結局|ついに|最近|先月|先週|昨日|来月|今年|去年|今月|今日|` +
		`私|僕|俺|わたし|まだ|けっこう|すごく|とても|本当|春から|夏から|秋から|冬から)+`)
	fond    = re(`(?:やっぱり|やっぱ|やはり|一番|いちばん|断然|本当|とても|すごく|めっちゃ|かなり|大|が|は|も)+$`)
	kinship = re(`^(?:` + relative + `)$`)
	firm    = re(`やっぱり|やっぱ|やはり|大好き|大嫌い|一番|いちばん|断然|絶対|` +
		`(?i)\b(?:really|love|hate|always|actually|after all|can't stand)\b`)
)

// read returns what a sentence says in the way of the pattern.
func (p pattern) read(s string) (list []finding) {
	at := p.re.FindStringSubmatchIndex(s)
	if at == nil {
		return nil
	}
	if i := p.re.SubexpIndex("body"); i > 0 && (p.kind == memory.Preference || p.name != "") &&
		(others.MatchString(s[:at[2*i]]) || p.op != memory.Dislikes && denied.MatchString(s[:at[2*i]])) {
		return nil
	}
	m := p.re.FindStringSubmatch(s)
	f := finding{name: string(p.name), op: p.op, sure: firm.MatchString(s)}
	if i := p.re.SubexpIndex("body"); i > 0 {
		f.body = bare(m[i])
	}
	if i := p.re.SubexpIndex("name"); i > 0 {
		f.name = named(m[i])
	}
	if p.kind == memory.Preference {
		f.body = fond.ReplaceAllString(f.body, "")
		f.name = f.body
	}
	if f.name == "" || f.body == "" && f.op == memory.Holds || vague.MatchString(f.body) {
		return nil
	}
	list = append(list, f)
	if i := p.re.SubexpIndex("less"); i > 0 {
		switch l := bare(m[i]); {
		case before.MatchString(l):
			return nil
		case l != "" && f.sure:
			list = append(list, finding{name: l, body: l, op: memory.Ends, sure: true})
		}
	}
	return list
}

// bare removes what does not belong to a noun.
func bare(s string) string {
	if _, after, ok := strings.Cut(s, "から"); ok && after != "" {
		s = after
	}
	return strings.Trim(adverbs.ReplaceAllString(strings.TrimSpace(s), ""), " 　、,'")
}

// named is the name of a topic: what means the same has one.
func named(s string) string {
	word := bare(s)
	if s = memory.NameOf(word); s != word {
		return s
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "うちの"), "の")
	return strings.TrimSuffix(s, "の名前")
}
