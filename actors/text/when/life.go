package when

import (
	"regexp"
	"strconv"
	"strings"
)

// Life is a set of stages of a life. When they were depends on whose life it is, so they
// have no dates; [Lives] finds them in a text.
type Life uint8

// Stages of a life.
const (
	Infancy          Life = 1 << iota // before school
	ElementarySchool                  // from about 6 years of age
	MiddleSchool                      // from about 12
	HighSchool                        // from about 15
	University                        // from about 18
	Work                              // from about 22

	Childhood = Infancy | ElementarySchool | MiddleSchool
	Youth     = MiddleSchool | HighSchool
	School    = ElementarySchool | MiddleSchool | HighSchool
	Studies   = School | University
)

// Meets reports whether two sets have a stage in common.
func (l Life) Meets(o Life) bool { return l&o != 0 }

// Words returns the words by which a text may name the stages, for a search.
func (l Life) Words() (list []string) {
	for _, s := range []struct {
		of    Life
		words []string
	}{
		{Infancy, []string{"幼稚園", "保育園", "kindergarten"}}, {ElementarySchool, []string{"小学", "elementary"}},
		{MiddleSchool, []string{"中学", "middle", "junior"}}, {HighSchool, []string{"高校", "high"}},
		{University, []string{"大学", "college", "university"}}, {Studies, []string{"学生", "school", "student"}},
		{Childhood, []string{"子供", "child", "kid"}}, {Work, []string{"社会人"}},
	} {
		if l.Meets(s.of) {
			list = append(list, s.words...)
		}
	}
	return list
}

// stages are the words of each stage, longer ones first.
var stages = []struct {
	japanese, english string
	life              Life
}{
	{"幼稚園児?|保育園児?|園児|赤ちゃん|赤ん坊|幼児", "kindergarten|preschool|nursery school|a baby|a toddler", Infancy},
	{"小学校|小学生|小学?[1-6一二三四五六]年?生?", "elementary school|primary school|grade school", ElementarySchool},
	{"中学校?|中学生|中[1-3一二三]", "middle school|junior high(?: school)?", MiddleSchool},
	{"高校|高校生|高[1-3一二三]|高等学校", "high school|highschool|secondary school", HighSchool},
	{"大学院?|大学生|大学[1-4一二三四]年生?|院生|短大|浪人",
		"college|university|uni|grad(?:uate)? school|an undergrad", University},
	{"学生|在学", "a student|student", Studies},
	{"学校", "school", School},
	{"子供|子ども|こども|幼少期?|幼い|小さい|小さかった",
		"a child|a kid|a little (?:boy|girl|kid)|a (?:small|young) child|little", Childhood},
	{"10代|十代|ティーンエイジャー", "teens|a teenager|a teen", Youth},
	{"20代|二十代", "twenties|20s", University | Work},
	{"社会人|新入社員|新人|新卒|(?:[34]0|[三四]十)代", "thirties|30s|forties|40s", Work},
}

// ageWords are the ages that people write in words.
const ageWords = `five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|` +
	`eighteen|nineteen|twenty`

// gradeWords are the numbers of school years.
const gradeWords = `first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|` +
	`[0-9]{1,2}(?:st|nd|rd|th)`

// then matches what turns a Japanese word for a stage into a time.
const then = `(?:の|だった|に(?:通|かよ)って(?:い?た|い?る)|に(?:い|入っ)た|に入学した|を(?:出|卒業し)た|に上がった|くらいの|ぐらいの)?` +
	`(?:[2-4]?年生?の)?(?:とき|時代|時分|時(?:[、にはのも,]|$)|頃|ころ|ごろ|最中|折|` +
	`[春夏秋冬](?:休み|[、にはのもでか,]|$))`

