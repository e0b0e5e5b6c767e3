// Package real has Kehai read chat applications that others wrote: make real installs
// them, and runs them on an X server of their own against an XMPP server on loopback.
// Friends write by a component of that server, the owner's replies are pasted into the
// window, and meanwhile the window is covered, scrolled, minimised, resized, switched,
// started anew and recoloured, and Kehai is killed. All of it is in tests with the build
// tag real; what came out is judged by package replay, as a drawn window's is.
//
// A client is a value in clients_test.go: how it is set up without a dialog, and where its
// field and its list stand. script_test.go holds what is said and done.
package real
