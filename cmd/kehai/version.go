package main

import (
	"cmp"
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the Go command wrote into this program.
var version = versionOf(debug.ReadBuildInfo())

// versionOf is the tag of a build from a module, or a version made from the commit of a
// checkout; devel if neither is known.
func versionOf(info *debug.BuildInfo, ok bool) string {
	if !ok || info.Main.Version == "(devel)" {
		return "devel"
	}
	return cmp.Or(info.Main.Version, "devel")
}

type versionVerb struct{ *app }

func (v *versionVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  kehai version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			platform := goruntime.GOOS + "/" + goruntime.GOARCH
			return v.stdout.printf("kehai %s %s %s\n", version, goruntime.Version(), platform)
		},
	}
}
