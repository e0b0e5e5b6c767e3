// Package layout describes chat windows as data: where a window keeps its
// header, its messages and its input, which colours its bubbles have, and
// which words are the application's own. The screen poller, OCR and fusion
// read a [Layout]; none of them knows an application by name.
//
// [ByName] gives the built-in ones: line (LINE for desktop) and generic (green
// or blue own bubbles on the right, white or grey incoming ones on the left).
// [Parse] reads a layout of a person's own from YAML, and [Calibrate] proposes
// one from a screenshot. Colour rules are in colour.go, rectangles in box.go.
//
// # Writing a layout
//
// Start from line.yaml in this folder, or from what calibration prints, and
// change what differs. Lengths are logical pixels: what a capture at scale 1
// shows, half of a capture at scale 2. Every section but pane must be there; an
// unknown key is an error. The sections, in their order:
//
//	name             what the layout is called
//	pane             the part of the window that holds one chat: what is taken off
//	                 at the left, top, right and bottom, where a window shows a
//	                 list of chats or other things beside it. Everything below
//	                 counts inside the pane. when: edge cuts it only where the
//	                 picture shows a straight edge along the left side; without
//	                 this section the pane is the whole window
//	header           height of the band above the messages, and the box in it
//	                 that holds the conversation's name. Where the band's colour
//	                 goes on below, it is up to twice as high
//	lane             a strip near the right edge in which every own bubble shows
//	                 its fill: width, distance of its centre from the right edge
//	                 (in pixels, or as ratio of the width if that is more), and
//	                 how many of its pixels must agree on a row
//	separator        the light band that begins the input: rows it has at least,
//	                 how far up it is looked for (scan_to), and where a cut may
//	                 be (cut_from), both as shares of the height
//	own_rows         which rows count as own where no bubble is found: rule
//	                 full_width (pixels own pixels anywhere) or lane (the lane,
//	                 and expand rows around)
//	bubble           smallest size, largest width as share of the window, share
//	                 of its box that shows its fill, the column of avatars, how
//	                 near to the left or right edge a bubble begins or ends,
//	                 smallest side of a picture, and the width beside a bubble
//	                 that holds its clock time; read_stamp: true reads that too
//	sender           the strip above an incoming bubble that holds a name
//	kinds            words by which a bubble is a call or a file
//	marks            words between bubbles: dates, where unread messages begin, and
//	                 that a message was taken back
//	themes           one set of colours for each brightness of the ground
//	tokens           the application's own words outside of bubbles
//	names            display names to remove from the start of a line
//	exclude          boxes that may change without news, besides what lies outside
//	                 the pane and the input that is found: the input's caret, and
//	                 the column of avatars, some of which move. A change inside
//	                 them alone is not looked at; elsewhere a
//	                 single pixel is, so that anything else that moves belongs
//	                 here, and nothing in which a bubble may stand
//
// In a box a negative x or y counts from the right or bottom edge; w or h 0
// reaches to that edge, and a negative one stops that far before it.
//
// A colour is own or incoming if a rule or a list says so. Rules are about
// differences between channels, which a display's colour profile moves little:
// own: {min, over_red, over_blue} holds greens with g > min, g > r+over_red and
// g > b+over_blue; min 255 switches it off. incoming: {min, max, spread} holds
// greys whose channels lie in min..max and differ by at most spread. Other
// fills go into own_colours and incoming_colours: {r, g, b, off}, each channel
// at most off away.
package layout
