package script

// Format says how a script is written.
const Format = `A script is JSON Lines: one object a line. Blank lines and lines that start with #
are skipped. Every object has at_ms, milliseconds from the start of the script,
never less than on the line before. A line is a message

  {"at_ms":0,"who":"friend","text":"おはよう","conversation":"Hana"}

where who is friend or me. Without a conversation it belongs to that of the message
before, and "kind":"sticker" instead of text makes it a picture. Any other line is
an action

  {"at_ms":1500,"do":"scroll","by":200}

with one of these verbs and its arguments, all of them but for down_ms, over_ms and the
conversation of a flood:

  scroll          by            back to older messages by logical pixels, negative: forward
  rerender                      same content, other pixels
  resize          to            [width,height], logical pixels; a zero side makes captures empty
  hide, show                    minimise the window and bring it back
  cover, uncover                put it behind other windows and back
  beside, alone                 show a rail and a list of chats beside the pane, and no more
  blur, focus                   take the focus, so that incoming bubbles pale, and give it back
  chats, chat                   put the list of chats in the pane's place, and the chat back
  switch          conversation  show another conversation
  title           conversation, text  call a conversation so from now on; two may be called alike
  unsend          index         take a message back
  edit            index, text   change the text of a message
  type            text          what the input field holds
  send            text          Kehai writes and sends this
  restart         down_ms       Kehai stops in order and starts again; down_ms later, if that is given
  crash           down_ms       Kehai is killed and starts again, as restart
  reset_baseline                Kehai forgets the last look at the window
  pace            pace          reader: from here on everybody waits until what would leave the view
                                was read; free, as from the beginning: nobody waits
  flood           count, over_ms, conversation  so many messages of the friend, over so long,
                                which wait for nobody

The conversation of the first message is shown until a switch: messages of others
are seen only after a switch to them. index counts the messages that this script has
added to the shown conversation, from 0, without what Kehai sent.
`
