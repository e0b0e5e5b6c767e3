package insight

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/ikawaha/kagome-dict/ipa"
	"github.com/ikawaha/kagome/v2/tokenizer"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// NewWorker makes a worker that finds keywords. The dictionary is read with the first
// Japanese text: it takes half a second and some 30 MB.
func NewWorker() (actors.Worker, error) { return &finder{}, nil }

type finder struct{ japanese *tokenizer.Tokenizer }

// Do implements [actors.Worker].
func (f *finder) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	m, ok := request.(messages.FindKeywords)
	if !ok {
		return nil, fmt.Errorf("insight: unexpected %s", request.MessageType())
	}
	found, err := f.keywords(ctx, m.Lines)
	return messages.KeywordsFound{Conversation: m.Conversation, Keywords: found}, err
}

// keywords tokenises each line in its language.
func (f *finder) keywords(ctx context.Context, said []messages.Text) ([]messages.Keyword, error) {
	lines := make([][]token, len(said))
	before := text.English
	for i, l := range said {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before = text.LanguageOf(string(l), before)
		for part := range strings.Lines(label.ReplaceAllString(string(l), "\n")) {
			line := text.Normalize(part)
			var tokens []token
			if before == text.English {
				tokens = english(line)
			} else if err := f.load(); err != nil {
				return nil, err
			} else {
				tokens = f.nouns(line)
			}
			lines[i] = append(append(lines[i], tokens...), token{})
		}
	}
	return rank(lines, said), nil
}

// load reads the dictionary, once in a process.
func (f *finder) load() (err error) {
	if f.japanese == nil {
		f.japanese, err = tokenizer.New(ipa.DictShrink(), tokenizer.OmitBosEos())
	}
	return err
}

// nouns splits a Japanese line: what is no noun stands between two phrases.
func (f *finder) nouns(line string) (list []token) {
	for _, k := range f.japanese.Tokenize(line) {
		list = append(list, token{k.Surface, classOf(k.Surface, k.POS())})
	}
	return list
}

// counts finds numbers that the dictionary takes for other nouns.
var counts = regexp.MustCompile(`^[0-9一二三四五六七八九十百千万何数]+[つ人個回本枚年月日時分]?$`)

// classOf is what a word with a part of speech of the dictionary IPA is in a phrase.
func classOf(w string, pos []string) class {
	switch {
	case len(pos) < 2, strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0:
		return boundary // it takes signs for nouns
	case pos[0] == "接頭詞" && pos[1] == "名詞接続":
		return attached
	case pos[0] != "名詞", latin(w) && (weak[w] || lexical.Common(w)):
		return boundary
	}
	if counts.MatchString(w) {
		return attached
	}
	switch pos[1] {
	case "代名詞", "非自立", "特殊", "接続詞的", "動詞非自立的", "引用文字列":
		return boundary
	case "数", "接尾", "副詞可能":
		return attached
	}
	return content
}
