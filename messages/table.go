package messages

// Core is the hand-written table of Kehai's own message types, in the order of the
// pipeline (see the package comment). A type's stable name never changes and is never
// reused; an incompatible change of its stored body raises the version and adds an
// [Upcast] and a golden file. The function is long because it has one line for each type.
func Core() Table {
	return Table{
		// lifecycle
		Fleeting[Started](),
		Durable[CallFailed](nil).AboutNobody(),

		// screen poller
		Fleeting[PollDue](),
		Fleeting[CaptureWindow](),
		Fleeting[FrameCaptured](),
		Fleeting[FrameSettled](),
		Fleeting[FrameHeld](),
		Fleeting[Typing](),
		Fleeting[ReadAgain](),
		Fleeting[ResetBaseline](),
		Fleeting[ReadNow](),

		// structure poller
		Fleeting[StructureDue](),
		Fleeting[CountRows](),
		Fleeting[RowsCounted](),
		Fleeting[StructureSignal](),
		Fleeting[SignalDue](),

		// OCR
		Fleeting[ReadFrame](),
		Fleeting[FrameRead](),
		Fleeting[BareDue](),

		// directory
		Fleeting[Identify](),
		Fleeting[Identified](),
		Fleeting[Introduce](),
		Durable[Rename](nil),
		Fleeting[AskOverlap](),
		Fleeting[OverlapAnswer](),
		Durable[SettleHeld](nil),
		Durable[SettleNew](nil),
		Durable[HeldSettled](nil),
		Durable[Merge](nil),
		Durable[JoinLedger](nil),
		Durable[LedgerJoined](nil),
		Durable[JoinSent](nil),
		Durable[SentJoined](nil),
		Durable[JoinTalk](nil),
		Durable[TalkJoined](nil),
		Durable[Split](nil),
		Durable[SplitLedger](nil),
		Durable[LedgerSplit](nil),
		Durable[ForgetView](nil),
		Durable[SplitTalk](nil),
		Durable[TalkSplit](nil),

		// fusion, dedup, ingress, burst, conversation
		Durable[Detection](nil),
		Durable[IncomingBubble](nil),
		Durable[Revised](nil),
		Durable[LedgerDue](nil).AboutNobody(),
		Durable[TranscriptGap](nil),
		Durable[BurstDue](nil).AboutNobody(),
		Durable[Say](nil),
		Durable[InboundMessage](nil),
		Durable[MessageDelivered](nil),
		Durable[MessageChanged](nil),
		Fleeting[TrimDue](),

		// attention
		Fleeting[FaceFrame](),
		Fleeting[CameraDue](),
		Fleeting[CameraSnapshot](),
		Fleeting[UsageDue](),
		Fleeting[ReadUsage](),
		Fleeting[UsageRead](),
		Fleeting[UsageSnapshot](),
		Fleeting[KeyRecency](),
		Fleeting[FocusDue](),
		Fleeting[FocusJudged](),
		Fleeting[AskFocus](),
		Fleeting[FocusAnswer](),
		Fleeting[HistoryDue](),
		Durable[FocusChanged](nil).AboutNobody(),
		Durable[PauseFocus](nil).AboutNobody(),
		Durable[ResumeFocus](nil).AboutNobody(),
		Durable[NoticeDue](nil).AboutNobody(),
		Durable[PauseNotices](nil).AboutNobody(),
		Durable[ResumeNotices](nil).AboutNobody(),
		Durable[FocusNotice](nil).AboutNobody(),
		Fleeting[ShowNotice](),
		Fleeting[NoticeShown](),

		// memory
		Durable[Remember](nil),
		Durable[TakeBack](nil),
		Fleeting[EventsKept](),
		Fleeting[EventsGone](),
		Fleeting[MemoryAt](),
		Fleeting[Recall](),
		Fleeting[Recalled](),
		Fleeting[SearchMemory](),
		Fleeting[MemoryFound](),
		Fleeting[RecallDue](),
		Fleeting[MaterialDue](),

		// language model
		Fleeting[AskLLM](),
		Fleeting[LLMAnswer](),
		Fleeting[LLMProgress](),

		// replies
		Durable[JudgeReply](nil),
		Durable[ReplyJudged](nil),
		Durable[JudgeAgain](nil),
		Durable[ReplyFate](nil),
		Durable[JudgementDue](nil).AboutNobody(),
		Durable[JudgementOld](nil).AboutNobody(),
		Durable[JudgementMade](nil),
		Durable[FollowOwner](nil),
		Durable[OwnerState](nil).AboutNobody(),
		Durable[PauseSending](nil).AboutNobody(),
		Durable[ResumeSending](nil).AboutNobody(),
		Durable[DraftCommand](nil),
		Durable[DecideDue](nil).AboutNobody(),
		Durable[ReminderDue](nil).AboutNobody(),
		Durable[CancelReminder](nil),
		Durable[ReplyChanged](nil),
		Fleeting[ReplyWriting](),
		Fleeting[ShowDue](),

		// interviews
		Durable[DefineProject](nil).AboutNobody(),
		Durable[BeginInterview](nil),
		Durable[InterviewBegins](nil),
		Durable[InterviewFinished](nil),
		Durable[InterviewChanged](nil),
		Durable[ProjectClosed](nil).AboutNobody(),

		// outbound
		Durable[TextSent](nil),
		Durable[SendReply](nil),
		Durable[StopSending](nil),
		Fleeting[EndSending](),
		Durable[SendDone](nil),
		Durable[OwnMessage](nil),
		Durable[AskKeyboard](nil).AboutNobody(),
		Durable[KeyboardGiven](nil).AboutNobody(),
		Durable[LeaveKeyboard](nil).AboutNobody(),
		Durable[KeyboardDue](nil).AboutNobody(),
		Durable[SendDue](nil).AboutNobody(),
		Durable[TaskDone](nil),
		Durable[SendTried](nil),
		Durable[StallDue](nil).AboutNobody(),
		Durable[SendStalled](nil),
		Fleeting[AskConversation](),
		Fleeting[ConversationShown](),
		Fleeting[TypeText](),
		Fleeting[PressEnter](),
		Fleeting[ClearField](),
		Fleeting[HandsDone](),
	}
}
