package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// decided is what was decided of the memory, each point with the tests that hold it: whoever renames one
// names it here again, and whoever drops one says what holds the point instead.
var decided = []struct{ what, tests string }{
	{"each stored record is versioned", "actors/recall TestStoredForms; actors/growth TestStoredForms"},
	{"an event is one message of either side, as it reads now", "actors/conversation TestRemembers"},
	{"each route finds what it is meant to find", "actors/recall TestRoutes"},
	{"a late, failing or panicking route is left out, and named",
		"actors/recall TestRoutesThatFail; actors/recall TestRouteThatPanics"},
	{"a reply recalls before its first word, and waits not for long",
		"actors/conversation TestRecallsBeforeTheFirstWord; actors/conversation TestWaitsForMemoryNotForLong"},
	{"an event is found once its turn has committed, also after a crash",
		"actors/recall TestFindsBeforeItHears; runtime TestRemembersAcrossARestart; " +
			"runtime TestImportKilledAtEachCommit"},
	{"nobody recalls what was said elsewhere, unless the owner allows it",
		"actors/recall TestScopes; actors/memory/rank TestScopeIsTight"},
	{"a search that leaves out what cannot be among the best finds what one of everything finds",
		"actors/memory/lexical TestAgainstReference; actors/memory/lexical TestPrunedAgreesWithExhaustive"},
	{"two Japanese letters are found", "actors/memory/lexical TestTwoLettersAreFound"},
	{"a saved index that is damaged, far behind or of another history is made anew",
		"actors/recall TestSavedIsDamaged; actors/recall TestSavedFarBehind; actors/recall TestSavedOfAnotherHistory"},
	{"what is forgotten leaves the index", "actors/recall TestSavedForgets; " +
		"actors/memory/lexical TestRemoveConversationLeavesNothing"},

	{"times and shares are numbers of the configuration", "actors/memory TestRules"},
	{"the message to answer is not its own answer", "actors/recall TestLeavesOut"},
	{"a turn is answered or closed once, whenever the process dies",
		"actors/conversation TestAnswersOnce; actors/conversation/reply TestNeverTwice"},
	{"a model's choice is optional: without it the order by score counts",
		"actors/recall TestWithoutAChoice; actors/recall TestAModelIsSpared"},
	{"one candidate for each event, and what says the same stands last",
		"actors/memory TestMerge; actors/memory TestApart"},
	{"shares refill, and the best by words and rare words keep their seats",
		"actors/memory TestSeats; actors/memory TestShares"},
	{"a few of the older events are found beside the newer, the same ones each time",
		"actors/recall TestFindsOldAndNew"},
	{"years, seasons, eras, stages of life and times relative to now are read, and lift instead of filtering",
		"actors/text/when TestFind; actors/text/when TestLives; actors/recall TestLifeRoute"},
	{"twelve of the best, five names, eight messages", "actors/recall TestExpansionIsBounded"},
	{"an answer is linked to whom it was written for", "actors/recall TestLinksToWhomItAnswers"},
	{"what was shown of a reply that never came is void", "runtime TestADiscardedReplyIsVoid; " +
		"runtime TestAResumedStreamBeginsWithNothing"},
	{"growth has its own lane: what fails is set aside, what comes late brings nothing back",
		"actors/growth TestReadingThatFails; actors/growth TestJobsThatComeLate; actors/growth TestQuota"},
	{"a later state supersedes an earlier one, which stays true until then",
		"actors/growth TestSessionsGolden; actors/recall TestStates"},
	{"moods are words", "actors/growth TestMood; runtime TestKnowsThemWhateverIsAsked"},
	{"what was wrongly recalled is kept apart from such questions, until that is undone",
		"actors/recall TestKeepsApart; actors/memory TestUnrelated"},
	{"without an embedding model nothing is missing, and vectors of two models are never compared",
		"actors/recall TestRecallsWithoutAModel; actors/recall TestServesWhileAModelIsChanged; " +
			"actors/memory/vector TestSees"},
}

// TestDecided: each test that holds a point exists.
func TestDecided(t *testing.T) {
	repository, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, f := range repository.gos {
		if !f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				tests[f.dir+" "+fn.Name.Name] = true
			}
		}
	}
	for _, d := range decided {
		for test := range strings.SplitSeq(d.tests, "; ") {
			if !tests[test] {
				t.Errorf("%q is held by %s, which is not there: name the test that holds it", d.what, test)
			}
		}
	}
}
