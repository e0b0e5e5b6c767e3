// Package lexical finds events by their words: Japanese and English, one
// conversation among thousands or all of them, while others are being added. Its
// main type is [Index]; [Terms] says what a text is looked for by. Package rank
// weighs a hit by its neighbours, its speaker and its day.
//
// # Terms
//
// A text is normalised as in actors/text (width, case, marks), and katakana becomes
// hiragana. Four kinds of [Key] come of it:
//
//	| Kind   | Of                                                | Example             |
//	|--------|---------------------------------------------------|---------------------|
//	| Word   | Latin and other words, English ones by their stem | painting → paint    |
//	| Pair   | two neighbouring Chinese, Japanese, Korean letters| 旅行に → 旅行, 行に   |
//	| Letter | one Chinese letter, lone kana, a symbol           | 猫, 🎉              |
//	| Gram   | three letters of a Latin word of four or more     | ^pa, pai, ain …     |
//
// The index holds keys, not texts. A word's key is a hash of 63 bits; the other
// kinds spell their letters, so what lies in a snapshot is private.
//
// # Storage
//
// The index only grows: each event is a new document with the next number, each key
// has a list of documents as varints in blocks of 128, and each block knows its
// highest count and shortest document, which bounds what it can score. A removed
// event is marked; [Index.Compact] makes an index without those. Nothing that a
// reader can see is ever changed, so readers take no lock: they wait for no writer,
// and writers not for them. One writer at a time adds; others queue behind it.
//
// The index is derived from the stored events. [Index.Snapshot] writes it down with
// a mark of the caller's, [Restore] reads it, and the caller adds what came after
// the mark; an event that is known already changes nothing. A snapshot that is
// damaged or of another version is refused with [ErrSnapshot]: rebuild from the
// events. A crash loses nothing but the time to add again what came after the last
// snapshot. Package recall says when one is written, and where.
//
// # Score
//
// BM25 with k1 = 1.2 and b = 0.5 (Robertson and Zaragoza 2009), idf as in Lucene. In
// a scope of up to 32,768 documents the figures count its own live
// documents, so what is said in one conversation moves no score in another. In a
// wider one they count the whole index, removed documents included, and
// block-max MaxScore (Ding and Suel 2011) skips what cannot reach the best k.
package lexical
