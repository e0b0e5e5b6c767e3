package runtime

import (
	"github.com/kehai-run/kehai/actors/catchup"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/keyboard"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/project"
	"github.com/kehai-run/kehai/actors/stall"
	m "github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/parts"
)

// topology is the one table of actors and workers: which kinds there are, what
// each is for, where its actors may live, what is particular about them, who makes them,
// which begin by themselves, and what they send to whom: mail, calls, answers, and
// durable events. The drawing in package messages is made from it. It is long because
// it has a row for each kind.
func topology(p *parts.Parts) ([]actorRow, []workerRow) {
	always, rows, desk := true, len(p.Trees) > 0, p.Config.Focus.Enabled
	return []actorRow{
			// Seeing. The key is a window: its screen is this node's.
			{always, m.ActorPoller, "looks at a window, has what changed read", here, source.merging(),
				p.Poller, p.WindowKeys(),
				sends{to(m.WorkerCapture, m.CaptureWindow{}), to(m.WorkerOCR, m.ReadFrame{}),
					to(m.ActorFusion, m.FrameRead{}, m.ResetBaseline{})}},
			{rows, m.ActorStructure, "has the rows of a window counted", here, source.merging(),
				p.Structure, p.TreeKeys(),
				sends{to(m.WorkerStructure, m.CountRows{}), to(m.ActorFusion, m.StructureSignal{})}},
			{always, m.ActorFusion, "finds what is new in what was read", here,
				traits{about: fusion.About, subject: fusion.SubjectOf}, p.Fusion, nil,
				sends{to(m.ActorPoller, m.FrameSettled{}, m.FrameHeld{}, m.ReadNow{}, m.ReadAgain{}),
					to(m.ActorDirectory, m.Identify{}), to(m.ActorDedup, m.Detection{}, m.AskOverlap{}),
					to(m.ActorOutbound, m.ConversationShown{}), to(m.ActorCatchUp, m.ConversationShown{}),
					to(host, events.MessageUnreadable{}, events.ConversationUnknown{})}},
			// Whose conversation it is. The key is an application.
			{always, m.ActorDirectory, "gives conversations their ids, and knows their names", anywhere,
				traits{subject: directory.SubjectOf}, p.Directory(), nil,
				sends{to(m.ActorFusion, m.Identified{}, m.HeldSettled{}),
					to(m.ActorDedup, m.JoinLedger{}, m.SplitLedger{})}},
			// Deciding what is new, and keeping it. The key is a conversation.
			{always, m.ActorDedup, "keeps the ledger: which bubbles are new", anywhere, traits{}, p.Ledger(), nil,
				sends{to(m.ActorIngress, m.IncomingBubble{}, m.Revised{}, m.OwnMessage{}, m.JoinSent{}),
					to(m.ActorPoller, m.ReadNow{}), to(m.ActorFusion, m.OverlapAnswer{}, m.ForgetView{}),
					to(m.ActorCatchUp, m.CatchUp{}, m.ViewBackSeen{}),
					to(m.ActorDedup, m.CaughtUp{}, m.Detection{}, m.LedgerJoined{}, m.LedgerSplit{}),
					to(m.ActorDirectory, m.LedgerMoved{}),
					to(m.ActorConversation, m.JoinTalk{}, m.SplitTalk{}), to(host, m.TranscriptGap{})}},
			{always, m.ActorIngress, "stops echoes of what was sent, and repeats", anywhere, traits{}, p.Gate(), nil,
				sends{to(m.ActorBurst, m.IncomingBubble{}, m.Revised{}), to(m.ActorConversation, m.OwnMessage{}),
					to(m.ActorOutbound, m.OwnMessage{}), to(m.ActorIngress, m.TextSent{}, m.SentJoined{})}},
			{always, m.ActorBurst, "joins what comes in quick succession", anywhere, traits{}, p.Burst(), nil,
				sends{to(m.ActorConversation, m.InboundMessage{}, m.Revised{})}},
			{always, m.ActorConversation, "keeps what was said, and answers", anywhere, traits{}, p.Conversation(), nil,
				sends{to(m.ActorJudge, m.JudgeReply{}, m.ReplyFate{}), to(m.WorkerLLM, m.AskLLM{}),
					to(m.ActorOwner, m.FollowOwner{}), to(m.ActorOutbound, m.SendReply{}, m.StopSending{}),
					to(m.ActorRecall, m.Remember{}, m.TakeBack{}, m.Recall{}),
					to(m.ActorProject, m.InterviewFinished{}), to(m.ActorInsight, m.Analyse{}),
					to(m.ActorConversation, m.InboundMessage{}, m.Revised{}, m.OwnMessage{}, m.TalkJoined{}, m.Say{},
						m.SplitTalk{}, m.TalkSplit{}, m.InterviewBegins{}, m.StopInterview{}),
					to(host, m.MessageDelivered{}, m.MessageChanged{}, m.ReplyChanged{}, m.ReplyWriting{},
						m.InterviewChanged{})}},
			{always, m.ActorJudge, "judges whether to answer", anywhere, traits{}, p.Judge(), nil,
				sends{to(m.WorkerLLM, m.AskLLM{}), to(m.ActorConversation, m.ReplyJudged{}, m.JudgeAgain{}),
					to(host, m.JudgementMade{})}},
			{always, m.ActorRecall, "remembers what was said, and finds it again", anywhere, traits{}, p.Recall(), nil,
				sends{to(m.WorkerMemory, m.SearchMemory{}), to(m.WorkerEmbedder, m.EmbedEvents{}),
					to(m.WorkerLLM, m.AskLLM{}), to(m.ActorConversation, m.Recalled{}), to(m.ActorGrowth, m.Grow{})}},
			{always, m.ActorGrowth, "learns from what was said", anywhere, traits{}, p.Growth(), nil,
				sends{to(m.WorkerReader, m.ReadEvents{}), to(m.WorkerLearner, m.AskLLM{}),
					to(m.ActorGrowth, m.GrowEvents{}, m.GrowthFailed{}, m.GrowthNext{})}},
			// The key is a project.
			{always, m.ActorProject, "keeps a project of interviews", anywhere, traits{}, project.New, nil,
				sends{to(m.ActorConversation, m.InterviewBegins{}), to(host, m.ProjectClosed{})}},
			{always, m.ActorInsight, "finds out what interviews have in common", anywhere,
				traits{about: insight.About, subject: insight.SubjectOf}, p.Insight(), nil,
				sends{to(m.WorkerWords, m.FindKeywords{}), to(m.WorkerLLM, m.AskLLM{}),
					to(host, m.InterviewAnalysed{})}},
			// The key is a node.
			{always, m.ActorOwner, "knows what the owner does and allows", here, traits{subject: owner.SubjectOf},
				p.Owner(), p.DeskKey(),
				sends{to(m.ActorConversation, m.OwnerState{}), to(m.ActorOutbound, m.OwnerState{})}},
			// Sending. The key is a window, that of the keyboard a node.
			{always, m.ActorOutbound, "types replies into a window and sees them there", here,
				traits{about: outbound.About, subject: outbound.SubjectOf}, p.Sender(), p.WindowKeys(),
				sends{to(m.WorkerCapture, m.CaptureWindow{}), to(m.WorkerOCR, m.ReadFrame{}),
					to(m.WorkerHands, m.TypeText{}, m.PressEnter{}, m.ClearField{}),
					to(m.ActorKeyboard, m.AskKeyboard{}, m.LeaveKeyboard{}), to(m.ActorPoller, m.Typing{}),
					to(m.ActorFusion, m.TextSent{}, m.AskConversation{}), to(m.ActorIngress, m.TextSent{}),
					to(m.ActorStall, m.TaskDone{}, m.SendTried{}), to(m.ActorConversation, m.SendDone{}),
					to(host, m.SendDone{})}},
			{always, m.ActorCatchUp, "scrolls back to what went by unseen", here,
				traits{about: catchup.About, subject: catchup.SubjectOf}, p.CatchUp(), p.WindowKeys(),
				sends{to(m.WorkerCapture, m.CaptureWindow{}), to(m.WorkerOCR, m.ReadFrame{}),
					to(m.WorkerHands, m.TurnWheel{}), to(m.ActorKeyboard, m.AskKeyboard{}, m.LeaveKeyboard{}),
					to(m.ActorPoller, m.Typing{}, m.ReadNow{}), to(m.ActorFusion, m.AskConversation{}),
					to(m.ActorDedup, m.ViewBack{}, m.CaughtUp{})}},
			{always, m.ActorKeyboard, "gives the desk's keyboard to one window at a time", here, traits{},
				keyboard.New, nil,
				sends{to(m.ActorOutbound, m.KeyboardGiven{}), to(m.ActorCatchUp, m.KeyboardGiven{})}},
			{always, m.ActorStall, "finds stalled tasks", here, traits{about: stall.About, subject: stall.SubjectOf},
				p.Stall(), p.DeskKey(), sends{to(host, m.SendStalled{})}},
			// The person at the desk. The key is a node: its camera and keyboard.
			{desk, m.ActorCamera, "sums up the landmarks of a face", here, source.bounded(64), p.Camera(), p.DeskKey(),
				sends{to(m.ActorFocus, m.CameraSnapshot{})}},
			{desk && p.Usage != nil, m.ActorUsage, "has keys and switches counted", here, source,
				p.Usages(), p.DeskKey(),
				sends{to(m.WorkerUsage, m.ReadUsage{}), to(m.ActorFocus, m.UsageSnapshot{}, m.KeyRecency{})}},
			{desk, m.ActorFocus, "judges what the person does", here, source, p.Focus, p.DeskKey(),
				sends{to(m.WorkerLLM, m.AskLLM{}), to(m.ActorHistory, m.FocusChanged{}),
					to(m.ActorNotifier, m.FocusChanged{}), to(m.ActorOwner, m.FocusChanged{}),
					to(host, m.FocusAnswer{})}},
			{desk, m.ActorHistory, "keeps the changes", here, traits{}, p.History(), p.DeskKey(), nil},
			{desk, m.ActorNotifier, "says that a state lasts", here, traits{}, p.Notices(), nil,
				sends{to(m.WorkerNotify, m.ShowNotice{}), to(host, m.FocusNotice{})}},
		}, []workerRow{
			{always, m.WorkerCapture, "captures windows", max(1, len(p.Windows)), m.FrameCaptured{}, p.Capturer(), nil},
			{always, m.WorkerOCR, "reads text", p.Config.OCR.Workers, m.FrameRead{}, p.Reader(p.Recognizer),
				p.Reader(p.Isolated)},
			{always, m.WorkerHands, "types into windows", 1, m.HandsDone{}, p.Hands(), nil},
			{rows, m.WorkerStructure, "counts rows", len(p.Trees), m.RowsCounted{}, p.RowCounter(), nil},
			{always, m.WorkerLLM, "asks a model", p.Config.LLM.Concurrency, m.LLMAnswer{}, p.Asker, nil},
			{always, m.WorkerMemory, "searches what was said", parts.Searchers, m.MemoryFound{}, p.Searcher(), nil},
			{always, m.WorkerWords, "finds what a text is about", 1, m.KeywordsFound{}, insight.NewWorker, nil},
			{always, m.WorkerReader, "reads what is new", 1, m.EventsRead{}, p.Reading(), nil},
			{p.Config.Memory.On(), m.WorkerEmbedder, "says what is meant", 1, m.EventsEmbedded{}, p.Embedding(), nil},
			{always, m.WorkerLearner, "asks a model for growth", 1, m.LLMAnswer{}, p.Asker, nil},
			{desk && p.Usage != nil, m.WorkerUsage, "counts keys, switches", 1, m.UsageRead{}, p.UsageCounter(), nil},
			{desk && p.Notifier != nil, m.WorkerNotify, "shows notices", 1, m.NoticeShown{}, p.Shower(), nil},
		}
}

