package config

import (
	"path/filepath"
	"strings"
)

// dataDir is the platform's folder for application data, "" without a home.
func dataDir(goos, home string, env func(string) string) string {
	switch goos {
	case "darwin":
		if home != "" {
			return filepath.Join(home, "Library", "Application Support", "Kehai")
		}
	case "windows":
		if local := env("LocalAppData"); local != "" {
			return filepath.Join(local, "Kehai")
		}
	default:
		if xdg := env("XDG_DATA_HOME"); filepath.IsAbs(xdg) { // its specification says to ignore others
			return filepath.Join(xdg, "kehai")
		}
		if home != "" {
			return filepath.Join(home, ".local", "share", "kehai")
		}
	}
	return ""
}

// nodeName makes a node's name of a host's: its first label in lower case, with
// one - for each run of other characters; "here" if nothing is left.
func nodeName(host string) string {
	label, _, _ := strings.Cut(strings.ToLower(host), ".")
	parts := strings.FieldsFunc(label, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(parts, "-")
	if name = strings.TrimRight(name[:min(len(name), 32)], "-"); name == "" {
		return "here"
	}
	return name
}
