package describe

import (
	"fmt"

	"github.com/kehai-run/kehai/messages"
)

// Gap is what a gap may hide.
func Gap(g messages.TranscriptGap) string {
	return fmt.Sprintf("more than a screenful went by unseen: of the messages in view then (%d) the newest were "+
		"passed on (%d); what came before may be missing", g.Visible, g.Passed)
}
