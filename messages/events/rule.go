package events

import "github.com/kehai-run/kehai/messages"

// Rule names why a stage decided as it did: lower case, words joined by underscores,
// unique within the stage. Names are stored, so none is changed or reused. A host's own
// actors have their own.
type Rule string

// spaced are rules that were once stored with a space between their words.
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
	RuleResized   Rule = "resized"    // the window has another size, and may not be drawn yet
	RuleTornHeld  Rule = "torn_held"  // the bubbles of a held view belonged to another conversation
	RuleUnlisted  Rule = "unlisted"   // the conversation is not in read.only
	RuleUnknown   Rule = "unknown"    // whose conversation it is cannot be told
	RuleHeldKnown Rule = "held_known" // a held reading is known now to belong to a conversation
	// RuleHeldTooMany: a reading of an unknown conversation was given up to make room for
	// newer ones.
	RuleHeldTooMany Rule = "held_too_many"
	RuleBare        Rule = "bare"       // Count blocks of text stand outside any bubble
	RuleUnreadable  Rule = "unreadable" // rows came, but nothing new could be read
	RuleBaseline    Rule = "baseline"   // the first look at a window
	RuleNoNews      Rule = "no_news"    // no text is new
	RuleTokens      Rule = "tokens"     // nothing but the application's own words
	// Kehai sent it; Match says how alike, Age how long ago. Ingress has this rule too.
	RuleEcho Rule = "echo"
)

// Rules of the directory.
const (
	// RuleDivided: the conversation was divided since it was told whose the view is.
	RuleDivided Rule = "divided"
	RuleNobody  Rule = "nobody" // a person's command is about an unknown conversation
)

// Rules of the ledger: how a view was taken in, and what in it was not passed on.
const (
	RuleFirstSight Rule = "first_sight" // a conversation never seen before; Count incoming bubbles are history
	RuleForgotten  Rule = "forgotten"   // a person had the transcript deleted: what is visible is history
	RuleAligned    Rule = "aligned"     // the view was laid along what is known
	// nothing visible is known, so it follows after a gap; Count bubbles stand before
	// Match
	RuleGap            Rule = "gap"
	RuleScrolled       Rule = "scrolled"        // nothing visible is known: an older part of the transcript
	RuleNothing        Rule = "nothing"         // no bubble is wholly visible
	RuleSameView       Rule = "same_view"       // it was shown before, and nothing waits
	RuleCutOff         Rule = "cut_off"         // of the Of bubbles, the top Count exceed the limit
	RuleAfterKnown     Rule = "after_known"     // an unknown bubble stands after known ones while scrolled back
	RuleBeyondReach    Rule = "beyond_reach"    // scrolled back further than the ledger reaches
	RuleOlder          Rule = "older"           // scrolled back: an older bubble is history
	RuleBack           Rule = "back"            // scrolled back to read a gap: it goes on, unless Match is lost
	RuleCaughtUp       Rule = "caught_up"       // the end of what was known before a gap was found by scrolling back
	RuleBetween        Rule = "between"         // an unknown bubble stands between known ones
	RuleNoPlace        Rule = "no_place"        // no place is left between known bubbles
	RuleReadsDifferent Rule = "reads_different" // a known bubble reads differently: edited, or misread
	RuleTakenBack      Rule = "taken_back"      // a known bubble is gone
	RuleSide           Rule = "side"            // a bubble whose side stayed unknown
	RuleReleased       Rule = "released"        // messages were passed on
	RuleOwn            Rule = "own"             // new messages of our own side were recorded
	RuleNewText        Rule = "new_text"        // the text of a view without positions was passed on
	RuleFingerprint    Rule = "fingerprint"     // the text was seen Age before
	// all its Count lines were seen before, the newest Age ago; 0: none is long enough
	RuleLineMemory Rule = "line_memory"
	RuleEdited          = Rule(messages.ChangeEdited)
	RuleUnsent          = Rule(messages.ChangeUnsent)
	RuleCompleted       = Rule(messages.ChangeCompleted)
)

