package config

import (
	"slices"
	"strings"
)

const envPrefix = "KEHAI_"

// envOthers are variables that are read elsewhere and set no field: the
// configuration file, and the browser that tests and the live page use.
var envOthers = [...]string{"KEHAI_CONFIG", "KEHAI_BROWSER"}

// EnvName is the environment variable of a key: KEHAI_OCR_WORKERS of
// ocr.workers, KEHAI_WINDOWS_0_POLL of windows.0.poll.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// ApplyEnv sets fields from an environment (as [os.Environ] has it) and checks
// the result. Empty variables count as not set. Windows can be changed but not
// added. A KEHAI_ variable that means nothing is an error that names the nearest
// one; everything else is applied nevertheless. KEHAI_CONFIG and KEHAI_BROWSER
// are left to the program, and the variables that encryption.key_env and
// llm.key_env name to those who read the keys. Relative paths count from the
// working directory.
func (c *Config) ApplyEnv(environ []string) error {
	c.Windows = slices.Clone(c.Windows)
	byName, names := map[string]field{}, envOthers[:]
	for _, f := range c.fields() {
		byName[EnvName(f.key)] = f
		names = append(names, EnvName(f.key))
	}
	home := homeDir()
	var found problems
	var unknown []string
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(envOthers[:], name) || text == "" {
			continue
		}
		f, ok := byName[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		o := origin{kind: "env", place: name}
		if wrong := f.setPath(text, "", home); wrong != "" {
			found = append(found, problem{origin: o, key: f.key, text: wrong})
			continue
		}
		c.note(f, o)
	}
	for _, name := range unknown {
		if name != c.Encryption.KeyEnv && name != c.LLM.KeyEnv {
			advice := didYouMean(name, names)
			if advice == "" {
				advice = ": unset it"
			}
			found = append(found, problem{origin: origin{place: oneLine(name)}, text: "unknown variable" + advice})
		}
	}
	return joinProblems(found, c.Validate())
}
