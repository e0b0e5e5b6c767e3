package when

import "time"

// Shorthands for the dictionaries.
func dayShift(n int) fields   { return fields{has: hasDays, days: n} }
func weekShift(n int) fields  { return fields{has: hasWeeks, weeks: n} }
func monthShift(n int) fields { return fields{has: hasMonths, months: n} }
func yearShift(n int) fields  { return fields{has: hasYears, years: n} }
func partOf(p part) fields    { return fields{has: hasPart, part: p} }
func partAt(n int, p part) fields {
	return fields{has: hasDays | hasPart, days: n, part: p}
}
func weekdayOf(d time.Weekday) fields { return fields{has: hasWeekday, weekday: d} }
func edgeOf(e edge) fields            { return fields{has: hasEdge, edge: e} }
func clockAt(hour int) fields {
	return fields{has: hasClock, hour: hour, fine: Hour, literal: true}
}
func feastDay(month, day int) fields { return fields{has: hasMonth | hasDay, month: month, day: day} }
func seasonOf(n int) fields          { return fields{has: hasSeason, season: n} }

// aWhileAgo is さっき: within the last hours.
var aWhileAgo = fields{has: hasLately, distance: -4 * time.Hour}

// japanese is the dictionary of terms that are items by themselves.
var japanese = map[string]fields{
	"今日": dayShift(0), "きょう": dayShift(0), "本日": dayShift(0), "明日": dayShift(1), "あした": dayShift(1),
	"あす": dayShift(1), "明後日": dayShift(2), "あさって": dayShift(2), "明々後日": dayShift(3), "しあさって": dayShift(3),
	"昨日": dayShift(-1), "きのう": dayShift(-1), "一昨日": dayShift(-2), "おととい": dayShift(-2),
	"おとつい": dayShift(-2), "一昨々日": dayShift(-3), "一昨昨日": dayShift(-3), "さきおととい": dayShift(-3),
	"先おととい": dayShift(-3),

	"今朝": partAt(0, morning), "けさ": partAt(0, morning), "今夜": partAt(0, night), "今晩": partAt(0, night),
	"昨夜": partAt(-1, night), "昨晩": partAt(-1, night), "ゆうべ": partAt(-1, night), "夕べ": partAt(-1, night),
	"明朝": partAt(1, morning), "明晩": partAt(1, night), "一昨夜": partAt(-2, night),

	"今週": weekShift(0), "来週": weekShift(1), "再来週": weekShift(2), "さ来週": weekShift(2), "先週": weekShift(-1),
	"先々週": weekShift(-2), "先先週": weekShift(-2), "今週末": {has: hasWeeks | hasWeekend},
	"来週末": {has: hasWeeks | hasWeekend, weeks: 1}, "先週末": {has: hasWeeks | hasWeekend, weeks: -1},
	"週末": {has: hasWeekend}, "土日": {has: hasWeekend},

	"今月": monthShift(0), "来月": monthShift(1), "再来月": monthShift(2), "先月": monthShift(-1),
	"先々月": monthShift(-2), "先先月": monthShift(-2),
	"今月末": {has: hasMonths | hasEdge, edge: lastDay}, "来月末": {has: hasMonths | hasEdge, months: 1, edge: lastDay},
	"先月末": {has: hasMonths | hasEdge, months: -1, edge: lastDay},
	"月末":  {has: hasEdge, edge: lastDay}, "月初": {has: hasEdge, edge: firstDay}, "月初め": {has: hasEdge, edge: firstDay},
	"上旬": edgeOf(firstThird), "初旬": edgeOf(firstThird), "中旬": edgeOf(secondThird), "下旬": edgeOf(lastThird),

	"今年": yearShift(0), "ことし": yearShift(0), "本年": yearShift(0), "来年": yearShift(1), "再来年": yearShift(2),
	"去年": yearShift(-1), "昨年": yearShift(-1), "一昨年": yearShift(-2), "おととし": yearShift(-2),
	"年末": edgeOf(yearEnd), "年始": edgeOf(yearStart), "正月": edgeOf(yearStart), "お正月": edgeOf(yearStart),
	"三が日": edgeOf(yearStart), "去年末": yearShift(-1).take(edgeOf(yearEnd)),
	"昨年末": yearShift(-1).take(edgeOf(yearEnd)), "一昨年末": yearShift(-2).take(edgeOf(yearEnd)),
	"年明け": edgeOf(yearBegins), "年始め": edgeOf(yearBegins), "今年度": yearShift(0).take(edgeOf(fiscalYear)),
	"昨年度": yearShift(-1).take(edgeOf(fiscalYear)), "来年度": yearShift(1).take(edgeOf(fiscalYear)),
	"ゴールデンウィーク": edgeOf(goldenWeek), "ゴールデンウイーク": edgeOf(goldenWeek), "お盆": edgeOf(obon),
	"お盆休み": edgeOf(obon), "盆休み": edgeOf(obon),
	"初め": edgeOf(firstThird), "はじめ": edgeOf(firstThird), "始め": edgeOf(firstThird), "頭": edgeOf(firstThird),
	"半ば": edgeOf(secondThird), "中頃": edgeOf(secondThird), "中ごろ": edgeOf(secondThird),
	"終わり": edgeOf(lastThird), "終わりごろ": edgeOf(lastThird), "終わり頃": edgeOf(lastThird),
	"前半": edgeOf(firstHalf), "後半": edgeOf(lastHalf),
	"今頃": {has: hasAround}, "今ごろ": {has: hasAround}, "いまごろ": {has: hasAround},
	"さっき": aWhileAgo, "ついさっき": aWhileAgo, "さきほど": aWhileAgo, "先ほど": aWhileAgo, "先程": aWhileAgo,
	"先日": {has: hasLately, days: -14}, "こないだ": {has: hasLately, days: -14}, "この前": {has: hasLately, days: -14},
	"ここ数日": {has: hasLately, days: -5}, "クリスマス": feastDay(12, 25), "クリスマスイブ": feastDay(12, 24),
	"クリスマスイヴ": feastDay(12, 24), "ハロウィン": feastDay(10, 31), "ハロウィーン": feastDay(10, 31),
	"バレンタイン": feastDay(2, 14), "バレンタインデー": feastDay(2, 14), "ホワイトデー": feastDay(3, 14),
	"七夕": feastDay(7, 7), "節分": feastDay(2, 3), "ひな祭り": feastDay(3, 3), "こどもの日": feastDay(5, 5),
	"子供の日": feastDay(5, 5),
	"昨夏":   {has: hasYears | hasSeason, years: -1, season: 1}, "昨秋": {has: hasYears | hasSeason, years: -1, season: 2},
	"今夏": {has: hasYears | hasSeason, season: 1}, "今秋": {has: hasYears | hasSeason, season: 2},
	"来春":  {has: hasYears | hasSeason, years: 1},
	"大晦日": {has: hasMonth | hasDay, month: 12, day: 31}, "元日": {has: hasMonth | hasDay, month: 1, day: 1},
	"元旦": {has: hasMonth | hasDay, month: 1, day: 1},

	"午前": partOf(am), "午前中": partOf(am), "明け方": partOf(dawn), "早朝": partOf(dawn), "朝": partOf(morning),
	"昼": partOf(noonish), "お昼": partOf(noonish), "昼過ぎ": partOf(afternoon), "昼すぎ": partOf(afternoon),
	"午後": partOf(afternoon), "夕方": partOf(dusk), "晩": partOf(evening), "夜": partOf(night), "深夜": partOf(late),
	"夜中": partOf(late), "真夜中": partOf(late), "正午": clockAt(12),

	"月曜": weekdayOf(time.Monday), "火曜": weekdayOf(time.Tuesday), "水曜": weekdayOf(time.Wednesday),
	"木曜": weekdayOf(time.Thursday), "金曜": weekdayOf(time.Friday), "土曜": weekdayOf(time.Saturday),
	"日曜": weekdayOf(time.Sunday), "月曜日": weekdayOf(time.Monday), "火曜日": weekdayOf(time.Tuesday),
	"水曜日": weekdayOf(time.Wednesday), "木曜日": weekdayOf(time.Thursday), "金曜日": weekdayOf(time.Friday),
	"土曜日": weekdayOf(time.Saturday), "日曜日": weekdayOf(time.Sunday),

	"春": seasonOf(0), "夏": seasonOf(1), "秋": seasonOf(2), "冬": seasonOf(3),
	"春休み": seasonOf(0), "夏休み": seasonOf(1), "冬休み": seasonOf(3),
}

