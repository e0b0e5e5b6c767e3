// Package pii finds private data in Japanese and English texts and masks it:
// names, ways to reach a person, numbers that identify, and secrets. It is pure
// and deterministic, and takes time linear in the length of the text.
//
// [Mask] replaces each finding by a label such as [氏名]. A [Vault] gives each
// value a placeholder of its own instead, such as [氏名·7f3a], and puts the
// originals back ([Vault.Restore]). [Find] only says where the findings are;
// [Add] joins what a language model, or an analyser of words, found beyond them.
//
// # How it finds
//
// A text is folded first (fold.go), so that compatibility forms, full width, accents and
// invisible characters make no difference. Each folded rune remembers the bytes it stands
// for. Recognisers (one or two a file) then propose spans. Each walks the folded text
// once and looks a bounded number of runes to either side. resolve.go chooses among
// proposals that overlap.
//
// Names with no hint around them are found with names.txt, a list of frequent ones; one that
// is also another word counts only where a list, a phrase or a title says so. There
// is no word analyser by default: a dictionary large enough to tell names from nouns is
// bigger than the rest of the program. A host that has one passes its findings to [Add].
//
// # Failing closed
//
// A text that cannot be read is masked as a whole, and the error says why. Every
// masked text is checked against its original before it is returned.
package pii
