// Package layout describes chat windows as data: where the header, the messages and the
// input are, which colours the bubbles have, and which words are the application's own.
// The poller, OCR and fusion read a [Layout]. None of them knows an application by name.
//
// [ByName] gives the built-in ones: auto (any window with bubbles: nothing is known
// of it), line (LINE for desktop) and generic (green or blue own bubbles on the
// right, white or grey incoming ones on the left).
// [Parse] reads a custom layout from YAML, and [Calibrate] proposes one from a
// screenshot. Colour rules are in colour.go, rectangles in box.go.
//
// # Writing a layout
//
// Start from line.yaml in this folder, or from what calibration prints, and
// change what differs. Lengths are logical pixels: one pixel of a capture at
// scale 1, two at scale 2. Every section except find and pane is required, and an unknown
// key is an error. The sections, in order:
//
//	name             the layout's name
//	find             auto: pane, header, input, bubbles and sides are found in each
//	                 picture, and of what follows only the sizes of pictures, names
//	                 and clock times, the words, and the colours in the lists of themes
//	                 count, and what is not there is that of the built-in auto.
//	                 Without it all of what follows counts
//	pane             the part of the window that holds one chat. left, top, right
//	                 and bottom are cut off where a window shows a list of chats
//	                 or other things beside it. Everything below counts inside the
//	                 pane. when: edge cuts only if the picture shows a straight
//	                 edge along the left side. Without this section the pane is
//	                 the whole window
//	header           height of the band above the messages, and the box in it
//	                 that holds the conversation's name. If the band's colour
//	                 continues below, it may be up to twice as high
//	lane             a sampling strip near the right edge in which every own
//	                 bubble shows its fill: its width, the distance of its centre
//	                 from the right edge (in pixels, or as a ratio of the width if
//	                 that is more), and how many of its pixels must agree on a row
//	separator        the light band where the input begins: its minimum rows, how
//	                 far up to look for it (scan_to), and where a cut may be
//	                 (cut_from), both as shares of the height
//	own_rows         which rows count as own if no bubble is found. Rule full_width
//	                 wants that many own pixels anywhere in the row; rule lane
//	                 wants an own strip and adds expand rows around
//	bubble           smallest size, largest width as a share of the window, share
//	                 of its box that shows its fill, the column of avatars, how
//	                 near to the left or right edge a bubble begins or ends,
//	                 smallest side of a picture, and the width beside a bubble
//	                 that holds its clock time; read_stamp: true reads that too
//	sender           the strip above an incoming bubble that holds a name
//	kinds            words by which a bubble is a call or a file
//	marks            words between bubbles: dates, where unread messages begin, and
//	                 that a message was taken back
//	themes           one set of colours for each brightness of the background
//	tokens           the application's own words outside of bubbles
//	names            display names to remove from the start of a line
//	me               with find: auto, names under which an application that writes rows
//	                 without bubbles shows one's own messages: Me, You, 自分 and あなた
//	                 if it is not there
//	exclude          boxes that may change without news, in addition to everything
//	                 outside the pane and the input that is found: the input's
//	                 caret, and the column of avatars, some of which move. A
//	                 change only inside them is ignored. Elsewhere a single pixel
//	                 counts, so list everything that moves, but no place where a
//	                 bubble may stand
//
// In a box a negative x or y counts from the right or bottom edge; w or h 0
// reaches to that edge, and a negative one stops that far before it.
//
// A colour is own or incoming if a rule or a list says so. Rules compare channels,
// because a display's colour profile changes their differences little:
// own: {min, over_red, over_blue} holds greens with g > min, g > r+over_red and
// g > b+over_blue; min 255 disables it. incoming: {min, max, spread} holds greys
// whose channels lie in min..max and differ by at most spread. Other fills go
// into own_colours and incoming_colours: {r, g, b, off}, each channel at most off
// away.
package layout
