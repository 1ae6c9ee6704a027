//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package feedback

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps a second run from writing to the same file; the kernel lets go of
// it when the process ends, however it does. Some file systems of clusters have
// no locks: there the state is kept all the same.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrBusy
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOTSUP),
		errors.Is(err, syscall.ENOLCK):
		return nil
	}
	return err
}
