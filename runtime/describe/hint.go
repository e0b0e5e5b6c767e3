package describe

import "github.com/kehai-run/kehai/messages/events"

// Unknown says why it is unknown whose a reading is.
func Unknown(why events.UnknownReason) string {
	switch why {
	case events.UnknownAlike:
		return "several conversations may have this title"
	case events.UnknownNamesake:
		return "the conversation of this title has shown nothing of it"
	case events.UnknownUnsure:
		return "the title may be misread"
	case events.UnknownMoving:
		return "the conversation is being merged or divided"
	}
	return "the title cannot be read"
}

// UnknownHint says what a person can do about a conversation that is unknown.
func UnknownHint(why events.UnknownReason) string {
	switch why {
	case events.UnknownAlike, events.UnknownNamesake:
		return "the name in its header may be that of several conversations, and what it shows tells nothing: " +
			"it is held; kehai conversations lists it and says how to decide, or scroll back until older messages show"
	case events.UnknownUnsure:
		return "the name in its header was read badly, or has just changed: " +
			"make the window larger, or open another conversation and then this one again"
	case events.UnknownMoving:
		return "it is being merged or divided: what it shows is held until that is done; " +
			"if it lasts, kehai deadletters list says what failed"
	}
	return "the name in its header cannot be read; kehai conversations held lists what it shows if it stays: " +
		"bring the header into view; " +
		"if it is, measure the window with kehai layout calibrate, or set header.title in its layout"
}

// SidesHint says what a person can do where nothing tells whose a bubble is.
func SidesHint(s events.SidesState) string {
	if s.Bare > 0 && s.Bubbles == 0 {
		return "text is seen, but none of it stands in a bubble or beside a portrait, " +
			"and nothing of it is passed on: open a conversation if the window shows a list of chats; " +
			"if the application writes its messages as lines of plain text, choose a look with bubbles, " +
			"or with portraits and names, in its settings; " +
			"else measure the window with kehai layout calibrate and name the result as its layout"
	}
	if s.Bare > 0 {
		return "text is seen, but no bubble fits the window's layout, and nothing of it is passed on: " +
			"open a conversation if the window shows a list of chats; " +
			"else measure the window with kehai layout calibrate and name the result as its layout"
	}
	if s.Rows > 0 {
		return "names stand beside the messages, none of them is known as yours, and no message is passed on: " +
			"say your name as the window shows it, kehai layout learn --window QUERY --me NAME --out chat.yaml, " +
			"and name chat.yaml as its layout"
	}
	return "no bubble has the colour and the place of an own or an incoming one, and none is passed on: " +
		"show one of each with kehai layout learn, or measure the window with kehai layout calibrate, " +
		"and name the result as its layout"
}
