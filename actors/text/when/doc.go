// Package when finds expressions of time in chat messages, Japanese and English,
// and turns them into spans of time. [Find] reads every expression of a text,
// [Reminders] recognises requests to be reminded, sentence by sentence, and [Lives] finds
// stages of a life, which have no date. It is pure: the present moment, and with it the
// time zone, is an argument.
//
//	Find("来週の月曜 午後3時半", now, Future)  → one minute, that Monday at 15:30
//	Find("last winter", now, Past)             → December to February, precision Season
//	Reminders("tell me tomorrow at nine", now) → tomorrow at 9:00
//
// # What is understood
//
// One grammar serves both languages: an expression is a row of items that do not
// contradict each other, joined by の, は, commas or prepositions. The items are
//
//	| Item           | Japanese                                    | English                                        |
//	|----------------|---------------------------------------------|------------------------------------------------|
//	| day            | 今日 明日 あさって おととい 3日後 3日前       | today, tomorrow, in three days, two days ago   |
//	| week           | 今週 来週 再来週 先週 2週間前                 | this, next, last week, in two weeks            |
//	| weekday        | 金曜 次の金曜 来週の月曜日 5月3日(日)         | on Friday, next Friday, last Tue               |
//	| weekend        | 週末 今週末 来週末 先週の週末                 | the weekend, next weekend                      |
//	| month          | 来月 先月 5月 2ヶ月前                         | next month, in May, last May, two months ago   |
//	| day of a month | 3日に 5月3日 5/3に 来月の5日 月末             | on the 3rd, May 3rd, 3 May, end of the month   |
//	| third of one   | 5月上旬 来月の中旬 下旬                       | early May, mid-May, late next month            |
//	| year           | 去年 2018年 令和5年 H30 3年前 何年か前        | last year, in 2018, in '98, three years ago    |
//	| part of a year | 今年の初め 2019年の後半 2019年度 90年代後半   | early 2023, late last year, the early 90s      |
//	| feast          | 去年のクリスマス お盆 ゴールデンウィーク 七夕 | last Christmas, Easter 2024, New Year's Eve    |
//	| same day then  | 去年の今頃                                  | this time last year                            |
//	| until now      | ここ2週間 先日 さっき                         | in the last two weeks, the other day           |
//	| from or up to  | 2015年以降 2015年から2017年                   | since 2015, between 2015 and 2017              |
//	| part of an era | 平成の終わり 昭和の初め 平成の頃              |                                                |
//	| season         | 去年の夏 2018年の冬 この夏                    | last winter, in the summer of 2018,            |
//	|                |                                             | the summer before last                         |
//	| week of one    |                                             | the first week of May, the last Friday of May  |
//	| decade         | 90年代 2010年代                               | the 90s, the 2010s                             |
//	| part of a day  | 朝 午前 昼 夕方 今夜 昨夜 深夜                | tomorrow morning, in the evening, last night   |
//	| clock          | 9時 午後3時半 18:00 25時 9時5分前 正午        | at nine, 5pm, 9.30 a.m., half past ten, noon   |
//	| distance       | 30分後 1時間半後 あと10分 2時間前             | in two hours, an hour and a half ago           |
//	| full date      | 2026年5月3日 2026/5/3                         | May 3, 2026; 2026-05-03                        |
//
// Digits may be half, full or Chinese (9, ９, 九, 二十三, 二〇二六). 数 and "a few"
// mean two to five; 二、三年前 and "two or three years ago" both years.
//
// # What is decided
//
// An ambiguous time goes in the wanted [Direction]: "on Friday" and "May 3rd" are the
// next one in Future, never today's, and the latest one in Past. A week begins on Monday:
// "next Friday" and 来週の金曜 lie in the week that begins next Monday, while 次の金曜 is simply
// the next one. An hour from 1 to 5 without "am" is in the afternoon unless it is night
// now; "03:00" with a leading zero is as written. An hour from 6 to 12 is as written
// where a day is named, and else the nearer of both halves. 12 am, 午前12時 are 0:00; 12 pm,
// 午後12時, noon are 12:00; midnight, 夜12時 and 24時 end the day; 夜1時 is in the night that
// follows. "Ago" and 前 name the whole day, week, month or year, "in" and 後 the same day.
// Seasons are the northern hemisphere's, by whole months; winter has the
// year in which it begins. A time that clocks skip in spring is the moment when they
// jump; of a time that they show twice in autumn, the first counts. There is no 30th of
// February: such a date is not found, and "on the 31st" is in the next month that has
// one. In 5/3 the month comes first; in 3/5/2021 as in the zone, in 3.5.2021 the day. Of two
// digits, 00 to 29 are of this century, 50 to 99 of the last, and the others no year. "Since"
// and "before" a year mean the time from or up to it, a hundred years back, in Past only; in
// Future they are read as the year.
//
// # What is not
//
// Durations (3時間, "for two hours"), prices, scores, phone numbers, "May I", and
// what recurs (毎日, "every Friday") are left out.
package when
