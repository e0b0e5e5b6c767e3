package replay

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"image"
	"math/rand/v2"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// noise counts, for an imperfect reader, how often it has read which pixels. So each
// reading of a bubble has its own errors, and the same ones in every replay of the same
// seed.
type noise struct {
	rate  float64 // errors a character
	seed  uint64
	reads map[uint64]uint64
}

func newNoise(rate float64, seed uint64) *noise {
	return &noise{rate: rate, seed: seed, reads: map[uint64]uint64{}}
}

// noisyRecognizer misreads bubbles, titles and the names beside bubbles.
type noisyRecognizer struct {
	hardware.CropRecognizer
	noise *noise
}

// RecognizeCrop implements hardware.CropRecognizer.
func (r noisyRecognizer) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	lines, err := r.CropRecognizer.RecognizeCrop(ctx, frame, box, hint)
	if err != nil {
		return lines, err
	}
	out := r.noise.misread(pixelsOf(frame, box), lines)
	for i := range out {
		if !hint.Block { // nobody is asked to confirm the names of a replay
			out[i].Confidence = max(out[i].Confidence, surely)
		}
	}
	return out, nil
}

// surely is the least confidence of a name.
const surely = 0.6

// pixelsOf identifies the content of a box, wherever it is.
func pixelsOf(frame *image.RGBA, box image.Rectangle) uint64 {
	box = box.Intersect(frame.Rect)
	h := fnv.New64a()
	h.Write(binary.AppendUvarint(nil, uint64(box.Dx())))
	for y := box.Min.Y; y < box.Max.Y; y++ {
		o := frame.PixOffset(box.Min.X, y)
		h.Write(frame.Pix[o : o+4*box.Dx()])
	}
	return h.Sum64()
}

// misread returns another reading of the lines in these pixels. A tenth of the lines has
// so little confidence that they are believed only for want of better.
func (n *noise) misread(pixels uint64, lines []messages.Line) []messages.Line {
	n.reads[pixels]++
	rng := rand.New(rand.NewPCG(n.seed^pixels, n.reads[pixels]))
	out := make([]messages.Line, len(lines))
	for i, l := range lines {
		l.Text = messages.Text(garble(string(l.Text), n.rate, rng))
		l.Confidence = surely + (1-surely)*rng.Float64()
		if rng.IntN(10) == 0 {
			l.Confidence = 0.26 + 0.2*rng.Float64()
		}
		out[i] = l
	}
	return out
}

// confused lists letters that readers of pixels confuse.
var confused = []string{
	"l1I|", "0OoQ", "5S", "8B", "2Z", "rn", "cec", "uv", "gq9", "hb", "tf", "il", "，、", "．。",
	"ぁあお", "いり", "うぅ", "るろ", "めぬ", "われね", "はほ", "きさ", "つっ", "やゃ", "よょ", "ゆゅ", "シツ", "ソン", "クワ", "ーｰ一",
	"ロ口", "ニ二", "カ力", "エ工", "ト卜", "ハ八", "タ夕", "日目白", "人入", "土士", "未末", "持待", "今令", "問間", "時晴",
}

// garble gets each character wrong with a probability, but leaves something of every
// text.
func garble(s string, rate float64, rng *rand.Rand) string {
	var b strings.Builder
	for _, r := range s {
		if rng.Float64() >= rate {
			b.WriteRune(r)
			continue
		}
		switch k := rng.IntN(20); {
		case k < 12:
			b.WriteRune(lookalike(r, rng))
		case k < 15: // left out
		case k < 17:
			b.WriteRune(r)
			b.WriteRune([]rune("'.,-一ノ")[rng.IntN(6)])
		case r == ' ': // two words run together
		default:
			b.WriteRune(r)
			b.WriteByte(' ')
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return s
	}
	return b.String()
}

// lookalike is another letter that looks like r, or a common one if there is none.
func lookalike(r rune, rng *rand.Rand) rune {
	for _, group := range confused {
		if !strings.ContainsRune(group, r) {
			continue
		}
		others := []rune(strings.ReplaceAll(group, string(r), ""))
		return others[rng.IntN(len(others))]
	}
	common := []rune("eaontsicrlのたにしてとはいう")
	return common[rng.IntN(len(common))]
}