// actorRow is one kind of actor.
type actorRow struct {
	on    bool // in this configuration
	kind  string
	does  string
	lives place
	with  traits
	make  parts.NewActor
	keys  []string // keys of the actors that are live from the start
	sends sends
}

// workerRow is one pool of workers.
type workerRow struct {
	on       bool
	kind     string
	does     string
	size     int
	answers  m.Message
	make     parts.NewWorker
	isolated parts.NewWorker // see [engine.WorkerKind]
}

// place is where the actors of a kind may live.
type place bool

const (
	here     place = false // on the node that has the screen, the camera, the keyboard
	anywhere place = true  // on any node, one at a time
)

// traits are the peculiarities of a kind.
type traits struct {
	source   bool // its actors start work by themselves, and are stopped first
	overflow engine.Overflow
	fleeting int       // bound of the mailbox; 0 is the engine's
	about    rowsAbout // see [engine.Kind]; nil where the key of an actor says whom its rows are about
	subject  rowSubject
}

type (
	rowsAbout  = func(m.ConversationID, string, []byte) bool
	rowSubject = func(string, []byte) m.ConversationID
)

var source = traits{source: true}

func (x traits) merging() traits      { x.overflow = engine.Merge; return x }
func (x traits) bounded(n int) traits { x.fleeting = n; return x }

