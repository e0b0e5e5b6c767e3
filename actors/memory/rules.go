package memory

import "time"

// Rules are how long the routes may search, and what becomes of their results. Start
// with [DefaultRules].
type Rules struct {
	// How long each way to search may take before an answer. What is late is left out. All
	// of them together get 1s, with an embedder 2.5s; who asks by hand waits ten times as
	// long.
	Routes RouteTimes `yaml:"routes"`

	// How much is recalled, and of which kinds.
	Pack Pack `yaml:"pack"`
}

// RouteTimes are the times of the routes.
type RouteTimes struct {
	// For what was said last, 1ms to 1s. Default 250ms.
	Recent time.Duration `yaml:"recent" min:"1ms" max:"1s"`

	// For words, 1ms to 1s. Default 600ms.
	Words time.Duration `yaml:"words" min:"1ms" max:"1s"`

	// For what answers what, 1ms to 1s. Default 200ms.
	Replies time.Duration `yaml:"replies" min:"1ms" max:"1s"`

	// For what was said around the best, 1ms to 1s. Default 350ms.
	Threads time.Duration `yaml:"threads" min:"1ms" max:"1s"`

	// For what answers the best, or names the same, 1ms to 1s. Default 350ms.
	Links time.Duration `yaml:"links" min:"1ms" max:"1s"`

	// For a time that the question names, 1ms to 1s. Default 400ms.
	Time time.Duration `yaml:"time" min:"1ms" max:"1s"`

	// For what was learned, 1ms to 1s. Default 250ms.
	State time.Duration `yaml:"state" min:"1ms" max:"1s"`

	// For what means the like, where there is an embedder, 1ms to 2.5s. Default 2.2s.
	Vectors time.Duration `yaml:"vectors" min:"1ms" max:"2.5s"`
}

// Pack is how much is recalled.
type Pack struct {
	// Messages that are weighed against one another, 12 to 1000. Default 60.
	Candidates int `yaml:"candidates" min:"12" max:"1000"`

	// Messages that help to answer, 1 to 60. Default 12.
	Pick int `yaml:"pick" min:"1" max:"60"`

	// Of the best found, how many are looked through for whom or what they name, 0 to 60.
	// Default 12.
	Seeds int `yaml:"seeds" min:"0" max:"60"`

	// Of these names, how many are followed to other messages, 0 to 60. Default 5.
	Names int `yaml:"names" min:"0" max:"60"`

	// Messages that this adds at most, 0 to 60. Default 8.
	Added int `yaml:"added" min:"0" max:"60"`

	// Parts of the candidates by how they were found. What is left goes to the best.
	Associative Shares `yaml:"associative"`

	// The same where the question names a time.
	AboutTime Shares `yaml:"about_time"`
}

// Shares are parts of the candidates.
type Shares struct {
	// Found as what was learned alone, 0 to 1. Default 0.2.
	State float64 `yaml:"state" min:"0" max:"1"`

	// Found in several ways, 0 to 1. Default 0.4, in about_time Default 0.3.
	Several float64 `yaml:"several" min:"0" max:"1"`

	// Found by the time alone, 0 to 1. Default 0, in about_time Default 0.2.
	Time float64 `yaml:"time" min:"0" max:"1"`

	// Found by meaning alone, 0 to 1. Default 0.15, in about_time Default 0.1.
	Vectors float64 `yaml:"vectors" min:"0" max:"1"`

	// Found by where it stands alone, 0 to 1. Default 0.1, in about_time Default 0.05.
	Context float64 `yaml:"context" min:"0" max:"1"`

	// Found by words alone, 0 to 1; the 12 best of them stay in any case. Default 0.05.
	Words float64 `yaml:"words" min:"0" max:"1"`
}

// DefaultRules returns the numbers that were decided.
func DefaultRules() Rules {
	const ms = time.Millisecond
	return Rules{
		Routes: RouteTimes{Recent: 250 * ms, Words: 600 * ms, Replies: 200 * ms, Threads: 350 * ms, Links: 350 * ms,
			Time: 400 * ms, State: 250 * ms, Vectors: 2200 * ms},
		Pack: Pack{Candidates: 60, Pick: 12, Seeds: 12, Names: 5, Added: 8,
			Associative: Shares{State: 0.2, Several: 0.4, Vectors: 0.15, Context: 0.1, Words: 0.05},
			AboutTime:   Shares{State: 0.2, Several: 0.3, Time: 0.2, Vectors: 0.1, Context: 0.05, Words: 0.05}},
	}
}

// List lists the routes with their times, with vectors or without them.
func (r RouteTimes) List(vectors bool) []Timed {
	list := []Timed{{Recent, r.Recent}, {Lexical, r.Words}, {Chain, r.Replies}, {Threads, r.Threads},
		{Links, r.Links}, {InTime, r.Time}, {States, r.State}}
	if vectors {
		list = append(list, Timed{Vectors, r.Vectors})
	}
	return list
}

// seats is how many candidates of a group have a seat.
func (p Pack) seats(g group, mode Mode) float64 {
	s := p.Associative
	if mode == AboutTime {
		s = p.AboutTime
	}
	return float64(p.Candidates) * map[group]float64{several: s.Several, timely: s.Time, known: s.State,
		context: s.Context, words: s.Words, meaning: s.Vectors}[g]
}
