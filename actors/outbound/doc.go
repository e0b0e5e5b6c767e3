// Package outbound types replies into a window and sees them there. [New] makes the
// actor outbound/WINDOW. What becomes of a [Reply] is decided by [Rules.Step], which
// is pure; [NewHands] makes the workers that press keys. One reply at a time is
// typed into a window, and one window at a time has the keyboard of its desk (package
// keyboard). What cannot be typed yet, because its conversation is not shown, waits
// beside the others: only the replies of one conversation keep their order.
//
// # A reply
//
//	| state      | on                                  | next       | what is done             |
//	|------------|-------------------------------------|------------|--------------------------|
//	| queued     | due                                 | leasing    | ask for the keyboard     |
//	| leasing    | given                               | verifying  | look                     |
//	| verifying  | seen: its conversation, empty field | typing     | announce, type           |
//	| verifying  | seen: its text came in the transcript | confirming | leave, wait            |
//	| verifying  | seen: its text, or a part of it     | clearing   | clear                    |
//	| verifying  | seen while paused, or at the end    | queued     | leave, wait              |
//	| verifying  | seen: its conversation, for 30 s without the bubbles before its text | done | leave, unknown |
//	| verifying  | seen otherwise, or unseen           | queued     | leave, wait              |
//	| typing     | typed                               | checking   | look                     |
//	| typing     | refused, nothing typed              | queued     | leave, wait              |
//	| typing     | broken                              | settling   | look                     |
//	| checking   | seen: its conversation and text     | entering   | press Enter              |
//	| checking   | seen: its text, elsewhere, stopped, paused, at the end | clearing | clear          |
//	| checking   | seen: its text came in the transcript | confirming | leave, wait            |
//	| checking   | seen otherwise                      | checking   | look again, a few times  |
//	| checking   | seen otherwise at last              | as settling |                         |
//	| entering   | entered                             | confirming | leave, wait              |
//	| entering   | refused or broken                   | settling   | look                     |
//	| clearing   | cleared                             | settling   | look                     |
//	| clearing   | refused or broken                   | settling   | wait, look               |
//	| settling   | seen: its text came in the transcript | confirming | leave, wait            |
//	| settling   | seen: its text, or a part of it     | clearing   | clear                    |
//	| settling   | seen: empty, Enter may have sent it | confirming | leave, wait              |
//	| settling   | seen: empty, its keys were pressed  | done       | leave, unknown           |
//	| settling   | seen otherwise                      | queued     | leave, wait              |
//	| confirming | due                                 | done       | leave, unknown           |
//	| any        | own: its bubble was seen            | done       | leave, confirmed         |
//	| queued, leasing | stop                           | done       | leave, not sent          |
//	| others     | stop                                | same       | not sent if it is cleared |
//	| queued     | it has waited long enough           | done       | leave, not sent          |
//	| verifying  | restart                             | same       | ask for the keyboard     |
//	| typing … settling | restart                      | settling   | ask for the keyboard     |
//	| confirming | restart                             | same       | wait anew                |
//
// To look is to capture the window now, to read its title, its bubbles and what
// stands in its input field, and to ask fusion whose conversation that is.
//
// # Never twice, never elsewhere
//
// Each state is stored before the step that follows from it, and a step is tried
// once. Where it is not known whether one was done (it broke, or the process died),
// the window is read before anything else. A text is typed again only if it stands
// neither in the field nor among the bubbles that have come since it was typed
// first, and Enter was not pressed on it or left it standing in the field. Once all
// its keys were pressed it must also have been seen in the field and taken out: a
// field may read as empty that is not. What is left in doubt is waited for, and is
// unknown in the end: nobody sends it again.
//
// Enter is pressed only on a window that was seen to show the conversation, with the
// whole text in its field. Between that look and the key the hands compare the
// window's header and field with what was seen, to the pixel, and refuse if a
// person has touched keyboard or mouse meanwhile. What is left is the moment between
// this comparison and the key.
//
// A pause holds from the moment at which it is told: each text and each Enter asks
// [Allow] right before its keys. What was typed by then is taken out.
//
// A program that ends in order types nothing more and takes out what it has typed; where
// its time is too short for that, or it is killed, the next start begins with it.
//
// A person's hand wins: within three seconds of it nothing is typed, and what was
// typed is cleared. A text that the person has added to is the person's: it is left
// alone, and the reply waits until the field is empty.
//
// # Tables
//
// "replies", a [Reply] by its number in 16 digits; "lost", the newest that ended as
// unknown, by their traces, so that a bubble that is seen late still confirms one;
// "count" with the row "next"; "owner" with the row "now", whether sending is paused. A
// crash loses nothing: what is under way begins with a look after it.
package outbound
