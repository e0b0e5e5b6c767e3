package hardware

import "strings"

// plain is what any program may need to run, and holds no secret. A * stands for any end.
var plain = []string{"HOME", "PATH", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*", "USER", "LOGNAME", "LD_LIBRARY_PATH",
	"DYLD_*", "GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK", "__CF_USER_TEXT_ENCODING"}

// ChildReading is what a process needs besides that reads text.
var ChildReading = []string{"TESSDATA_PREFIX", "OMP_*"}

// ChildDesktop is what a program of the person's desktop or terminal needs besides: an opener, a
// browser, an editor, or one that speaks to the session.
var ChildDesktop = []string{"SHELL", "TERM", "COLORTERM", "NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
	"XDG_*", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION",
	"KDE_SESSION_VERSION", "GDK_*", "QT_*", "GTK_*", "BROWSER", "EDITOR", "VISUAL", "VIMINIT", "VIMRUNTIME", "EXINIT",
	"WSL_*", "WSLENV"}

// ChildEnv is what of an environment, in the form of os.Environ, a child process gets: what any
// program needs, and what the lists name besides. No key, token or setting of this process is
// in it, whatever it is called. It is never nil, with which a child would get everything.
func ChildEnv(all []string, besides ...[]string) []string {
	env := []string{}
	for _, v := range all {
		name, _, _ := strings.Cut(v, "=")
		if listed(name, plain) {
			env = append(env, v)
			continue
		}
		for _, list := range besides {
			if listed(name, list) {
				env = append(env, v)
				break
			}
		}
	}
	return env
}

func listed(name string, list []string) bool {
	for _, known := range list {
		if prefix, open := strings.CutSuffix(known, "*"); name == known || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