// particles are the other Japanese terms that the grammar knows, including words that
// begin like a term but are not one.
var particles = asSet("年", "年間", "年代", "年生", "年度", "月", "ヶ月", "か月", "カ月", "ヵ月", "ケ月", "箇月",
	"ヶ月間", "か月間", "カ月間", "ヵ月間", "月間", "日", "日間", "日中", "週", "週間", "週目", "時", "時間", "時間目", "時代",
	"分", "分間", "秒", "秒間", "半", "半年", "半時間", "半日", "半分", "元年", "前", "まえ", "後", "あと", "ご", "前後",
	"以内", "以上", "以下", "以降", "以前", "の", "に", "は", "、", "から", "まで", "までに", "より",
	"ごろ", "頃", "ころ", "くらい", "ぐらい", "ほど", "スコア", "ちょうど", "きっかり", "ぴったり", "すぎ", "過ぎ", "したら", "たったら",
	"経ったら", "経過後", "次の", "今度の", "この前の", "前の", "こないだの", "この間の", "この", "数", "何", "末", "ここ", "毎", "頭痛",
	"以来", "さっきょく", "さっきん",
	"初めて", "はじめて", "始めて", "始めた", "始める", "はじめた", "はじめまし", "始めまし", "終わりま",
	"毎日", "毎朝", "毎晩", "毎週", "毎月", "毎年", "令和", "平成", "昭和", "大正", "明治", "日曜大工", "きょうだい",
	"きょうと", "きょうり", "きょうし", "きょうい", "きょうみ", "きょうか", "きょうふ", "あすか", "あすな", "明日香", "明日葉",
	"今日子", "今日的", "本日中", "夏目", "夏子", "秋田", "秋葉", "秋刀魚", "春日", "春子", "夏美", "冬美", "朝日", "朝鮮",
	"朝食", "朝ごはん", "昼食", "昼寝", "昼ごはん", "昼休み", "夜景", "夜食", "夜勤", "夜行", "晩ごはん", "前日", "翌日",
	"あした葉", "一時的", "一時停止", "一時期", "一日中", "時給", "分の", "分の一", "朝顔", "深夜バス", "夜明け前", "春菊", "春巻", "春巻き")

