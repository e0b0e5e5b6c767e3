// Package recall measures how well a memory recalls: [Generate] makes long histories
// of two people with questions whose evidence is known, [ReadEvents] and
// [ReadQuestions] read others from files, and [Measure] counts how much of the
// evidence comes back among the first turns.
//
//	events, err := recall.ReadEvents(file)
//	questions, err := recall.ReadQuestions(batch)
//	report, err := recall.Measure(events, questions, rank.Defaults())
//	report.Print(os.Stdout)
//
// The generated histories are made of topics (topics.en.txt, topics.ja.txt): each
// person lives through some of them, several times, with other values, among small
// talk that uses the same words. Answers often stand in a turn that has no word of
// the question. Every other topic is held out: weights are set by looking at the
// rest, and the report shows both. Its words are not known to package rank. [Talks]
// are of another kind, written by hand (talks.en.txt), so that what helps is not only
// what the generator likes.
//
// It is laboratory equipment: nothing that a host runs imports it.
package recall
