package llm

import "testing"

// A server may write the fields that it does not use as null.
func TestJoinChatOverlooksNull(t *testing.T) {
	joined, _, failure := joinChat([]byte(`{"message":{"role":"assistant","content":"hi"},"error":null,"done":true}`))
	if failure != nil {
		t.Errorf("joinChat() = %s, %v, want an answer", joined, failure)
	}
	if _, _, failure := joinChat([]byte(`{"error":"out of memory"}`)); failure == nil || failure.Code != Unavailable {
		t.Errorf("joinChat(an error) = %v, want %s", failure, Unavailable)
	}
}