// sends is what goes out of an actor.
type sends []arrow

// arrow is what is sent to a kind of actors or workers, or to the host.
type arrow struct {
	kind string
	what []m.Message
}

// host is everything outside the actors: the program that runs Kehai, its operator, and
// the services of the runtime. What goes there is published, or is an answer.
const host = "host"

// fromHost is what actors receive from outside.
func fromHost() sends {
	return sends{
		to(m.ActorPoller, m.ResetBaseline{}, m.Typing{}), to(m.ActorFusion, m.TextSent{}),
		to(m.ActorDirectory, m.Introduce{}, m.Rename{}, m.SettleHeld{}, m.SettleNew{}, m.Merge{}, m.Split{}),
		to(m.ActorIngress, m.TextSent{}),
		to(m.ActorConversation, m.TrimDue{}, m.DraftCommand{}, m.CancelReminder{}, m.Say{}, m.StopInterview{}),
		to(m.ActorProject, m.DefineProject{}, m.BeginInterview{}),
		to(m.ActorRecall, m.TrimDue{}, m.Remember{}, m.TakeBack{}, m.KeepApart{}, m.Embed{}),
		to(m.ActorInsight, m.TrimDue{}),
		to(m.ActorOwner, m.PauseSending{}, m.ResumeSending{}), to(m.ActorOutbound, m.SendReply{}, m.EndSending{}),
		to(m.ActorCamera, m.FaceFrame{}, m.CameraSnapshot{}, m.ForgetEyes{}),
		to(m.ActorFocus, m.AskFocus{}, m.PauseFocus{}, m.ResumeFocus{}),
		to(m.ActorNotifier, m.PauseNotices{}, m.ResumeNotices{}),
	}
}

func to(kind string, what ...m.Message) arrow { return arrow{kind, what} }
