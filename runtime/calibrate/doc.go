// Package calibrate proposes the layout of a chat application from a screenshot, and tries
// it on the screenshot. Its one entry is [Layout].
package calibrate
