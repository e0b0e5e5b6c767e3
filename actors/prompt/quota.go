package prompt

import "time"

// DefaultPerHour is how many questions an hour a conversation may cause by default.
const DefaultPerHour = 120

// Quota counts the questions within an hour, which begins with the first of them. Its
// JSON form is stored. The zero value has asked nothing.
type Quota struct {
	Since time.Time `json:"since,omitzero"`
	Asked int       `json:"asked,omitempty"`
}

// Take counts one more question; ok is false if none is left. A clock that is set back
// starts a new hour.
func (q Quota) Take(most int, now time.Time) (next Quota, ok bool) {
	if age := now.Sub(q.Since); age < 0 || age >= time.Hour {
		q = Quota{Since: now}
	}
	if q.Asked >= most {
		return q, false
	}
	q.Asked++
	return q, true
}
