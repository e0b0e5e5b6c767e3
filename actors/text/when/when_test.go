package when_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text/when"
)

var tokyo = mustZone("Asia/Tokyo")

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// sunday is the moment of most rows: a Sunday, 10:00.
var sunday = time.Date(2026, 11, 22, 10, 0, 0, 0, tokyo)

// show writes what was found in a short form: "from..to precision" of each span,
// without what is zero.
func show(found []when.Found) string {
	var list []string
	for _, f := range found {
		list = append(list, stamp(f.From)+".."+stamp(f.To)+" "+f.Precision.String())
	}
	return strings.Join(list, ", ")
}

func stamp(t time.Time) string {
	layout := "2006-01-02T15:04:05"
	switch {
	case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		layout = "2006-01-02"
	case t.Second() == 0:
		layout = "2006-01-02T15:04"
	}
	return t.Format(layout)
}

// TestFind has expressions that mean the same in both directions.
func TestFind(t *testing.T) {
	for _, c := range [][2]string{
		{"今日", "2026-11-22..2026-11-23 day"},
		{"明日", "2026-11-23..2026-11-24 day"},
		{"あさって", "2026-11-24..2026-11-25 day"},
		{"しあさって", "2026-11-25..2026-11-26 day"},
		{"昨日", "2026-11-21..2026-11-22 day"},
		{"おととい", "2026-11-20..2026-11-21 day"},
		{"一昨日", "2026-11-20..2026-11-21 day"},
		{"明後日の午後", "2026-11-24T12:00..2026-11-24T18:00 part of day"},
		{"きのうの夜", "2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"今夜8時", "2026-11-22T20:00..2026-11-22T21:00 hour"},
		{"今晩", "2026-11-22T18:00..2026-11-23T04:00 part of day"},
		{"昨夜", "2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"ゆうべ", "2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"明朝7時", "2026-11-23T07:00..2026-11-23T08:00 hour"},
		{"明日の9時に", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"明日、9時に", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"明日は９時に集合", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"明日朝9時", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"明日の夕方", "2026-11-23T16:00..2026-11-23T19:00 part of day"},
		{"明日の昼", "2026-11-23T11:00..2026-11-23T14:00 part of day"},
		{"明日の夜1時", "2026-11-24T01:00..2026-11-24T02:00 hour"},
		{"今夜2時", "2026-11-23T02:00..2026-11-23T03:00 hour"},
		{"来週", "2026-11-23..2026-11-30 week"},
		{"再来週", "2026-11-30..2026-12-07 week"},
		{"先週", "2026-11-09..2026-11-16 week"},
		{"先々週", "2026-11-02..2026-11-09 week"},
		{"来週の月曜 午後3時半", "2026-11-23T15:30..2026-11-23T15:31 minute"},
		{"来週月曜日の15:00", "2026-11-23T15:00..2026-11-23T15:01 minute"},
		{"再来週の水曜", "2026-12-02..2026-12-03 day"},
		{"先週の火曜", "2026-11-10..2026-11-11 day"},
		{"今週の金曜", "2026-11-20..2026-11-21 day"},
		{"次の金曜", "2026-11-27..2026-11-28 day"},
		{"この前の日曜", "2026-11-15..2026-11-16 day"},
		{"来月", "2026-12-01..2027-01-01 month"},
		{"先月", "2026-10-01..2026-11-01 month"},
		{"再来月", "2027-01-01..2027-02-01 month"},
		{"来月の5日", "2026-12-05..2026-12-06 day"},
		{"今月末", "2026-11-30..2026-12-01 day"},
		{"来月末", "2026-12-31..2027-01-01 day"},
		{"来月の中旬", "2026-12-11..2026-12-21 days"},
		{"去年", "2025-01-01..2026-01-01 year"},
		{"来年", "2027-01-01..2028-01-01 year"},
		{"おととし", "2024-01-01..2025-01-01 year"},
		{"令和5年", "2023-01-01..2024-01-01 year"},
		{"平成元年", "1989-01-08..1990-01-01 year"},
		{"昭和64年", "1989-01-01..1989-01-08 year"},
		{"令和元年", "2019-05-01..2020-01-01 year"},
		{"昭和39年10月10日", "1964-10-10..1964-10-11 day"},
		{"明治45年", "1912-01-01..1912-07-30 year"},
		{"2018年", "2018-01-01..2019-01-01 year"},
		{"二〇一八年", "2018-01-01..2019-01-01 year"},
		{"1969年7月20日", "1969-07-20..1969-07-21 day"},
		{"1931年", "1931-01-01..1932-01-01 year"},
		{"2018年5月", "2018-05-01..2018-06-01 month"},
		{"2018年の冬", "2018-12-01..2019-03-01 season"},
		{"去年の夏", "2025-06-01..2025-09-01 season"},
		{"今年の春", "2026-03-01..2026-06-01 season"},
		{"この夏", "2026-06-01..2026-09-01 season"},
		{"一昨年の冬", "2024-12-01..2025-03-01 season"},
		{"去年の5月3日", "2025-05-03..2025-05-04 day"},
		{"来年の今日", "2027-11-22..2027-11-23 day"},
		{"2026年5月3日", "2026-05-03..2026-05-04 day"},
		{"二〇二六年五月三日", "2026-05-03..2026-05-04 day"},
		{"2026/5/3", "2026-05-03..2026-05-04 day"},
		{"2026-05-03", "2026-05-03..2026-05-04 day"},
		{"2026.5.3", "2026-05-03..2026-05-04 day"},
		{"2026-05-03T18:00", "2026-05-03T18:00..2026-05-03T18:01 minute"},
		{"3年前", "2023-01-01..2024-01-01 year"},
		{"三年前", "2023-01-01..2024-01-01 year"},
		{"3年ほど前", "2023-01-01..2024-01-01 year"},
		{"3ヶ月前", "2026-08-01..2026-09-01 month"},
		{"二週間前", "2026-11-02..2026-11-09 week"},
		{"3日前", "2026-11-19..2026-11-20 day"},
		{"10日前の夜", "2026-11-12T18:00..2026-11-13T04:00 part of day"},
		{"2時間前", "2026-11-22T07:30..2026-11-22T08:30 hour"},
		{"30分前", "2026-11-22T09:29:30..2026-11-22T09:30:30 minute"},
		{"10秒前", "2026-11-22T09:59:49..2026-11-22T09:59:50 second"},
		{"半年前", "2026-05-01..2026-06-01 month"},
		{"1年半前", "2025-05-01..2025-06-01 month"},
		{"数日前", "2026-11-17..2026-11-21 days"},
		{"数年前", "2021-01-01..2025-01-01 years"},
		{"30分後", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"３０分後", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"三十分後", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"1時間半後", "2026-11-22T11:30..2026-11-22T11:31 minute"},
		{"1時間30分後", "2026-11-22T11:30..2026-11-22T11:31 minute"},
		{"10秒後", "2026-11-22T10:00:10..2026-11-22T10:00:11 second"},
		{"3日後の9時", "2026-11-25T09:00..2026-11-25T10:00 hour"},
		{"3日後", "2026-11-25..2026-11-26 day"},
		{"2週間後", "2026-12-06..2026-12-07 day"},
		{"2週間後の月曜", "2026-11-30..2026-12-01 day"},
		{"1ヶ月後", "2026-12-22..2026-12-23 day"},
		{"3年後", "2029-11-22..2029-11-23 day"},
		{"30分したら", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"90年代", "1990-01-01..2000-01-01 years"},
		{"2010年代", "2010-01-01..2020-01-01 years"},
		{"today", "2026-11-22..2026-11-23 day"},
		{"tomorrow", "2026-11-23..2026-11-24 day"},
		{"yesterday", "2026-11-21..2026-11-22 day"},
		{"the day after tomorrow", "2026-11-24..2026-11-25 day"},
		{"the day before yesterday", "2026-11-20..2026-11-21 day"},
		{"tonight at 8", "2026-11-22T20:00..2026-11-22T21:00 hour"},
		{"last night", "2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"this morning", "2026-11-22T05:00..2026-11-22T12:00 part of day"},
		{"yesterday evening", "2026-11-21T17:00..2026-11-21T22:00 part of day"},
		{"tomorrow morning at nine", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"tomorrow at nine", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"nine thirty tomorrow morning", "2026-11-23T09:30..2026-11-23T09:31 minute"},
		{"quarter past nine tomorrow", "2026-11-23T09:15..2026-11-23T09:16 minute"},
		{"half past ten tomorrow", "2026-11-23T10:30..2026-11-23T10:31 minute"},
		{"ten to nine tomorrow", "2026-11-23T08:50..2026-11-23T08:51 minute"},
		{"tomorrow at noon", "2026-11-23T12:00..2026-11-23T13:00 hour"},
		{"tomorrow at midnight", "2026-11-24..2026-11-24T01:00 hour"},
		{"tomorrow at 3", "2026-11-23T15:00..2026-11-23T16:00 hour"},
		{"tomorrow at 03:00", "2026-11-23T03:00..2026-11-23T03:01 minute"},
		{"next week", "2026-11-23..2026-11-30 week"},
		{"last week", "2026-11-09..2026-11-16 week"},
		{"the week after next", "2026-11-30..2026-12-07 week"},
		{"next Friday at 5pm", "2026-11-27T17:00..2026-11-27T18:00 hour"},
		{"5pm next Friday", "2026-11-27T17:00..2026-11-27T18:00 hour"},
		{"this Friday", "2026-11-20..2026-11-21 day"},
		{"last Friday", "2026-11-20..2026-11-21 day"},
		{"Tuesday last week", "2026-11-10..2026-11-11 day"},
		{"Friday next week", "2026-11-27..2026-11-28 day"},
		{"next weekend", "2026-11-28..2026-11-30 days"},
		{"last weekend", "2026-11-14..2026-11-16 days"},
		{"next month", "2026-12-01..2027-01-01 month"},
		{"last month", "2026-10-01..2026-11-01 month"},
		{"the 5th of next month", "2026-12-05..2026-12-06 day"},
		{"end of next month", "2026-12-31..2027-01-01 day"},
		{"late next month", "2026-12-21..2027-01-01 days"},
		{"last year", "2025-01-01..2026-01-01 year"},
		{"next year", "2027-01-01..2028-01-01 year"},
		{"in 2018", "2018-01-01..2019-01-01 year"},
		{"in May 2018", "2018-05-01..2018-06-01 month"},
		{"May 2018", "2018-05-01..2018-06-01 month"},
		{"May 3rd, 2027", "2027-05-03..2027-05-04 day"},
		{"3 May 2018", "2018-05-03..2018-05-04 day"},
		{"July 20, 1969", "1969-07-20..1969-07-21 day"},
		{"in 1931", "1931-01-01..1932-01-01 year"},
		{"during 1999", "1999-01-01..2000-01-01 year"},
		{"summer 2018", "2018-06-01..2018-09-01 season"},
		{"in the summer of 2018", "2018-06-01..2018-09-01 season"},
		{"last summer", "2026-06-01..2026-09-01 season"},
		{"last winter", "2025-12-01..2026-03-01 season"},
		{"next spring", "2027-03-01..2027-06-01 season"},
		{"this autumn", "2026-09-01..2026-12-01 season"},
		{"last May", "2026-05-01..2026-06-01 month"},
		{"next May", "2027-05-01..2027-06-01 month"},
		{"last year in May", "2025-05-01..2025-06-01 month"},
		{"two years ago", "2024-01-01..2025-01-01 year"},
		{"a year ago", "2025-01-01..2026-01-01 year"},
		{"a year and a half ago", "2025-05-01..2025-06-01 month"},
		{"a few years ago", "2021-01-01..2025-01-01 years"},
		{"three months ago", "2026-08-01..2026-09-01 month"},
		{"two weeks ago", "2026-11-02..2026-11-09 week"},
		{"a week ago", "2026-11-09..2026-11-16 week"},
		{"two days ago", "2026-11-20..2026-11-21 day"},
		{"a few days ago", "2026-11-17..2026-11-21 days"},
		{"an hour ago", "2026-11-22T08:30..2026-11-22T09:30 hour"},
		{"twenty-five minutes ago", "2026-11-22T09:34:30..2026-11-22T09:35:30 minute"},
		{"30 seconds ago", "2026-11-22T09:59:29..2026-11-22T09:59:30 second"},
		{"in two hours", "2026-11-22T12:00..2026-11-22T13:00 hour"},
		{"in 30 minutes", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"in half an hour", "2026-11-22T10:30..2026-11-22T10:31 minute"},
		{"in an hour and a half", "2026-11-22T11:30..2026-11-22T11:31 minute"},
		{"in 1.5 hours", "2026-11-22T11:30..2026-11-22T11:31 minute"},
		{"in 2 hours and 15 minutes", "2026-11-22T12:15..2026-11-22T12:16 minute"},
		{"two hours from now", "2026-11-22T12:00..2026-11-22T13:00 hour"},
		{"in two hours' time", "2026-11-22T12:00..2026-11-22T13:00 hour"},
		{"in three days", "2026-11-25..2026-11-26 day"},
		{"in three days at noon", "2026-11-25T12:00..2026-11-25T13:00 hour"},
		{"two days from now at noon", "2026-11-24T12:00..2026-11-24T13:00 hour"},
		{"in two weeks", "2026-12-06..2026-12-07 day"},
		{"in two months", "2027-01-22..2027-01-23 day"},
		{"in two years", "2028-11-22..2028-11-23 day"},
		{"the 90s", "1990-01-01..2000-01-01 years"},
		{"the 2010s", "2010-01-01..2020-01-01 years"},
		{"early in May 2018", "2018-05-01..2018-05-11 days"},
		{"mid-May 2018", "2018-05-11..2018-05-21 days"},
		{"at 9:30 p.m. tomorrow", "2026-11-23T21:30..2026-11-23T21:31 minute"},
		{"9.30pm tomorrow", "2026-11-23T21:30..2026-11-23T21:31 minute"},
		{"9 a.m. tomorrow", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"at 12am tomorrow", "2026-11-23..2026-11-23T01:00 hour"},
		{"at 12pm tomorrow", "2026-11-23T12:00..2026-11-23T13:00 hour"},
		{"at 21:00 tomorrow", "2026-11-23T21:00..2026-11-23T21:01 minute"},
		{"tomorrow night at 1", "2026-11-24T01:00..2026-11-24T02:00 hour"},
		{"tomorrow afternoon at 5", "2026-11-23T17:00..2026-11-23T18:00 hour"},
	} {
		for _, d := range []when.Direction{when.Future, when.Past} {
			if got := show(when.Find(c[0], sunday, d)); got != c[1] {
				t.Errorf("Find(%q, %v) = %s, want %s", c[0], d, got, c[1])
			}
		}
	}
}

// TestDirection has expressions that the wanted direction decides.
func TestDirection(t *testing.T) {
	for _, c := range []struct{ text, future, past string }{
		{"5月末", "2027-05-31..2027-06-01 day", "2026-05-31..2026-06-01 day"},
		{"2月上旬", "2027-02-01..2027-02-11 days", "2026-02-01..2026-02-11 days"},
		{"午前9時", "2026-11-23T09:00..2026-11-23T10:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"午後3時", "2026-11-22T15:00..2026-11-22T16:00 hour", "2026-11-21T15:00..2026-11-21T16:00 hour"},
		{"午後0時", "2026-11-22T12:00..2026-11-22T13:00 hour", "2026-11-21T12:00..2026-11-21T13:00 hour"},
		{"午前0時", "2026-11-23..2026-11-23T01:00 hour", "2026-11-22..2026-11-22T01:00 hour"},
		{"午前12時", "2026-11-23..2026-11-23T01:00 hour", "2026-11-22..2026-11-22T01:00 hour"},
		{"午後12時", "2026-11-22T12:00..2026-11-22T13:00 hour", "2026-11-21T12:00..2026-11-21T13:00 hour"},
		{"18時05分30秒に", "2026-11-22T18:05:30..2026-11-22T18:05:31 second",
			"2026-11-21T18:05:30..2026-11-21T18:05:31 second"},
		{"25時に", "2026-11-23T01:00..2026-11-23T02:00 hour", "2026-11-22T01:00..2026-11-22T02:00 hour"},
		{"9時に", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"９時", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"九時半", "2026-11-22T21:30..2026-11-22T21:31 minute", "2026-11-22T09:30..2026-11-22T09:31 minute"},
		{"9時5分前", "2026-11-22T20:55..2026-11-22T20:56 minute", "2026-11-22T08:55..2026-11-22T08:56 minute"},
		{"18:00に", "2026-11-22T18:00..2026-11-22T18:01 minute", "2026-11-21T18:00..2026-11-21T18:01 minute"},
		{"9:30に", "2026-11-22T21:30..2026-11-22T21:31 minute", "2026-11-22T09:30..2026-11-22T09:31 minute"},
		{"03:00に", "2026-11-23T03:00..2026-11-23T03:01 minute", "2026-11-22T03:00..2026-11-22T03:01 minute"},
		{"正午に", "2026-11-22T12:00..2026-11-22T13:00 hour", "2026-11-21T12:00..2026-11-21T13:00 hour"},
		{"夜8時に", "2026-11-22T20:00..2026-11-22T21:00 hour", "2026-11-21T20:00..2026-11-21T21:00 hour"},
		{"朝7時に", "2026-11-23T07:00..2026-11-23T08:00 hour", "2026-11-22T07:00..2026-11-22T08:00 hour"},
		{"夜に", "2026-11-22T18:00..2026-11-23T04:00 part of day", "2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"夜中の2時に", "2026-11-23T02:00..2026-11-23T03:00 hour", "2026-11-22T02:00..2026-11-22T03:00 hour"},
		{"金曜", "2026-11-27..2026-11-28 day", "2026-11-20..2026-11-21 day"},
		{"金曜の夜", "2026-11-27T18:00..2026-11-28T04:00 part of day", "2026-11-20T18:00..2026-11-21T04:00 part of day"},
		{"日曜", "2026-11-29..2026-11-30 day", "2026-11-15..2026-11-16 day"},
		{"日曜の9時", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"週末", "2026-11-21..2026-11-23 days", "2026-11-21..2026-11-23 days"},
		{"月末", "2026-11-30..2026-12-01 day", "2026-10-31..2026-11-01 day"},
		{"年末", "2026-12-28..2027-01-01 days", "2025-12-28..2026-01-01 days"},
		{"正月", "2027-01-01..2027-01-04 days", "2026-01-01..2026-01-04 days"},
		{"5月3日", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"5月3日(日)", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"5/3に", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"3日に", "2026-12-03..2026-12-04 day", "2026-11-03..2026-11-04 day"},
		{"31日に", "2026-12-31..2027-01-01 day", "2026-10-31..2026-11-01 day"},
		{"29日に", "2026-11-29..2026-11-30 day", "2026-10-29..2026-10-30 day"},
		{"2月29日", "2028-02-29..2028-03-01 day", "2024-02-29..2024-03-01 day"},
		{"2月30日", "", ""},
		{"12月", "2026-12-01..2027-01-01 month", "2025-12-01..2026-01-01 month"},
		{"夏に", "2027-06-01..2027-09-01 season", "2026-06-01..2026-09-01 season"},
		{"冬に", "2026-12-01..2027-03-01 season", "2025-12-01..2026-03-01 season"},
		{"at nine", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"at 9", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"at 9pm", "2026-11-22T21:00..2026-11-22T22:00 hour", "2026-11-21T21:00..2026-11-21T22:00 hour"},
		{"9am", "2026-11-23T09:00..2026-11-23T10:00 hour", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"at 3", "2026-11-22T15:00..2026-11-22T16:00 hour", "2026-11-21T15:00..2026-11-21T16:00 hour"},
		{"5 o'clock", "2026-11-22T17:00..2026-11-22T18:00 hour", "2026-11-21T17:00..2026-11-21T18:00 hour"},
		{"at noon", "2026-11-22T12:00..2026-11-22T13:00 hour", "2026-11-21T12:00..2026-11-21T13:00 hour"},
		{"at midnight", "2026-11-23..2026-11-23T01:00 hour", "2026-11-22..2026-11-22T01:00 hour"},
		{"in the evening", "2026-11-22T17:00..2026-11-22T22:00 part of day",
			"2026-11-21T17:00..2026-11-21T22:00 part of day"},
		{"at night", "2026-11-22T18:00..2026-11-23T04:00 part of day",
			"2026-11-21T18:00..2026-11-22T04:00 part of day"},
		{"on Friday", "2026-11-27..2026-11-28 day", "2026-11-20..2026-11-21 day"},
		{"on Sunday", "2026-11-29..2026-11-30 day", "2026-11-15..2026-11-16 day"},
		{"on Sunday at noon", "2026-11-22T12:00..2026-11-22T13:00 hour", "2026-11-15T12:00..2026-11-15T13:00 hour"},
		{"Friday the 13th", "2027-08-13..2027-08-14 day", "2026-11-13..2026-11-14 day"},
		{"the weekend", "2026-11-21..2026-11-23 days", "2026-11-21..2026-11-23 days"},
		{"on the 3rd", "2026-12-03..2026-12-04 day", "2026-11-03..2026-11-04 day"},
		{"on the 31st at 5pm", "2026-12-31T17:00..2026-12-31T18:00 hour", "2026-10-31T17:00..2026-10-31T18:00 hour"},
		{"on May 3rd", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"the third of May", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"in May", "2027-05-01..2027-06-01 month", "2026-05-01..2026-06-01 month"},
		{"in December", "2026-12-01..2027-01-01 month", "2025-12-01..2026-01-01 month"},
		{"by March", "2027-03-01..2027-04-01 month", "2026-03-01..2026-04-01 month"},
		{"end of the month", "2026-11-30..2026-12-01 day", "2026-10-31..2026-11-01 day"},
		{"in summer", "2027-06-01..2027-09-01 season", "2026-06-01..2026-09-01 season"},
		{"in the winter", "2026-12-01..2027-03-01 season", "2025-12-01..2026-03-01 season"},
		{"on 5/3", "2027-05-03..2027-05-04 day", "2026-05-03..2026-05-04 day"},
		{"on 13/5", "2027-05-13..2027-05-14 day", "2026-05-13..2026-05-14 day"},
	} {
		if got := show(when.Find(c.text, sunday, when.Future)); got != c.future {
			t.Errorf("Find(%q, Future) = %s, want %s", c.text, got, c.future)
		}
		if got := show(when.Find(c.text, sunday, when.Past)); got != c.past {
			t.Errorf("Find(%q, Past) = %s, want %s", c.text, got, c.past)
		}
	}
}

// TestFindsNothing has what only looks like a time, and what recurs.
func TestFindsNothing(t *testing.T) {
	for _, text := range []string{
		"3時間", "3時間かかる", "二時間", "5分", "3日間", "10年間", "二日酔い", "9,800円", "980円", "100点", "3人", "3-2で勝った",
		"21:15で勝った", "スコアは10:12", "03-1234-5678", "090-1234-5678", "+81 90 1234 5678", "十分です", "一時停止中",
		"一時的に", "一日に三回", "3日に1回", "夏目漱石", "秋田の冬景色", "日曜大工", "朝ごはん", "夜景", "毎日9時", "毎週金曜", "毎朝7時に", "何時",
		"時間がない", "年上の人", "月が綺麗", "日本", "その後", "後で", "3年生", "3分の1", "13月5日", "25月", "三日月", "八百屋", "千葉",
		"きょうだい", "あすか", "今度", "24時間営業", "高校のとき", "前回", "中旬", "3 hours", "for two hours", "$9", "at $9",
		"£9.30", "9%", "at 10%", "room 1030", "555-1234", "call 03-1234-5678", "3-2", "we won 3:10",
		"the score was 10:12", "16:9", "1:1", "12:345", "version 2.10.3", "look at 5 pictures",
		"at 3 places", "the second time", "on the 3rd floor", "on the second floor", "May I come in?",
		"I may", "march on", "sat down", "the sun", "wed her", "spring to mind", "fall over",
		"in the second half", "every Friday", "every day at nine", "at nine every day",
		"every two weeks on Monday", "9時に毎日", "毎朝の9時", "each morning", "2018 people", "in 2018 cases",
		"1/2 cup", "at 90 km", "two", "a second", "one of us", "last", "next please", "this one",
		"last of all", "10000 years ago", "99999999999999 days ago", "in a nutshell", "morning", "March!",
		"may", "12/24/36", "in 5 places", "30th of February 2027", "@9:30", "#3rd", "a1:30",
	} {
		for _, d := range []when.Direction{when.Future, when.Past} {
			if got := show(when.Find(text, sunday, d)); got != "" {
				t.Errorf("Find(%q, %v) = %s, want nothing", text, d, got)
			}
		}
	}
}

// TestFindsInSentences says where expressions stand.
func TestFindsInSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Let's meet on Friday at five, or next week.", "on Friday at five|next week"},
		{"昨日は楽しかった。明日の9時に駅でね！来月も。", "昨日|明日の9時|来月"},
		{"I paid $9 at 9 and got 3-2", "at 9"},
		{"９時半に、２０２６年５月３日の件", "９時半|２０２６年５月３日"},
		{"去年の夏、京都で食べた", "去年の夏"},
		{"in the summer of 2018, we were in Kyoto", "in the summer of 2018"},
		{"May I come on May 3rd? I may be late until nine.", "on May 3rd|until nine"},
		{"昨日、明日、あさって", "昨日|明日|あさって"},
		{"on Monday, Tuesday and Friday", "on Monday|Tuesday|Friday"},
		{"03-1234-5678に18時に電話して", "18時"},
	} {
		var got []string
		for _, f := range when.Find(c.text, sunday, when.Future) {
			got = append(got, c.text[f.Start:f.End])
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("Find(%q) stands at %q, want %q", c.text, s, c.want)
		}
	}
}

// TestMoments has rows that depend on the moment: nights, ends of months, leap years.
func TestMoments(t *testing.T) {
	for _, c := range []struct{ now, text, want string }{
		{"2026-11-23T00:30", "3時に", "2026-11-23T03:00..2026-11-23T04:00 hour"},
		{"2026-11-23T00:30", "夜1時に", "2026-11-23T01:00..2026-11-23T02:00 hour"},
		{"2026-11-22T22:00", "at nine", "2026-11-23T09:00..2026-11-23T10:00 hour"},
		{"2026-11-22T08:00", "at nine", "2026-11-22T09:00..2026-11-22T10:00 hour"},
		{"2026-11-25T10:00", "this Friday", "2026-11-27..2026-11-28 day"},
		{"2026-11-25T10:00", "next Friday", "2026-12-04..2026-12-05 day"},
		{"2026-11-25T10:00", "次の金曜", "2026-11-27..2026-11-28 day"},
		{"2026-11-25T10:00", "last Friday", "2026-11-20..2026-11-21 day"},
		{"2027-01-31T10:00", "1ヶ月後", "2027-02-28..2027-03-01 day"},
		{"2028-01-31T10:00", "in one month", "2028-02-29..2028-03-01 day"},
		{"2028-02-29T10:00", "in a year", "2029-02-28..2029-03-01 day"},
		{"2028-02-29T10:00", "来年の今日", "2029-02-28..2029-03-01 day"},
		{"2027-01-31T10:00", "来月の31日", ""},
		{"2027-01-31T10:00", "on the 30th", "2027-03-30..2027-03-31 day"},
		{"2027-01-15T10:00", "last winter", "2025-12-01..2026-03-01 season"},
		{"2027-01-15T10:00", "in winter", "2026-12-01..2027-03-01 season"},
		{"2026-12-31T23:59", "明日", "2027-01-01..2027-01-02 day"},
		{"2026-12-31T23:59", "あと10分で", "2027-01-01T00:09..2027-01-01T00:10 minute"},
		{"1965-03-01T10:00", "30年前", "1935-01-01..1936-01-01 year"},
		{"1965-03-01T10:00", "yesterday", "1965-02-28..1965-03-01 day"},
		{"0001-01-02T10:00", "3年前", ""},
		{"9999-12-30T10:00", "in three days", ""},
	} {
		now, err := time.ParseInLocation("2006-01-02T15:04", c.now, tokyo)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(when.Find(c.text, now, when.Future)); got != c.want {
			t.Errorf("at %s: Find(%q) = %s, want %s", c.now, c.text, got, c.want)
		}
	}
}

// TestZones has days on which clocks jump. In Berlin 2:30 does not exist on March
// 29 and comes twice on October 25; in Beirut the day of March 29 begins at 1:00.
func TestZones(t *testing.T) {
	for _, c := range []struct{ zone, now, text, want string }{
		{"Europe/Berlin", "2026-03-28T12:00", "tomorrow at 02:30", "2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", "2026-03-28T12:00", "tomorrow at 03:30", "2026-03-29T03:30:00+02:00"},
		{"Europe/Berlin", "2026-03-29T01:30", "in an hour", "2026-03-29T03:30:00+02:00"},
		{"Europe/Berlin", "2026-10-24T12:00", "tomorrow at 02:30", "2026-10-25T02:30:00+02:00"},
		{"Europe/Berlin", "2026-10-24T12:00", "tomorrow at 03:30", "2026-10-25T03:30:00+01:00"},
		{"America/New_York", "2026-03-07T12:00", "明日の午前2時半", "2026-03-08T03:00:00-04:00"},
		{"Asia/Beirut", "2026-03-28T12:00", "tomorrow", "2026-03-29T01:00:00+03:00"},
		{"Asia/Kathmandu", "2026-03-28T12:00", "tomorrow at nine", "2026-03-29T09:00:00+05:45"},
		{"UTC", "2026-03-28T12:00", "tomorrow at nine", "2026-03-29T09:00:00Z"},
	} {
		now, err := time.ParseInLocation("2006-01-02T15:04", c.now, mustZone(c.zone))
		if err != nil {
			t.Fatal(err)
		}
		found := when.Find(c.text, now, when.Future)
		if len(found) != 1 || found[0].From.Format(time.RFC3339) != c.want {
			t.Errorf("%s: Find(%q) = %v, want one from %s", c.zone, c.text, found, c.want)
		}
	}
}

// TestLongTexts reads texts of 100,000 characters, for which a rule that looks too far would
// take minutes: what a unit says once is found in them, in order.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"明日の9時に", "every ", "3日の", "1:", "あと3日くらい", "next ", "一二三", "sun ", "の、", "99", "半",
		"and a half hour ", "remind me "} {
		text := strings.Repeat(unit, 100_000/len([]rune(unit)))
		want := len(when.Find(unit, sunday, when.Future)) > 0
		if got := len(when.Find(text, sunday, when.Future)) > 0; want && !got {
			t.Errorf("Find() of %q a hundred thousand characters long found nothing", unit)
		}
		wantOrder(t, text, sunday)
	}
}