// Rules of scrolling back to what went by unseen.
const (
	RulePaused  Rule = "catch_up_later"  // it goes on later; Code says why
	RuleStopped Rule = "catch_up_ends"   // Code says why; Count screens were read
	RuleLowered Rule = "catch_up_lowers" // a window that was left at an older position was turned to its newest one
)

// What stands between old and new after a gap: the Match of [RuleGap].
const (
	BorderOwn    Match = "own"    // the last own bubble
	BorderDate   Match = "date"   // the newest mark of a date
	BorderUnread Match = "unread" // the mark of what was not read yet
)

// Rules of ingress. [RuleEcho] is one of them.
const (
	RuleRepeat Rule = "repeat" // it was taken before; conversation has this rule too
	RuleShort  Rule = "short"  // a short text heard Age before
	RuleCommon Rule = "common" // any text heard Age before; Match says how alike
	RulePlace  Rule = "place"  // rule Match would have dropped it, but its place proves it new
	RuleNew    Rule = "new"    // no echo, and no repeat
)

// Rules of burst. [RuleChanged] is one of them, for a message in the burst that was
// changed.
const (
	RuleSameLine Rule = "same_line" // the burst already has Count of its lines, or all of them if Count is 0
	RuleJoined   Rule = "joined"    // it waits for others to join
	RuleQuiet    Rule = "quiet"     // nothing more came
	RuleCap      Rule = "cap"       // it waited long enough
	RuleFull     Rule = "full"      // it has reached its largest number of parts
	RuleSender   Rule = "sender"    // somebody else wrote
)

// Rules of conversation. [RuleRepeat] and those of changes are among them.
const (
	RuleDelivered    Rule = "delivered"
	RuleNotDelivered Rule = "not_delivered" // a change, of kind Match, to a message that is not kept
	RuleSaidAlready  Rule = "said_already"  // a change, of kind Match, that the message shows already
	RuleLate         Rule = "late"          // an answer or a command for something that has changed since
)

// Rules of outbound.
const (
	RuleQueued        Rule = "queued"         // a reply is to be sent
	RulePutOff        Rule = "put_off"        // attempt Count could not be made: Code
	RuleConfirmed     Rule = "confirmed"      // attempt Count failed: Code
	RuleNotConfirmed  Rule = "not_confirmed"  // it ended as Match: Code
	RuleLateConfirmed Rule = "late_confirmed" // a bubble confirms a sending that had already ended
)

// Rules of the actors that watch the person at the desk.
const (
	RuleUnavailable   Rule = "unavailable"    // the computer's use cannot be read, notices cannot be shown: Code, Note
	RuleNoFace        Rule = "no_face"        // the landmarks do not form a face: Note
	RuleTimeBack      Rule = "time_back"      // the tracker's time went back
	RuleTooLate       Rule = "too_late"       // the state must last again before a notice
	RuleNoAsker       Rule = "no_asker"       // only actors can be answered
	RuleNotAsked      Rule = "not_asked"      // an unexpected answer
	RuleNotCalled     Rule = "not_called"     // a failed call that this actor did not make
	RuleNextJudgement Rule = "next_judgement" // the language model answered after the next judgement
	RuleBadAnswer     Rule = "bad_answer"     // the language model's answer cannot be used: Note
)

// RuleNoActor is a rule of the engine: this runtime has no actors of that kind.
const RuleNoActor Rule = "no_actor"

// RuleNewerType is a rule of the engine: another program in the cluster sends a type of message that
// this one does not know. It waits, with all behind it, until one that knows it owns the actor.
const RuleNewerType Rule = "newer_type"

// RuleNoWorker is a rule of the engine: this runtime has no workers of that kind. It drops
// by RuleForgotten too: what a message is about is being forgotten.
const RuleNoWorker Rule = "no_worker"
