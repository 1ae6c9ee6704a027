package launcher

import (
	"bufio"
	"io"
	"strings"
)

// Launch is how a program is started with a written file. The program and its arguments follow Args.
type Launch struct {
	// Launcher is what the command is for, such as "Open MPI 4".
	Launcher string
	// Env is what has to be in the environment, NAME=VALUE each.
	Env []string
	// Args is the launcher with its options.
	Args []string
	// FromFile: the content of the file, without the line break at its end, belongs behind the last of
	// Args, for launchers that take no file.
	FromFile bool
	// Source: the file is one of a shell, to be read before.
	Source bool
	// RankVariable is the environment variable in which a process finds its rank; empty where no
	// variable of the launcher's has the rank that the program will see. HostVariable is that of the
	// host's name; empty where the host itself knows best.
	RankVariable, HostVariable string
	// Notes are what a user has to know, such as when a launcher would ignore the file.
	Notes []string

	path string
}

// Launches are the commands that start a program with a written file, the usual one first; none for
// formats that no launcher reads, and for no ranks. hostfile is the path of what WriteCompanion writes.
func Launches(name, path, hostfile string, p *Placement, o Options) []Launch {
	f, err := find(name)
	if err != nil || f.launch == nil || p.Ranks() == 0 {
		return nil
	}
	launches := f.launch(files{path, hostfile}, p, o)
	for i := range launches {
		launches[i].path = path
	}
	return launches
}

// files are the paths of what is written for a launcher.
type files struct{ path, hosts string }

// Line is the command for a POSIX shell. program is put in as it is, for example PROGRAM.
func (l Launch) Line(program string) string {
	var words []string
	if l.Source {
		path := l.path
		if !strings.ContainsRune(path, '/') {
			path = "./" + path
		}
		words = append(words, "set -a; .", Quote(path)+"; set +a;")
	}
	for _, assignment := range l.Env {
		name, value, _ := strings.Cut(assignment, "=")
		words = append(words, name+"="+Quote(value))
	}
	for _, arg := range l.Args {
		words = append(words, Quote(arg))
	}
	if l.FromFile {
		words[len(words)-1] += `"$(cat ` + Quote(operand(l.path)) + `)"`
	}
	return strings.Join(append(words, program), " ")
}

// Quote makes a text one word of a POSIX shell; a word that begins with a hyphen stays one of options.
func Quote(text string) string {
	plain := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%=", r)
	}) < 0
	if plain && text != "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// operand keeps a path that begins with a hyphen from being an option.
func operand(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// CompanionSuffix is what the path of the host file that belongs to a launcher's file ends in.
const CompanionSuffix = ".hosts"

// HasCompanion tells whether the launcher of a format needs a host file beside it.
func HasCompanion(name string) bool {
	f, _ := find(name)
	return f.companion
}

// WriteCompanion writes that host file: Open MPI's, with every host that has ranks and their number.
// Errors are those of w.
func WriteCompanion(w io.Writer, p *Placement) error {
	out := bufio.NewWriter(w)
	if err := writeSlots(out, p, Options{}); err != nil {
		return err
	}
	return out.Flush()
}