// wantOrder checks what holds for any text.
func wantOrder(t *testing.T, text string, now time.Time) {
	t.Helper()
	for _, d := range []when.Direction{when.Future, when.Past} {
		end := 0
		for _, found := range when.Find(text, now, d) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) {
				t.Fatalf("Find(%.80q) stands at %d to %d after %d", text, found.Start, found.End, end)
			}
			if !found.From.Before(found.To) || found.From.Year() < 1 || found.To.Year() > 9999 {
				t.Fatalf("Find(%.80q) = %v to %v", text, found.From, found.To)
			}
			end = found.End
		}
	}
	for _, r := range when.Reminders(text, now) {
		if !r.At.After(now) || len(r.What) > len(text) {
			t.Fatalf("Reminders(%.80q) at %v = %+v, want a later moment and a part of the text", text, now, r)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"明日の9時に教えて", "remind me next Friday at 5pm", "in an hour and a half",
		"令和5年5月3日(水) 午後3時半", "毎日9時", "2026-05-03T18:00:00", "\xff99年代", "a few years ago in the summer of 2018",
		"何年か前、平成の終わり", "between 2015 and 2017, since '98", "on 3/5/2021, two summers ago", "H30の夏休み、さっき"} {
		f.Add(s, int64(1_800_000_000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		now := time.Unix(unix%200_000_000_000, 0).In(tokyo)
		wantOrder(t, text, now)
	})
}