func asSet(words ...string) map[string]bool {
	known := map[string]bool{}
	for _, w := range words {
		known[w] = true
	}
	return known
}

// eras are the Japanese eras that people count years by, with their first days.
var eras = []struct {
	name             string
	year, month, day int
}{
	{"明治", 1868, 1, 25}, {"大正", 1912, 7, 30}, {"昭和", 1926, 12, 25}, {"平成", 1989, 1, 8}, {"令和", 2019, 5, 1},
}

// english is the dictionary of words that are items by themselves.
var english = map[string]fields{
	"today": dayShift(0), "tomorrow": dayShift(1), "tmrw": dayShift(1), "tmr": dayShift(1), "yesterday": dayShift(-1),
	"tonight": partAt(0, night), "tonite": partAt(0, night), "noon": clockAt(12), "midday": clockAt(12),
	"midnight": clockAt(24),
}

// weekdays and months by all their names. A name that is also another word counts only
// where nothing else makes sense.
var (
	weekdays = map[string]time.Weekday{
		"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
		"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
	}
	monthNames = map[string]int{
		"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
		"september": 9, "october": 10, "november": 11, "december": 12,
		"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
		"dec": 12,
	}
	doubtful = asSet("mon", "wed", "sat", "sun", "fri", "may", "march", "mar", "august", "jan", "dec", "sep")
	seasons  = map[string]int{"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
	dayparts = map[string]part{"morning": morning, "afternoon": afternoon, "evening": evening, "night": night}
)

// counts are the numbers in words.
var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// decades in words.
var decades = map[string]int{
	"twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970,
	"eighties": 1980, "nineties": 1990,
}

// ordinals of a month's days, in words.
var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "fifteenth": 15, "twentieth": 20, "thirtieth": 30,
}

// unit is what time is counted in.
type unit uint8

const (
	noUnit unit = iota
	seconds
	minutes
	hourly
	daily
	weekly
	monthly
	yearly
	decadal
)

// units by their names in both languages.
var units = map[string]unit{
	"second": seconds, "seconds": seconds, "sec": seconds, "secs": seconds, "minute": minutes, "minutes": minutes,
	"min": minutes, "mins": minutes, "hour": hourly, "hours": hourly, "hr": hourly, "hrs": hourly, "day": daily,
	"days": daily, "week": weekly, "weeks": weekly, "wk": weekly, "wks": weekly, "month": monthly, "months": monthly,
	"year": yearly, "years": yearly, "yr": yearly, "yrs": yearly,
	"decade": decadal, "decades": decadal,
	"秒": seconds, "分": minutes, "時間": hourly, "日": daily, "週": weekly, "週間": weekly, "ヶ月": monthly, "か月": monthly,
	"カ月": monthly, "ヵ月": monthly, "ケ月": monthly, "箇月": monthly, "年": yearly, "年間": yearly, "日間": daily,
	"分間": minutes, "秒間": seconds, "ヶ月間": monthly, "か月間": monthly, "カ月間": monthly, "ヵ月間": monthly,
}

// clauses are words that may follow a bare hour or year, because a number before them
// counts nothing.
var clauses = asSet("to", "and", "or", "for", "that", "about", "please", "pls", "when", "if", "but", "so", "on", "in",
	"at", "i", "we", "you", "he", "she", "it", "they", "because", "then", "with", "is", "was", "were", "ok", "okay",
	"thanks", "thank", "sharp", "today", "tomorrow", "tonight", "yesterday", "this", "next", "last", "from", "until",
	"till", "by", "before", "after", "the", "my", "our", "your", "there", "here", "of", "sometime", "instead", "again",
	"as", "will", "did", "had", "has", "have", "am", "pm", "local", "tmrw", "tmr", "every", "would", "could", "should",
	"he'll", "i'll", "we'll", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "call",
	"buy", "wake", "ping", "maybe", "remind", "tell", "text", "message", "nudge", "alert", "notify", "let", "set")

// prepositions introduce an expression.
var prepositions = asSet("at", "on", "in", "by", "from", "since", "until", "till", "before", "after", "around", "about",
	"during", "of", "back")
