package attention

import "bytes"

// notNumbers are the words that some programs write into JSON instead of numbers.
// encoding/json rejects them, its tokens included.
var notNumbers = [...][]byte{[]byte("NaN"), []byte("-Infinity"), []byte("Infinity")}

// NoNaN returns JSON in which NaN and infinities are replaced by null, which
// means not measured. Strings stay as they are. It does not modify data.
func NoNaN(data []byte) []byte {
	if !bytes.Contains(data, notNumbers[0]) && !bytes.Contains(data, notNumbers[2]) {
		return data
	}
	var out []byte
	inText := false
	for i := 0; i < len(data); i++ {
		switch {
		case inText && data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		case data[i] == '"':
			inText = !inText
		case !inText:
			if n := notNumber(data[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, data[i])
	}
	return out
}

func notNumber(data []byte) int {
	for _, word := range notNumbers {
		if bytes.HasPrefix(data, word) {
			return len(word)
		}
	}
	return 0
}
