// Package pause knows what a person does not want watched or sent for a while, and
// refuses it meanwhile. The main type is [State]. It keeps one setting in the store:
//
//	pause  the windows, and the desk, that are not watched, and whether nothing is sent
//
// It is written before it takes effect, so a crash loses no pause.
package pause
