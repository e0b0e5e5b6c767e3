package runtime

import (
	"github.com/kehai-run/kehai/actors/catchup"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup"
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

// topology is the one table of actors and workers: which kinds there are, what each is for,
// where its actors may live, what is particular about them, who makes them, and which begin
// by themselves. What they send to whom is in [arrows].
func topology(p *parts.Parts) ([]actorRow, []workerRow) {
	ids, marks := of(nil, directory.SubjectOf).keeping(directory.Kept()), none.keeping(dedup.Kept())
	insights, begun := of(insight.About, insight.SubjectOf).zoned(), traits{begun: conversation.Unfinished, asks: true}
	on, rows, desk := true, len(p.Trees) > 0, p.Config.Focus.Enabled
	windows, trees, node := p.WindowKeys(), p.TreeKeys(), p.DeskKey()
	kinds := []actorRow{ // on, kind, what it is for, where, what is particular, who makes them, which begin
		// Seeing. The key is a window: its screen is this node's.
		{on, m.ActorPoller, "looks at a window, has what changed read", here, source.merging(), p.Poller, windows},
		{rows, m.ActorStructure, "has the rows of a window counted", here, source.merging(), p.Structure, trees},
		{on, m.ActorFusion, "finds what is new in a frame", here, of(fusion.About, fusion.SubjectOf), p.Fusion, nil},
		// Whose conversation it is. The key is an application.
		{on, m.ActorDirectory, "gives ids, knows names", anywhere, ids, p.Directory(), nil},
		// Deciding what is new, and keeping it. The key is a conversation.
		{on, m.ActorDedup, "keeps the ledger: which bubbles are new", anywhere, marks, p.Dedup(), nil},
		{on, m.ActorIngress, "stops echoes of what was sent, and repeats", anywhere, none, p.Ingress(), nil},
		{on, m.ActorBurst, "joins what comes in quick succession", anywhere, none, p.Burst(), nil},
		{on, m.ActorConversation, "keeps what was said, and answers", anywhere, begun, p.Conversation(), nil},
		{on, m.ActorJudge, "judges whether to answer", anywhere, asking, p.Judge(), nil},
		{on, m.ActorRecall, "remembers what was said, and finds it again", anywhere, asking, p.Recall(), nil},
		{on, m.ActorGrowth, "learns from what was said", anywhere, asking, p.Growth(), nil},
		// The key is a project.
		{on, m.ActorProject, "keeps a project of interviews", anywhere, none, project.New, nil},
		{on, m.ActorInsight, "compares interviews", anywhere, insights, p.Insight(), nil},
		// The key is a node.
		{on, m.ActorOwner, "knows what the owner does and allows", here, of(nil, owner.SubjectOf), p.Owner(), node},
		// Sending. The key is a window, that of the keyboard a node.
		{on, m.ActorOutbound, "sends, confirms", here, of(outbound.About, outbound.SubjectOf), p.Outbound(), windows},
		{on, m.ActorCatchUp, "scrolls back to a gap", here, of(catchup.About, catchup.SubjectOf), p.CatchUp(), windows},
		{on, m.ActorKeyboard, "gives the desk's keyboard to one window at a time", here, none, keyboard.New, nil},
		{on, m.ActorStall, "finds stalled tasks", here, of(stall.About, stall.SubjectOf), p.Stall(), node},
		// The person at the desk. The key is a node: its camera and keyboard.
		{desk, m.ActorCamera, "sums up the landmarks of a face", here, source.bounded(64), p.Camera(), node},
		{desk && p.Usage != nil, m.ActorUsage, "has keys and switches counted", here, source, p.Usages(), node},
		{desk, m.ActorFocus, "judges what the person does", here, source, p.Focus, node},
		{desk, m.ActorHistory, "keeps the changes", here, none, p.History(), node},
		{desk, m.ActorNotifier, "says that a state lasts", here, none, p.Notices(), nil},
	}
	workers := []workerRow{ // on, kind, what it is for, how many, what answers, who makes them, in processes
		{on, m.WorkerCapture, "captures windows", max(1, len(p.Windows)), m.FrameCaptured{}, p.Capturer(), nil},
		{on, m.WorkerOCR, "reads", p.Config.OCR.Workers, m.FrameRead{}, p.Reader(p.Recognizer), p.Reader(p.Isolated)},
		{on, m.WorkerHands, "types into windows", 1, m.HandsDone{}, p.Hands(), nil},
		{rows, m.WorkerStructure, "counts rows", len(p.Trees), m.RowsCounted{}, p.RowCounter(), nil},
		{on, m.WorkerLLM, "asks a model", p.Config.LLM.Concurrency, m.LLMAnswer{}, p.Asker, nil},
		{on, m.WorkerMemory, "searches what was said", parts.Searchers, m.MemoryFound{}, p.Searcher(), nil},
		{on, m.WorkerWords, "finds what a text is about", 1, m.KeywordsFound{}, insight.NewWorker, nil},
		{on, m.WorkerReader, "reads what is new", 1, m.EventsRead{}, p.Reading(), nil},
		{p.Config.Memory.On(), m.WorkerEmbedder, "says what is meant", 1, m.EventsEmbedded{}, p.Embedding(), nil},
		{on, m.WorkerLearner, "asks a model for growth", 1, m.LLMAnswer{}, p.Asker, nil},
		{desk && p.Usage != nil, m.WorkerUsage, "counts keys, switches", 1, m.UsageRead{}, p.UsageCounter(), nil},
		{desk && p.Notifier != nil, m.WorkerNotify, "shows notices", 1, m.NoticeShown{}, p.Shower(), nil},
	}
	return kinds, workers
}

// arrows are what actors send to whom: mail, calls, answers, and durable events; and what they
// receive from the host. Tests compare them with what is sent, and draw them in package messages.
// The function is long because it has an entry for each kind.
func arrows() map[string]sends {
	return map[string]sends{
		m.ActorPoller: {
			ask(m.WorkerCapture, m.CaptureWindow{}), ask(m.WorkerOCR, m.ReadFrame{}),
			to(m.ActorFusion, m.FrameRead{}, m.ResetBaseline{}),
		},
		m.ActorStructure: {ask(m.WorkerStructure, m.CountRows{}), to(m.ActorFusion, m.StructureSignal{})},
		m.ActorFusion: {
			to(m.ActorPoller, m.FrameSettled{}, m.FrameHeld{}, m.ReadNow{}, m.ReadAgain{}),
			to(m.ActorDirectory, m.Identify{}), to(m.ActorDedup, m.Detection{}, m.AskOverlap{}),
			to(m.ActorOutbound, m.ConversationShown{}), to(m.ActorCatchUp, m.ConversationShown{}),
			to(host, events.MessageUnreadable{}, events.ConversationUnknown{}),
		},
		m.ActorDirectory: {
			to(m.ActorFusion, m.Identified{}, m.HeldSettled{}), to(m.ActorDedup, m.JoinLedger{}, m.SplitLedger{}),
		},
		m.ActorDedup: {
			to(m.ActorIngress, m.IncomingBubble{}, m.Revised{}, m.OwnMessage{}, m.JoinSent{}),
			to(m.ActorPoller, m.ReadNow{}), to(m.ActorFusion, m.OverlapAnswer{}, m.ForgetView{}),
			to(m.ActorCatchUp, m.CatchUp{}, m.ViewBackSeen{}),
			to(m.ActorDedup, m.CaughtUp{}, m.Detection{}, m.LedgerJoined{}, m.LedgerSplit{}),
			to(m.ActorDirectory, m.LedgerMoved{}), to(m.ActorConversation, m.JoinTalk{}, m.SplitTalk{}),
			to(host, m.TranscriptGap{}),
		},
		m.ActorIngress: {
			to(m.ActorBurst, m.IncomingBubble{}, m.Revised{}), to(m.ActorConversation, m.OwnMessage{}),
			to(m.ActorOutbound, m.OwnMessage{}), to(m.ActorIngress, m.TextSent{}, m.SentJoined{}),
		},
		m.ActorBurst: {to(m.ActorConversation, m.InboundMessage{}, m.Revised{})},
		m.ActorConversation: {
			to(m.ActorJudge, m.JudgeReply{}, m.ReplyFate{}), ask(m.WorkerLLM, m.AskLLM{}),
			to(m.ActorOwner, m.FollowOwner{}), to(m.ActorOutbound, m.SendReply{}, m.StopSending{}),
			to(m.ActorRecall, m.Remember{}, m.TakeBack{}, m.Recall{}), to(m.ActorProject, m.InterviewFinished{}),
			to(m.ActorInsight, m.Analyse{}),
			to(m.ActorConversation, m.InboundMessage{}, m.Revised{}, m.OwnMessage{}, m.TalkJoined{}, m.Say{},
				m.SplitTalk{}, m.TalkSplit{}, m.InterviewBegins{}, m.StopInterview{}),
			to(host, m.MessageDelivered{}, m.MessageChanged{}, m.ReplyChanged{}, m.ReplyWriting{},
				m.InterviewChanged{}),
		},
		m.ActorJudge: {
			ask(m.WorkerLLM, m.AskLLM{}), to(m.ActorConversation, m.ReplyJudged{}, m.JudgeAgain{}),
			to(host, m.JudgementMade{}),
		},
		m.ActorRecall: {
			ask(m.WorkerMemory, m.SearchMemory{}), ask(m.WorkerEmbedder, m.EmbedEvents{}), ask(m.WorkerLLM, m.AskLLM{}),
			to(m.ActorConversation, m.Recalled{}), to(m.ActorGrowth, m.Grow{}),
		},
		m.ActorGrowth: {
			ask(m.WorkerReader, m.ReadEvents{}), ask(m.WorkerLearner, m.AskLLM{}),
			to(m.ActorGrowth, m.GrowEvents{}, m.GrowthFailed{}, m.GrowthNext{}),
		},
		m.ActorProject: {to(m.ActorConversation, m.InterviewBegins{}), to(host, m.ProjectClosed{})},
		m.ActorInsight: {
			ask(m.WorkerWords, m.FindKeywords{}), ask(m.WorkerLLM, m.AskLLM{}), to(host, m.InterviewAnalysed{}),
		},
		m.ActorOwner: {to(m.ActorConversation, m.OwnerState{}), to(m.ActorOutbound, m.OwnerState{})},
		m.ActorOutbound: {
			ask(m.WorkerCapture, m.CaptureWindow{}), ask(m.WorkerOCR, m.ReadFrame{}),
			ask(m.WorkerHands, m.TypeText{}, m.PressEnter{}, m.ClearField{}),
			to(m.ActorKeyboard, m.AskKeyboard{}, m.LeaveKeyboard{}), to(m.ActorPoller, m.Typing{}),
			to(m.ActorFusion, m.TextSent{}, m.AskConversation{}), to(m.ActorIngress, m.TextSent{}),
			to(m.ActorStall, m.TaskDone{}, m.SendTried{}), to(m.ActorConversation, m.SendDone{}),
			to(host, m.SendDone{}),
		},
		m.ActorCatchUp: {
			ask(m.WorkerCapture, m.CaptureWindow{}), ask(m.WorkerOCR, m.ReadFrame{}), ask(m.WorkerHands, m.TurnWheel{}),
			to(m.ActorKeyboard, m.AskKeyboard{}, m.LeaveKeyboard{}), to(m.ActorPoller, m.Typing{}, m.ReadNow{}),
			to(m.ActorFusion, m.AskConversation{}), to(m.ActorDedup, m.ViewBack{}, m.CaughtUp{}),
		},
		m.ActorKeyboard: {to(m.ActorOutbound, m.KeyboardGiven{}), to(m.ActorCatchUp, m.KeyboardGiven{})},
		m.ActorStall:    {to(host, m.SendStalled{})},
		m.ActorCamera:   {to(m.ActorFocus, m.CameraSnapshot{})},
		m.ActorUsage:    {ask(m.WorkerUsage, m.ReadUsage{}), to(m.ActorFocus, m.UsageSnapshot{}, m.KeyRecency{})},
		m.ActorFocus: {
			ask(m.WorkerLLM, m.AskLLM{}), to(m.ActorHistory, m.FocusChanged{}), to(m.ActorNotifier, m.FocusChanged{}),
			to(m.ActorOwner, m.FocusChanged{}), to(host, m.FocusAnswer{}),
		},
		m.ActorNotifier: {ask(m.WorkerNotify, m.ShowNotice{}), to(host, m.FocusNotice{})},
		host: {
			to(m.ActorPoller, m.ResetBaseline{}, m.Typing{}), to(m.ActorFusion, m.TextSent{}),
			to(m.ActorDirectory, m.Introduce{}, m.Rename{}, m.SettleHeld{}, m.SettleNew{}, m.Merge{}, m.Split{}),
			to(m.ActorIngress, m.TextSent{}),
			to(m.ActorConversation, m.TrimDue{}, m.DraftCommand{}, m.CancelReminder{}, m.Say{}, m.StopInterview{}),
			to(m.ActorProject, m.DefineProject{}, m.BeginInterview{}),
			to(m.ActorRecall, m.TrimDue{}, m.Remember{}, m.TakeBack{}, m.KeepApart{}, m.Embed{}),
			to(m.ActorInsight, m.TrimDue{}), to(m.ActorOwner, m.PauseSending{}, m.ResumeSending{}),
			to(m.ActorOutbound, m.SendReply{}, m.EndSending{}),
			to(m.ActorCamera, m.FaceFrame{}, m.CameraSnapshot{}, m.ForgetEyes{}),
			to(m.ActorFocus, m.AskFocus{}, m.PauseFocus{}, m.ResumeFocus{}),
			to(m.ActorNotifier, m.PauseNotices{}, m.ResumeNotices{}),
		},
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
	kept     rowsKept
	begun    string // see [engine.Kind.Unfinished]
	asks     bool   // a model, so that it stays where that is as far away as where it began, see [engine.Kind.Zoned]
}

type (
	rowsAbout  = func(m.ConversationID, string, []byte) bool
	rowSubject = func(string, []byte) m.ConversationID
	rowsKept   = map[string]func([]byte) []byte
)

var none, source, asking = traits{}, traits{source: true}, traits{asks: true}

func of(about rowsAbout, subject rowSubject) traits { return traits{about: about, subject: subject} }

func (x traits) keeping(kept rowsKept) traits { x.kept = kept; return x }
func (x traits) merging() traits              { x.overflow = engine.Merge; return x }
func (x traits) zoned() traits                { x.asks = true; return x }
func (x traits) bounded(n int) traits         { x.fleeting = n; return x }

// sends is what goes out of an actor.
type sends []arrow

// arrow is what is sent to a kind of actors or workers, or to the host.
type arrow struct {
	kind   string
	what   []m.Message
	worker bool
}

// host is everything outside the actors: the program that runs Kehai, its operator, and
// the services of the runtime. What goes there is published, or is an answer.
const host = "host"

func to(kind string, what ...m.Message) arrow  { return arrow{kind, what, false} }
func ask(kind string, what ...m.Message) arrow { return arrow{kind, what, true} }
