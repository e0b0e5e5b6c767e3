package messages

import "time"

// Analyse tells insight/PROJECT what a participant said in an interview that is over. It
// comes from the conversation, again whenever what was said there is changed or taken
// back. The same interview told again is analysed anew.
type Analyse struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
	Goal         Text           `json:"goal"`
	At           time.Time      `json:"at"`    // when it was over
	Lines        []Text         `json:"lines"` // masked, in order, without skipped questions
}

// MessageType implements [Message].
func (Analyse) MessageType() Type { return Type{"analyse", 1} }

// Subject implements [About].
func (m Analyse) Subject() ConversationID { return m.Conversation }

// AnalyseDue is insight's own timer to ask again for what was not answered.
type AnalyseDue struct {
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (AnalyseDue) MessageType() Type { return Type{"analyse_due", 1} }

// Subject implements [About].
func (m AnalyseDue) Subject() ConversationID { return m.Conversation }

// FindKeywords asks a worker for the keywords of an interview. It answers with
// [KeywordsFound].
type FindKeywords struct {
	Conversation ConversationID `json:"conversation"`
	Lines        []Text         `json:"lines"`
}

// MessageType implements [Message].
func (FindKeywords) MessageType() Type { return Type{"find_keywords", 1} }

// KeywordsFound is the worker's answer to [FindKeywords], the best keyword first.
type KeywordsFound struct {
	Conversation ConversationID `json:"conversation"`
	Keywords     []Keyword      `json:"keywords"`
}

// Keyword is a phrase that says what an interview is about.
type Keyword struct {
	Text  Text    `json:"text"`
	Score float64 `json:"score"` // above 0
	Count int     `json:"count"` // lines with it
	Quote Text    `json:"quote"` // a sentence with it, as it was said
}

// MessageType implements [Message].
func (KeywordsFound) MessageType() Type { return Type{"keywords_found", 1} }

// InterviewAnalysed is the event of an interview whose analysis changed the cards of its
// project: once with keywords, and again if a model found themes.
type InterviewAnalysed struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
	Keywords     int            `json:"keywords"`
	Themes       int            `json:"themes"`
	Final        bool           `json:"final,omitempty"` // nothing more is asked about it
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (InterviewAnalysed) MessageType() Type { return Type{"interview_analysed", 1} }

// Subject implements [About].
func (m InterviewAnalysed) Subject() ConversationID { return m.Conversation }

// InsightCard is one theme of a project of interviews.
type InsightCard struct {
	ID      string `json:"id"`
	Theme   Text   `json:"theme"`
	JTBD    Text   `json:"jtbd,omitempty"` // what the participants want to get done
	Summary Text   `json:"summary,omitempty"`
	// KeywordOnly: no model has named it, and it has no severity.
	KeywordOnly bool           `json:"keyword_only,omitempty"`
	Severity    int            `json:"severity,omitempty"` // 1 to 5: the mean of its interviews
	Frequency   int            `json:"frequency"`          // interviews with it
	Messages    int            `json:"message_frequency"`  // messages that support it
	Confidence  float64        `json:"confidence"`         // 0 to 1
	Level       InsightLevel   `json:"level"`
	Quotes      []InsightQuote `json:"quotes"`
	Growth      []InsightPoint `json:"growth"` // how it grew, interview by interview
}

// InsightLevel says how sure a card is.
type InsightLevel string

// Levels.
const (
	InsightHigh   InsightLevel = "H"
	InsightMedium InsightLevel = "M"
	InsightLow    InsightLevel = "L"
)

// InsightQuote is something that a participant said, masked.
type InsightQuote struct {
	Text         Text           `json:"text"`
	Conversation ConversationID `json:"conversation"`
	At           time.Time      `json:"at"` // when the interview was over
}

// InsightPoint is a card after one more interview.
type InsightPoint struct {
	At         time.Time    `json:"at"`
	Frequency  int          `json:"frequency"`
	Quotes     int          `json:"quotes"`
	Confidence float64      `json:"confidence"`
	Level      InsightLevel `json:"level"`
}
