package ocr

import "fmt"

// counter counts what is left out, by kind, in the order of first sight. It never
// holds what was read.
type counter []counted

type counted struct {
	what string
	n    int
}

func (t *counter) add(what string, n int) {
	if n == 0 {
		return
	}
	for i := range *t {
		if (*t)[i].what == what {
			(*t)[i].n += n
			return
		}
	}
	*t = append(*t, counted{what, n})
}

func (t *counter) addIf(yes bool, what string) {
	if yes {
		t.add(what, 1)
	}
}

// report lists the counts for people.
func (t counter) report(prefix string) (list []string) {
	for _, c := range t {
		list = append(list, fmt.Sprintf("%s%s: %d", prefix, c.what, c.n))
	}
	return list
}
