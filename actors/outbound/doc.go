// Package outbound types replies into a window and checks that they appear there. [New]
// makes the actor outbound/WINDOW. [Rules.Step], which is pure, decides what happens to a
// [Reply]; [NewHands] makes the workers that press keys. A window types one reply at a
// time, and one window at a time has the keyboard of its desk (package keyboard). A reply
// whose conversation is not shown waits without holding up the others: only replies of
// the same conversation keep their order.
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
//	| checking   | seen: its conversation and text     | entering   | announce, press Enter    |
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
// A look captures the window, reads its title, its bubbles and its input field, and asks
// fusion whose conversation that is.
//
// # Never twice, never elsewhere
//
// Each state is stored before its next step, and a step is tried only once. If it is
// unknown whether a step was done (it broke, or the process died), the window is read
// before anything else. A text is typed again only if it is neither in the field nor
// among the bubbles that appeared since it was first typed, and only if Enter was not
// pressed or left it in the field. Once all its keys were pressed, it must also have been
// seen in the field and cleared, because a field can read as empty when it is not. A
// reply in doubt waits, and ends as unknown: it is never sent again.
//
// Enter is pressed only after a look showed the right conversation with the whole text in
// its field. Just before the key, the hands compare the window's header and field with
// that look, pixel by pixel, and refuse if a person has touched keyboard or mouse since.
// The only gap left is the moment between this comparison and the key.
//
// A pause takes effect at once: each text and each Enter asks [Allow] right before its
// keys. Text that was already typed is cleared. In a cluster [Allow] also asks for the
// lease on the sending: a majority must confirm within a second that the reply is still to
// be sent, by its conversation, turn and epoch. A machine that is cut off, or slept since,
// presses nothing.
//
// A program that shuts down types nothing more and clears what it typed. If it is killed
// or runs out of time, the next start does this first.
//
// The person at the desk comes first: for three seconds after their last input nothing is
// typed, and what was typed is cleared. A text that the person has added to is theirs: it
// is left alone, and the reply waits until the field is empty.
//
// # Tables
//
// "replies", a [Reply] by its number in 16 digits; "lost", the newest that ended as
// unknown, by their traces, so that a bubble that is seen late still confirms one;
// "count" with the row "next"; "owner" with the row "now", whether sending is paused;
// "working" with the row "now", which reply has the keyboard; "stops", what was withdrawn
// and cannot be read, by arbitrary keys. A crash loses nothing: what is under way begins
// with a look after it.
//
// Replies whose key is out of reach wait; those of others go on, unless one of the former
// has the keyboard.
package outbound
