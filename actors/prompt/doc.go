// Package prompt makes what a language model is asked. A [Catalogue] holds the
// texts: the built-in ones, which are files below texts, and those that a person
// put in their place. [Catalogue.Compose] makes a [Prompt] of them and of what is
// to be worked on.
//
// # Instructions and data
//
// The system prompt has instructions and nothing else: texts of the catalogue, with
// what the owner configured. What anybody wrote in a chat, and what was derived from
// it, stands in one region of the user's prompt:
//
//	<<<DATA 5f2a90c1d7e34b68
//	{"kind":"notes","now":"2026-11-22T15:04+09:00"}
//	{"kind":"message","n":1,"from":"other","name":"Hana","at":"…","text":"…"}
//	<<<END 5f2a90c1d7e34b68
//
// Each entry is JSON on one line, in which < > and line breaks are escaped, so that no
// text can end the region or begin a line; the mark is a hash of the region, which no
// text inside it can know. Characters that nobody sees are taken out. [Split] takes a
// prompt apart again. A model may still follow what stands in the data: that its
// answer is only ever a text for the same conversation, or JSON that is read strictly,
// is up to who asks.
//
// # Versions
//
// Prompt.Version is a hash of the texts that were used; it belongs in the record of
// what was asked.
package prompt
