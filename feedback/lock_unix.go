//go:build unix

package feedback

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps a second run from writing to the same file; the kernel lets go of
// it when the process ends, however it does.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another run is writing this state")
	}
	return err
}
