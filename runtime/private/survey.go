package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// State is what [Look] and [Survey] find of a path.
type State struct {
	Path    string
	Mode    fs.FileMode
	Owner   int
	Inside  int        // files and directories below a directory
	Exposed []*Exposed // what others may read or change: at most mostExposed
}

// mostExposed is how much a survey tells of one directory.
const mostExposed = 5

// Look looks at a file, a socket or a directory as [Check] and [CheckFile] do. Nothing is changed. The
// error is the system's: of what does not exist, fs.ErrNotExist.
func Look(path string, rule Rule) (State, error) { return look(path, rule, os.Geteuid()) }

func look(path string, rule Rule, uid int) (State, error) {
	info, err := os.Stat(path)
	if err != nil {
		return State{}, fmt.Errorf("private: %w", err)
	}
	s := State{Path: path, Mode: info.Mode(), Owner: owner(info)}
	if !info.IsDir() {
		err := file(path, plainly{info}, uid)
		if err == nil {
			err = parents(path, uid)
		}
		return s, s.add(err)
	}
	return s, s.add(check(path, rule, uid))
}

// Survey is Look, and at whose is what is below a directory: modes do not matter where others cannot enter.
func Survey(path string, rule Rule) (State, error) {
	uid := os.Geteuid()
	s, err := look(path, rule, uid)
	if err != nil || !s.Mode.IsDir() {
		return s, err
	}
	return s, filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if at == path || errors.Is(err, fs.ErrNotExist) { // it was deleted meanwhile
			return nil
		}
		s.Inside++
		if err != nil {
			return fmt.Errorf("private: %w", err)
		}
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("private: %w", err)
		}
		if of := owner(info); of != uid {
			_ = s.add(&Exposed{at, fmt.Sprintf("belongs to user %d, and this is user %d", of, uid),
				"Give it back, if it is yours: chown " + fmt.Sprint(uid) + " " + quote(at) + "."})
		}
		return nil
	})
}

// add keeps what is exposed, and returns any other error.
func (s *State) add(err error) error {
	var exposed *Exposed
	if !errors.As(err, &exposed) {
		return err
	}
	if len(s.Exposed) < mostExposed {
		s.Exposed = append(s.Exposed, exposed)
	}
	return nil
}

// plainly is a socket as if it were a file.
type plainly struct{ fs.FileInfo }

func (p plainly) Mode() fs.FileMode { return p.FileInfo.Mode() &^ fs.ModeSocket }
