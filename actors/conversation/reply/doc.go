// Package reply decides what becomes of replies. [Decide] says whether a reply is held,
// drafted, sent or drafted with a notice. A [Desk] is what a conversation knows of its
// replies: [Desk.Step] moves it by one [Event], and returns the [Effect]s to carry out.
// All of it is pure.
//
// # A turn
//
// A [Turn] answers one or more messages. It has one state at a time:
//
//	| from                   | on             | to        | what is done                     |
//	|------------------------|----------------|-----------|----------------------------------|
//	| none                   | message        | judging   | judge                            |
//	| judging, declined      | message        | judging   | judge                            |
//	| held, draft            | message        | judging   | judge                            |
//	| writing, sending       | message        | same      | wait                             |
//	| none                   | reminder       | judging   | judge                            |
//	| judging, declined      | reminder       | judging   | judge                            |
//	| held, draft            | reminder       | same      | wait                             |
//	| writing, sending       | reminder       | same      | wait                             |
//	| judging                | yes            | writing   | write                            |
//	| judging                | no             | declined  |                                  |
//	| declined               | again          | judging   | judge                            |
//	| held                   | again          | judging   | judge                            |
//	| writing                | wrote_hold     | held      |                                  |
//	| writing                | wrote_draft    | draft     |                                  |
//	| writing                | wrote_notify   | draft     | notify                           |
//	| writing                | wrote_send     | sending   | send                             |
//	| held                   | decide_hold    | held      |                                  |
//	| held                   | decide_draft   | draft     |                                  |
//	| held                   | decide_notify  | draft     | notify                           |
//	| held                   | decide_send    | sending   | send                             |
//	| held, draft            | edit           | draft     |                                  |
//	| held, draft, unknown   | approve        | sending   | send                             |
//	| draft                  | hold           | held      |                                  |
//	| held, draft, unknown   | reject         | rejected  |                                  |
//	| judging                | reject         | rejected  |                                  |
//	| writing                | reject         | rejected  | stop_writing                     |
//	| judging, declined      | person         | withdrawn |                                  |
//	| held, draft            | person         | withdrawn |                                  |
//	| writing                | person         | withdrawn | stop_writing                     |
//	| sending                | person         | same      | stop_sending                     |
//	| judging, declined      | changed        | judging   | judge                            |
//	| held, draft            | changed        | judging   | judge                            |
//	| writing                | changed        | judging   | stop_writing, judge              |
//	| sending                | changed        | same      | stop_sending                     |
//	| judging, declined      | emptied        | withdrawn |                                  |
//	| held, draft            | emptied        | withdrawn |                                  |
//	| writing                | emptied        | withdrawn | stop_writing                     |
//	| sending                | emptied        | same      | stop_sending                     |
//	| sending, unknown       | confirmed      | sent      |                                  |
//	| sending                | unconfirmed    | unknown   |                                  |
//	| sending                | not_sent       | draft     |                                  |
//	| sending                | not_sent_stale | judging   | judge                            |
//	| sending                | not_sent_void  | withdrawn |                                  |
//
// An event that has no row for the state is refused: it changes nothing. A result
// that names another turn or an older epoch of it is late, and refused as well.
//
// A message that is edited is an event changed; one that is taken back is changed
// too, or emptied if it was the only one of the turn. not_sent says that nothing
// stands in the window. It is not_sent_stale if a message changed meanwhile, and
// not_sent_void if the person answered or nothing is left to answer.
//
// sent, withdrawn and rejected end a turn. A turn that could not be confirmed steps
// aside as unknown: it waits for the person, and nothing sends it again by itself.
// The messages that came while a reply was written or sent open the next turn, so
// that there are never two at once; if the reply becomes a draft meanwhile, they join
// its turn with the message that comes next. A reminder whose time has come takes no
// reply away that a person may still send: it waits for the end of that turn, also if
// the person writes meanwhile.
//
// # What a crash leaves
//
// A desk is stored with the turn of the actor that moved it, and its effects are
// durable calls, each with the turn and its epoch. So each message is in one turn
// only, and a turn is handed out for sending once for each time that it went to
// sending; it goes there again only after not_sent, or by the hand of a person.
//
// In a cluster the machine with the window may be lost with what it knew. If it has reported
// nothing about a turn for long, or was replaced by a new one, the turn is unconfirmed and the
// window has to stop.
package reply
