package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// checkNames checks whether the conversations named in the settings of replies are known.
// running is nil if no Kehai runs. A store that cannot be opened is another finding.
func checkNames(ctx context.Context, cfg config.Config, running *control.Client) []finding {
	if !cfg.Replies.NamesConversations() {
		return nil
	}
	if running != nil {
		known, err := running.Conversations(ctx)
		return unknownNames(cfg, known, err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "store")); err != nil {
		return unknownNames(cfg, nil, nil)
	}
	offline, err := runtime.OpenOffline(cfg)
	if err != nil {
		return nil
	}
	known, err := offline.Conversations(ctx)
	if closed := offline.Close(); err == nil {
		err = closed
	}
	return unknownNames(cfg, known, err)
}

// unknownNames are the names that no known conversation has.
func unknownNames(cfg config.Config, known []control.Conversation, err error) (list []finding) {
	if err != nil {
		return []finding{{what: "replies", text: err.Error()}}
	}
	var labels []string
	for _, c := range known {
		labels = append(labels, c.Label())
	}
	for _, u := range cfg.Replies.Unseen(labels) {
		f := finding{what: "replies", text: u.Name + " is in the settings, and no conversation has been seen that is " +
			"called so", mend: "kehai conversations lists those that are known"}
		if u.Near != "" {
			f.mend = fmt.Sprintf("did you mean %s?", u.Near)
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		list = append(list, fine("replies", "the settings name conversations that are known"))
	}
	return list
}
