// Package prompt writes the questions to a language model. A [Catalogue] holds the texts:
// the built-in ones, which are files in the folder texts, and a person's replacements.
// [Catalogue.Compose] makes a [Prompt] from them and the input.
//
// # Instructions and data
//
// The system prompt contains only instructions: texts of the catalogue, with what the
// owner configured. Everything that people wrote in a chat, and anything derived from
// it, is in one region of the user's prompt:
//
//	<<<DATA 5f2a90c1d7e34b68
//	{"kind":"notes","now":"2026-11-22T15:04+09:00"}
//	{"kind":"message","n":1,"from":"other","name":"Hana","at":"…","text":"…"}
//	<<<END 5f2a90c1d7e34b68
//
// Each entry is JSON on one line. In it < > and line breaks are escaped, so no text can
// end the region or start a line. The mark is a hash of the region, which no text inside
// can know. Invisible characters are removed. A model may still follow instructions
// in the data. So the caller must use its answer only as a text for the same
// conversation, or as strictly read JSON.
//
// # Versions
//
// Prompt.Version is a hash of the texts used; record it with what was asked.
package prompt