var (
	japaneseLife = regexp.MustCompile(`(` + words(0) + `)` + then + `|(` + words(0) + `)(?:を卒業|に入学|の卒業式|の入学式)`)
	englishLife  = regexp.MustCompile(
		`\b(?:when|while|since|until) (?:[a-z]+ ){1,2}(?:was|were|attended|went to|started|finished|entered|left)` +
			`(?: still)?(?: in| at)?(?: (?:the|my|his|her|their))? (` + words(1) + `)\b|` +
			`\b(?:in|during|since|throughout|after|graduat[a-z]+ from) (?:(?:my|his|her|your|their|our|the) )?` +
			`(?:(?:early|late|mid)[- ])?(` + words(1) + `)(?: (?:days|years))?\b|` +
			`\bas (` + words(1) + `)\b|\b(?:my|his|her|your|their|our) (` + words(1) + `) (?:days|years)\b`)
	schoolYears = regexp.MustCompile(`\b(?:in|during|since|after|through) (?:the )?(` + gradeWords + `) grade\b|` +
		`\b(?:as|was|were) (?:an? )?(` + gradeWords + `) graders?\b`)
	grownUp = regexp.MustCompile(`(?:^|([a-z']+)[^a-z]*)\bgrowing up\b`)
	growing = regexp.MustCompile(
		`\b(?:in|during|from|since) (?:my|his|her|your|their|our) (childhood|youth|infancy)\b`)
	ages = regexp.MustCompile(
		`\b(?:when|while) (?:[a-z]+ ){1,2}(?:was|were|turned) ` +
			`([0-9]{1,2}|` + ageWords + `)(?: years old)?(?:$|[^0-9a-z:% ]| (?:and|i|we|he|she)\b)|` +
			`\bage (?:of )?([0-9]{1,2}|` + ageWords + `)\b|` +
			`((?:[0-9]{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[五六七八九])[歳才]|はたち)` +
			`(?:の|だった|くらいの|ぐらいの)?(?:とき|時|頃|ころ|ごろ)`)
	kinds = func() (list []*regexp.Regexp) {
		for _, s := range stages {
			list = append(list, regexp.MustCompile(`^(?:`+s.japanese+`|`+s.english+`)$`))
		}
		return list
	}()
)

// words returns one pattern for the words of all stages in a language.
func words(language int) string {
	var list []string
	for _, s := range stages {
		list = append(list, [...]string{s.japanese, s.english}[language])
	}
	return strings.Join(list, "|")
}

// Lives returns the stages of a life that a text names as times: 高校のとき, "when I was at
// school", "at the age of 12". A word alone does not count: "the high school is closed".
// It takes time in proportion to the text's length.
func Lives(text string) (l Life) {
	low := strings.Map(fold, text)
	for _, re := range []*regexp.Regexp{japaneseLife, englishLife} {
		for _, m := range re.FindAllStringSubmatch(low, -1) {
			l |= stageOf(strings.Join(m[1:], ""))
		}
	}
	for _, m := range growing.FindAllStringSubmatch(low, -1) {
		l |= map[string]Life{"childhood": Childhood, "youth": Youth | University, "infancy": Infancy}[m[1]]
	}
	for _, m := range schoolYears.FindAllStringSubmatch(low, -1) {
		l |= atAge(5 + gradeOf(strings.Join(m[1:], "")))
	}
	for _, m := range grownUp.FindAllStringSubmatch(low, -1) {
		if !nowGrowing[m[1]] {
			l |= Childhood | Youth
		}
	}
	for _, m := range ages.FindAllStringSubmatch(low, -1) {
		l |= atAge(ageOf(strings.Join(m[1:], "")))
	}
	return l
}

// nowGrowing are the words after which "growing up" is no time.
var nowGrowing = asSet("is", "are", "am", "i'm", "he's", "she's", "it's", "they're", "we're", "you're", "be", "been",
	"of", "about", "keep", "keeps", "stop", "start", "started", "kids", "not")

// gradeOf reads the number of a school year.
func gradeOf(s string) int {
	if n, ok := ordinals[s]; ok {
		return n
	}
	n, _ := strconv.Atoi(strings.TrimRight(s, "stndrh"))
	return n
}

func stageOf(word string) Life {
	for i, re := range kinds {
		if re.MatchString(word) {
			return stages[i].life
		}
	}
	return 0
}

// ageOf reads an age in digits or words.
func ageOf(s string) int {
	s = strings.TrimRight(s, "歳才")
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := counts[s]; ok {
		return n
	}
	if s == "はたち" {
		return 20
	}
	tens, ones, ten := strings.Cut(s, "十")
	digit := func(s string, none int) int {
		if i := strings.Index("一二三四五六七八九", s); s != "" && i >= 0 {
			return i/len("一") + 1
		}
		return none
	}
	if !ten {
		return digit(tens, 0)
	}
	return 10*digit(tens, 1) + digit(ones, 0)
}

func atAge(n int) Life {
	switch {
	case n < 6:
		return Infancy
	case n < 12:
		return ElementarySchool
	case n < 15:
		return MiddleSchool
	case n < 18:
		return HighSchool
	case n < 22:
		return University | Work
	}
	return Work
}
