// Package messages holds every message that Kehai's actors exchange, the names
// by which they find each other, and the codec of the stored and wire forms.
// It imports nothing of Kehai.
//
// One file per stage, in flow order: poll.go, read.go and structure.go (seeing),
// identity.go (whose conversation it is), inbound.go (deciding what is new), channel.go
// (what comes in without a window), talk.go (whether and what to answer), interview.go
// (conversations that are led), outbound.go (what is sent, told to fusion and
// ingress before the first key goes out) and catchup.go (scrolling back to what went by
// unseen). Package messages/events holds what
// happened, for listeners.
//
// The way of a message to the host, and that of a reply back:
//
//	capture ──► poller ──► ocr ──► poller ──► fusion ──► directory ──► fusion
//	fusion ══► dedup ══► ingress ══► burst ══► conversation ══► host
//	conversation ══► judge ──► llm ──► judge ══► conversation
//	conversation ──► recall ──► memory ──► recall ──► conversation ──► llm ──► conversation
//	conversation ══► outbound ══► keyboard ══► outbound ──► hands ──► outbound ══► conversation
//
// The actors, and [workers] that do what takes long:
//
//	poller       looks at a window, has what changed read (here)
//	structure    has the rows of a window counted (here)
//	fusion       finds what is new in a frame (here)
//	directory    gives ids, knows names (anywhere)
//	dedup        keeps the ledger: which bubbles are new (anywhere)
//	ingress      stops echoes of what was sent, and repeats (anywhere)
//	burst        joins what comes in quick succession (anywhere)
//	conversation keeps what was said, and answers (anywhere)
//	judge        judges whether to answer (anywhere)
//	recall       remembers what was said, and finds it again (anywhere)
//	growth       learns from what was said (anywhere)
//	project      keeps a project of interviews (anywhere)
//	insight      compares interviews (anywhere)
//	owner        knows what the owner does and allows (here)
//	outbound     sends, confirms (here)
//	catchup      scrolls back to a gap (here)
//	keyboard     gives the desk's keyboard to one window at a time (here)
//	stall        finds stalled tasks (here)
//	camera       sums up the landmarks of a face (here)
//	pcusage      has keys and switches counted (here)
//	focus        judges what the person does (here)
//	focushistory keeps the changes (here)
//	notifier     says that a state lasts (here)
//
//	[capture]    captures windows
//	[ocr]        reads
//	[hands]      types into windows
//	[structure]  counts rows
//	[llm]        asks a model
//	[memory]     searches what was said
//	[words]      finds what a text is about
//	[reader]     reads what is new
//	[embedder]   says what is meant
//	[learner]    asks a model for growth
//	[usage]      counts keys, switches
//	[notify]     shows notices
//
// Who sends what to whom:
//
//	poller       ──CaptureWindow──► [capture]
//	             ──ReadFrame──► [ocr]
//	             ──FrameRead, ResetBaseline──► fusion
//	structure    ──CountRows──► [structure]
//	             ──StructureSignal──► fusion
//	fusion       ──FrameSettled, FrameHeld, ReadNow, ReadAgain──► poller
//	             ──Identify──► directory
//	             ──AskOverlap──► dedup
//	             ══Detection══► dedup
//	             ──ConversationShown──► outbound
//	             ──ConversationShown──► catchup
//	             ══MessageUnreadable, ConversationUnknown══► host
//	directory    ──Identified──► fusion
//	             ══HeldSettled══► fusion
//	             ══JoinLedger, SplitLedger══► dedup
//	dedup        ══IncomingBubble, Revised, OwnMessage, JoinSent══► ingress
//	             ──ReadNow──► poller
//	             ──OverlapAnswer──► fusion
//	             ══ForgetView══► fusion
//	             ──ViewBackSeen──► catchup
//	             ══CatchUp══► catchup
//	             ══CaughtUp, Detection, LedgerJoined, LedgerSplit══► dedup
//	             ══LedgerMoved══► directory
//	             ══JoinTalk, SplitTalk══► conversation
//	             ══TranscriptGap══► host
//	ingress      ══IncomingBubble, Revised══► burst
//	             ══OwnMessage══► conversation
//	             ══OwnMessage══► outbound
//	             ══TextSent, SentJoined══► ingress
//	burst        ══InboundMessage, Revised══► conversation
//	conversation ══JudgeReply, ReplyFate══► judge
//	             ──AskLLM──► [llm]
//	             ══FollowOwner══► owner
//	             ══SendReply, StopSending══► outbound
//	             ──Recall──► recall
//	             ══Remember, TakeBack══► recall
//	             ══InterviewFinished══► project
//	             ══Analyse══► insight
//	             ══InboundMessage, Revised, OwnMessage, TalkJoined, Say, SplitTalk, TalkSplit══► conversation
//	             ══InterviewBegins, StopInterview══► conversation
//	             ──ReplyWriting──► host
//	             ══MessageDelivered, MessageChanged, ReplyChanged, InterviewChanged══► host
//	judge        ──AskLLM──► [llm]
//	             ══ReplyJudged, JudgeAgain══► conversation
//	             ══JudgementMade══► host
//	recall       ──SearchMemory──► [memory]
//	             ══EmbedEvents══► [embedder]
//	             ──AskLLM──► [llm]
//	             ──Recalled──► conversation
//	             ══Grow══► growth
//	growth       ══ReadEvents══► [reader]
//	             ──AskLLM──► [learner]
//	             ══GrowEvents, GrowthFailed, GrowthNext══► growth
//	project      ══InterviewBegins══► conversation
//	             ══ProjectClosed══► host
//	insight      ──FindKeywords──► [words]
//	             ──AskLLM──► [llm]
//	             ══InterviewAnalysed══► host
//	owner        ══OwnerState══► conversation
//	             ══OwnerState══► outbound
//	outbound     ──CaptureWindow──► [capture]
//	             ──ReadFrame──► [ocr]
//	             ──TypeText, PressEnter, ClearField──► [hands]
//	             ══AskKeyboard, LeaveKeyboard══► keyboard
//	             ──Typing──► poller
//	             ──AskConversation──► fusion
//	             ══TextSent══► fusion
//	             ══TextSent══► ingress
//	             ══TaskDone, SendTried══► stall
//	             ══SendDone══► conversation
//	             ══SendDone══► host
//	catchup      ──CaptureWindow──► [capture]
//	             ──ReadFrame──► [ocr]
//	             ──TurnWheel──► [hands]
//	             ══AskKeyboard, LeaveKeyboard══► keyboard
//	             ──Typing, ReadNow──► poller
//	             ──AskConversation──► fusion
//	             ──ViewBack──► dedup
//	             ══CaughtUp══► dedup
//	keyboard     ══KeyboardGiven══► outbound
//	             ══KeyboardGiven══► catchup
//	stall        ══SendStalled══► host
//	camera       ──CameraSnapshot──► focus
//	pcusage      ──ReadUsage──► [usage]
//	             ──UsageSnapshot, KeyRecency──► focus
//	focus        ──AskLLM──► [llm]
//	             ══FocusChanged══► focushistory
//	             ══FocusChanged══► notifier
//	             ══FocusChanged══► owner
//	             ──FocusAnswer──► host
//	notifier     ──ShowNotice──► [notify]
//	             ══FocusNotice══► host
//
//	[capture]    ──FrameCaptured──► poller
//	             ──FrameCaptured──► outbound
//	             ──FrameCaptured──► catchup
//	[ocr]        ──FrameRead──► poller
//	             ──FrameRead──► outbound
//	             ──FrameRead──► catchup
//	[hands]      ──HandsDone──► outbound
//	             ──HandsDone──► catchup
//	[structure]  ──RowsCounted──► structure
//	[llm]        ──LLMAnswer──► conversation
//	             ──LLMAnswer──► judge
//	             ──LLMAnswer──► recall
//	             ──LLMAnswer──► insight
//	             ──LLMAnswer──► focus
//	[memory]     ──MemoryFound──► recall
//	[words]      ──KeywordsFound──► insight
//	[reader]     ══EventsRead══► growth
//	[embedder]   ══EventsEmbedded══► recall
//	[learner]    ──LLMAnswer──► growth
//	[usage]      ──UsageRead──► pcusage
//	[notify]     ──NoticeShown──► notifier
//
//	host         ──ResetBaseline, Typing──► poller
//	             ══TextSent══► fusion
//	             ──Introduce──► directory
//	             ══Rename, SettleHeld, SettleNew, Merge, Split══► directory
//	             ══TextSent══► ingress
//	             ──TrimDue──► conversation
//	             ══DraftCommand, CancelReminder, Say, StopInterview══► conversation
//	             ══DefineProject, BeginInterview══► project
//	             ──TrimDue──► recall
//	             ══Remember, TakeBack, KeepApart, Embed══► recall
//	             ──TrimDue──► insight
//	             ══PauseSending, ResumeSending══► owner
//	             ──EndSending──► outbound
//	             ══SendReply══► outbound
//	             ──FaceFrame, CameraSnapshot──► camera
//	             ══ForgetEyes══► camera
//	             ──AskFocus──► focus
//	             ══PauseFocus, ResumeFocus══► focus
//	             ══PauseNotices, ResumeNotices══► notifier
//
// A double line is durable: the message is in the store before anybody acts on
// it. A single line is fleeting: lost in a crash and repeated by the next poll.
// Which type is which stands in the table of [Core], nowhere else. The host is all that
// is outside of the actors: the program that runs Kehai, who operates it, the services
// of the runtime. Timers, failed calls and fleeting events are not drawn.
//
// A few words are Kehai's own. Where a package uses one for something else too, it
// says so below:
//
//   - turn: the handling of one message by one actor, with all that it causes:
//     writes, messages, calls, timers, events. All of it is committed, or none. A
//     turn of package reply is one of the dialogue: what is answered at once
//   - call: a request to a worker, outside of the turn; its result comes back as
//     a message, or [CallFailed]
//   - ledger: what Kehai knows of the transcript of one conversation, and the
//     rules that lay a new view of the screen along it
//   - occurrence: the number of one message in that transcript. The same words
//     said twice are two occurrences; read twice they are one
//   - burst: messages of one sender in quick succession, delivered as one. Where
//     frames are read (ocr.burst, [BurstFrame]) it is a few captures of one change
//   - verdict: what a stage of the pipeline decided, by which rule, and on what
//     evidence: see package events. That of package judge is a language model's
//   - desk: a place where one person sits ([DeskID]). That of package reply is what a
//     conversation knows of its replies
//   - held: of a view, kept until it is certain whose conversation it shows. A held
//     reply waits until it may go out
//   - rest: of a deletion, the rows that nobody can read without a key that is not at
//     hand. They are hidden, and go once it is
//   - settled: of a frame, that all that was in it is committed, so that it need
//     not be read again; of an entry of the ledger, that nothing more is expected
//     of it
//   - profile seed: the rules of the first version, in which text alone tells
//     what is new
//
// Private text has the type [Text], which formats redacted.
package messages
