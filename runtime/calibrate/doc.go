// Package calibrate proposes the layout of a chat application from screenshots, and tries it on
// them: [Layout] by itself, [Learn] and [LearnName] from what a person shows.
package calibrate
