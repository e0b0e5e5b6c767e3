package messages

import "time"

// ProjectID names a project of interviews, for example "p-3f09a1c2".
type ProjectID string

// InterviewPlan is what the interviews of a project should find out.
type InterviewPlan struct {
	Name             Text   `json:"name"`
	Tone             string `json:"tone"`
	Goal             Text   `json:"goal"`
	MustAsk          []Text `json:"must_ask,omitempty"`
	MustNotAsk       []Text `json:"must_not_ask,omitempty"`
	MaxTurns         int    `json:"max_turns"`
	MaxDeep          int    `json:"max_deep"`
	MaxConversations int    `json:"max_conversations,omitempty"` // 0: any number
}

// DefineProject gives project/PROJECT its plan, which applies to interviews that begin
// from then on.
type DefineProject struct {
	Project ProjectID     `json:"project"`
	Plan    InterviewPlan `json:"plan"`
}

// MessageType implements [Message].
func (DefineProject) MessageType() Type { return Type{"define_project", 1} }

// BeginInterview asks project/PROJECT to make a conversation an interview.
type BeginInterview struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (BeginInterview) MessageType() Type { return Type{"begin_interview", 1} }

// Subject implements [About].
func (m BeginInterview) Subject() ConversationID { return m.Conversation }

// InterviewBegins makes conversation/CONVERSATION an interview. It comes from the
// project; a conversation that is one already stays as it is.
type InterviewBegins struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
	Plan         InterviewPlan  `json:"plan"`
}

// MessageType implements [Message].
func (InterviewBegins) MessageType() Type { return Type{"interview_begins", 1} }

// Subject implements [About].
func (m InterviewBegins) Subject() ConversationID { return m.Conversation }

// InterviewFinished tells project/PROJECT that an interview is over, once.
type InterviewFinished struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
	Reason       string         `json:"reason"`
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (InterviewFinished) MessageType() Type { return Type{"interview_finished", 1} }

// Subject implements [About].
func (m InterviewFinished) Subject() ConversationID { return m.Conversation }

// InterviewChanged is the event of progress in an interview. The conversation publishes
// it in the turn that records the change.
type InterviewChanged struct {
	Project      ProjectID      `json:"project"`
	Conversation ConversationID `json:"conversation"`
	InterviewProgress
	At time.Time `json:"at"`
}

// InterviewDone is the state of an interview that is over.
const InterviewDone = "done"

// InterviewProgress is how far an interview has come.
type InterviewProgress struct {
	State        string    `json:"state"` // intro to [InterviewDone], or fallback
	Turns        int       `json:"turns"`
	MaxTurns     int       `json:"max_turns"`
	Deep         int       `json:"deep"`
	MaxDeep      int       `json:"max_deep"`
	Asked        int       `json:"asked"` // fixed questions
	FallbackMode bool      `json:"fallback_mode"`
	Items        []Text    `json:"items,omitempty"` // that were named
	FinishedAt   time.Time `json:"finished_at,omitzero"`
	Reason       string    `json:"reason,omitempty"` // why it is done
}

// MessageType implements [Message].
func (InterviewChanged) MessageType() Type { return Type{"interview_changed", 1} }

// Subject implements [About].
func (m InterviewChanged) Subject() ConversationID { return m.Conversation }

// ProjectClosed is the event of a project that has all its interviews.
type ProjectClosed struct {
	Project  ProjectID `json:"project"`
	Finished int       `json:"finished"`
	At       time.Time `json:"at"`
}

// MessageType implements [Message].
func (ProjectClosed) MessageType() Type { return Type{"project_closed", 1} }

// StopInterview ends conversation/CONVERSATION as an interview, as if its participant had
// asked for that. It has no effect on one that is over, or on other conversations.
type StopInterview struct {
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (StopInterview) MessageType() Type { return Type{"stop_interview", 1} }

// Subject implements [About].
func (m StopInterview) Subject() ConversationID { return m.Conversation }
