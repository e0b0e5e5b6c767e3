package messages

// Core is the hand-written table of Kehai's own message types, in the order of
// the pipeline (see the package comment). A type's stable name never changes
// and is never reused; a change of its stored body that old readers or old
// bodies cannot bear raises the version and adds an [Upcast] and a golden file.
// The function is long because it has one line for each type.
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

		// fusion, dedup, ingress, burst, conversation
		Durable[Detection](nil),
		Durable[Heard](nil),
		Durable[Revised](nil),
		Durable[LedgerDue](nil).AboutNobody(),
		Durable[TranscriptGap](nil),
		Durable[BurstDue](nil).AboutNobody(),
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

		// language model
		Fleeting[AskLLM](),
		Fleeting[LLMAnswer](),
		Fleeting[LLMProgress](),

		// outbound
		Durable[TextSent](nil),
	}
}
