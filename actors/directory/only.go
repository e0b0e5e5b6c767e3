package directory

// Only lists the conversations that are read, as "line:Hana", or as "Hana" for
// that name in every application. An empty list reads all.
type Only []string

// Allows reports whether a conversation is on the list. Case, width and spaces
// make no difference. A misread name is not on it, as it might mean another one.
func (o Only) Allows(app, name string) bool {
	if len(o) == 0 {
		return true
	}
	for _, entry := range o {
		if p := Plain(entry); p == Plain(name) || p == Plain(app+":"+name) {
			return true
		}
	}
	return false
}
