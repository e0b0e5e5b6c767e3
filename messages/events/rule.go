package events

import "github.com/kehai-run/kehai/messages"

// Rule names why a stage decided as it did, within that stage: in lower case, its words
// joined by underscores. Names are stored: none is changed or used for something else. A
// host's own actors have their own.
type Rule string

// spaced are the rules whose words were once stored with a space between them.
var spaced = map[string]Rule{"no news": RuleNoNews, "new text": RuleNewText, "line memory": RuleLineMemory}

// UnmarshalText reads a name as this program or an older one has stored it.
func (r *Rule) UnmarshalText(name []byte) error {
	now, old := spaced[string(name)]
	if *r = now; !old {
		*r = Rule(name)
	}
	return nil
}

// Rules of the poller, of the worker that captures for it and of the one that reads.
const (
	RuleTyping        Rule = "typing"         // Kehai types into the window
	RuleCaptureBusy   Rule = "capture_busy"   // the last capture is still under way
	RuleReadingBusy   Rule = "reading_busy"   // the last change is still being read
	RuleUnsettled     Rule = "unsettled"      // fusion did not settle the frame in Count polls
	RuleBaselineReset Rule = "baseline_reset" // Count captures in a row missed their deadline
	RuleGivenUp       Rule = "given_up"       // the frame could not be read in Count calls, the last failed with Code
	RuleTriedAgain    Rule = "tried_again"    // reading failed after Count attempts with Code
	RuleUnread        Rule = "unread"         // Code and Count say what of a frame was not read; old rows have a Note
	RuleLeftOut       Rule = "left_out"       // what was read and is no part of a message, likewise
	RuleCountBusy     Rule = "count_busy"     // the last count of rows is still under way
)

// Rules of fusion.
const (
	RuleChanged   Rule = "changed"    // the content of a window has changed
	RuleUnchanged Rule = "unchanged"  // other pixels, the same content; Score is held against Of
	RuleTorn      Rule = "torn"       // another title over the same bubbles
	RuleTornHeld  Rule = "torn_held"  // the bubbles of a view that waited were another conversation's
	RuleUnlisted  Rule = "unlisted"   // the conversation is not in read.only
	RuleUnknown   Rule = "unknown"    // whose conversation it is cannot be told
	RuleHeldKnown Rule = "held_known" // a reading that was held is known to be a conversation's now
	// RuleHeldTooMany: a reading that nobody knew whose it is made room for others.
	RuleHeldTooMany Rule = "held_too_many"
	RuleBare        Rule = "bare"       // Count blocks of text stand in no bubble: nothing shows that they are messages
	RuleUnreadable  Rule = "unreadable" // rows came, but nothing new could be read
	RuleBaseline    Rule = "baseline"   // the first look at a window
	RuleNoNews      Rule = "no_news"    // no text is new
	RuleTokens      Rule = "tokens"     // nothing but the application's own words
	// Kehai sent it; Match and Age say how alike and how long ago. Ingress has it too.
	RuleEcho Rule = "echo"
)

// Rules of the directory.
const (
	RuleNobody Rule = "nobody" // what a person wanted is about a conversation that is not known
)

