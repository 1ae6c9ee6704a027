package replay

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed programs
var sources embed.FS

// Executables are the paths of the compiled programs by the names of their applications.
type Executables map[string]string

// applications are the programs that Compile makes.
var applications = []string{"replay", "heat", "transpose", "ring"}

// flags of the compiler.
var flags = []string{"-std=gnu11", "-O2", "-Wall"}

// Compile compiles the programs with mpicc into a folder, which it makes. What is there from a
// compilation of the same sources is used again. The paths are absolute.
func Compile(ctx context.Context, folder string) (Executables, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	hash, err := sourceHash()
	if err != nil {
		return nil, err
	}
	executables := Executables{}
	for _, name := range applications {
		path := filepath.Join(folder, name+"-"+hash)
		executables[name] = path
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := compile(ctx, name, path); err != nil {
			return nil, err
		}
	}
	return executables, nil
}

// compile makes one program. It appears under its path when it is complete.
func compile(ctx context.Context, name, path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, "compile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, sources); err != nil {
		return err
	}
	made := filepath.Join(work, name)
	arguments := append(append([]string{}, flags...), "-o", made,
		filepath.Join(work, "programs", name+".c"), "-lm")
	said, err := exec.CommandContext(ctx, compiler(), arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not compile %s.c: %w\n%s", compiler(), name, err,
			strings.TrimSpace(string(said)))
	}
	return os.Rename(made, path)
}

// OpenMPI is a program of Open MPI, such as mpirun, by the name that Debian gives it beside other MPIs
// where that is there.
func OpenMPI(program string) string {
	if path, err := exec.LookPath(program + ".openmpi"); err == nil {
		return path
	}
	return program
}

func compiler() string { return OpenMPI("mpicc") }

// sourceHash is a hash of what the programs are made of.
func sourceHash() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, flags)
	err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), err
}