// Rules of the ledger: how a view was taken in, and what of it goes no further.
const (
	RuleFirstSight Rule = "first_sight" // nothing was known; Count incoming bubbles are history
	RuleForgotten  Rule = "forgotten"   // a person had the transcript deleted: what is visible is history
	RuleAligned    Rule = "aligned"     // the view was laid along what is known
	// nothing visible is known: it follows, after a gap; Count bubbles stand before Match
	RuleGap            Rule = "gap"
	RuleScrolled       Rule = "scrolled"        // nothing visible is known: it stands somewhere before
	RuleNothing        Rule = "nothing"         // no bubble is wholly visible
	RuleSameView       Rule = "same_view"       // it was shown before, and nothing waits
	RuleCutOff         Rule = "cut_off"         // the view has Of bubbles; the top Count exceed the limit
	RuleAfterKnown     Rule = "after_known"     // an unknown bubble stands after known ones while scrolled back
	RuleBeyondReach    Rule = "beyond_reach"    // scrolled back further than the ledger reaches
	RuleOlder          Rule = "older"           // scrolled back: an older bubble is history
	RuleBetween        Rule = "between"         // an unknown bubble stands between known ones
	RuleNoPlace        Rule = "no_place"        // no place is left between known bubbles
	RuleReadsDifferent Rule = "reads_different" // a known bubble reads differently: edited, or misread
	RuleTakenBack      Rule = "taken_back"      // a known bubble is gone
	RuleSide           Rule = "side"            // a bubble whose side stayed unknown
	RuleReleased       Rule = "released"        // messages were passed on
	RuleOwn            Rule = "own"             // new messages of our own side were told
	RuleNewText        Rule = "new_text"        // the text of a view without places was passed on
	RuleFingerprint    Rule = "fingerprint"     // the text is that of one seen Age before
	// all its Count lines were seen, the newest Age before; 0: none is long enough
	RuleLineMemory Rule = "line_memory"
	RuleEdited          = Rule(messages.ChangeEdited)
	RuleUnsent          = Rule(messages.ChangeUnsent)
	RuleCompleted       = Rule(messages.ChangeCompleted)
)

// What stands between old and new after a gap: the Match of [RuleGap].
const (
	BorderOwn    = "own"    // the last own bubble
	BorderDate   = "date"   // the newest mark of a date
	BorderUnread = "unread" // the mark of what was not read yet
)

// Rules of ingress. [RuleEcho] is one of them.
const (
	RuleRepeat Rule = "repeat" // it was taken before: also of conversation
	RuleShort  Rule = "short"  // a short text heard Age before
	RuleCommon Rule = "common" // any text heard Age before; Match says how alike
	RulePlace  Rule = "place"  // it would have been dropped by rule Match, but its place proves it new
	RuleNew    Rule = "new"    // no echo, and no repeat
)

// Rules of burst. [RuleChanged] is one of them: a message of it was changed.
const (
	RuleSameLine Rule = "same_line" // the burst has Count of its lines already, or all of them: Count is 0
	RuleJoined   Rule = "joined"    // it waits for others to join
	RuleQuiet    Rule = "quiet"     // nothing more came
	RuleCap      Rule = "cap"       // it waited long enough
	RuleFull     Rule = "full"      // it has as many parts as may be
	RuleSender   Rule = "sender"    // somebody else wrote
)

// Rules of conversation. [RuleRepeat] is one of them, and those of changes.
const (
	RuleDelivered    Rule = "delivered"
	RuleNotDelivered Rule = "not_delivered" // a change, of the kind Match, of what is not kept
	RuleSaidAlready  Rule = "said_already"  // a change, of the kind Match, that the message says already
	RuleLate         Rule = "late"          // an answer or a command for what has become something else
)

// Rules of outbound.
const (
	RuleQueued        Rule = "queued"         // a reply is to be sent
	RulePutOff        Rule = "put_off"        // attempt Count could not be made: Code
	RuleConfirmed     Rule = "confirmed"      // its bubble was seen
	RuleNotConfirmed  Rule = "not_confirmed"  // it ended as Match: Code
	RuleLateConfirmed Rule = "late_confirmed" // a bubble shows what has ended before
)

// Rules of what looks at the person at the desk.
const (
	RuleUnavailable   Rule = "unavailable"    // the computer's use cannot be read, notices cannot be shown: Code, Note
	RuleNoFace        Rule = "no_face"        // the landmarks are those of no face: Note
	RuleTimeBack      Rule = "time_back"      // the tracker's time went back
	RuleTooLate       Rule = "too_late"       // the state of a notice must last anew
	RuleNoAsker       Rule = "no_asker"       // only actors can be answered
	RuleNotAsked      Rule = "not_asked"      // an answer that nobody waits for
	RuleNotCalled     Rule = "not_called"     // a failed call that nobody made
	RuleNextJudgement Rule = "next_judgement" // the language model answered after the next judgement
	RuleBadAnswer     Rule = "bad_answer"     // the language model's answer is none: Note
)

// RuleNoActor is the engine's: no actor of this kind is in this runtime.
const RuleNoActor Rule = "no_actor"

// RuleNoWorker is the engine's: no workers of this kind are in this runtime.
const RuleNoWorker Rule = "no_worker"
