package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netns"
)

// namespaceFolder is where the kernel's named network namespaces are mounted (ip-netns(8)).
const namespaceFolder = "/run/netns"

// inside runs f on a thread of its own that is in a network namespace. The thread ends with f, so
// no other code of the program ever runs in the namespace.
func inside(space netns.NsHandle, f func() error) error {
	return onThread(func() error {
		if err := netns.Set(space); err != nil {
			return err
		}
		return f()
	})
}

// onThread runs f on a thread that ends with it: the runtime ends threads that a goroutine has left
// locked. It cannot end the first one, whose namespace is also the one that the process is said to
// be in (/proc/self/net), so that one is not used.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			done <- onThread(f) // on another thread, as this one is taken
			runtime.UnlockOSThread()
			return
		}
		done <- f()
	}()
	return <-done
}

// create makes a named namespace.
func create(name string) (space netns.NsHandle, err error) {
	err = onThread(func() error {
		space, err = netns.NewNamed(name)
		return err
	})
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		return space, fmt.Errorf("%w: %v", ErrUnsupported, err)
	}
	if err != nil {
		return space, fmt.Errorf("namespace %s: %w", name, err)
	}
	return space, nil
}

// spaces lists the namespaces of a testbed.
func spaces(testbed string) ([]string, error) {
	entries, err := os.ReadDir(namespaceFolder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix(testbed)) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// remove ends the processes in the named namespaces and deletes these.
func remove(names []string) error {
	inodes := map[uint64]bool{}
	for _, name := range names {
		var status syscall.Stat_t
		if err := syscall.Stat(filepath.Join(namespaceFolder, name), &status); err == nil {
			inodes[status.Ino] = true
		}
	}
	failed := endProcesses(inodes)
	for _, name := range names {
		path := filepath.Join(namespaceFolder, name)
		// A namespace whose maker was killed early is a file without a mount.
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
			failed = errors.Join(failed, fmt.Errorf("unmount %s: %w", path, err))
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// endProcesses kills every process in one of the namespaces, and waits until none is left: one may
// have started others meanwhile.
func endProcesses(inodes map[uint64]bool) error {
	const rounds, pause = 100, 20 * time.Millisecond
	for range rounds {
		inside := processesIn(inodes)
		if len(inside) == 0 {
			return nil
		}
		for _, id := range inside {
			if err := syscall.Kill(id, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d in a namespace of the testbed: %w", id, err)
			}
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("processes %v do not end", processesIn(inodes))
}

// processesIn lists processes of which a thread is in one of the namespaces, zombies and this
// process left out.
func processesIn(inodes map[uint64]bool) []int {
	if len(inodes) == 0 {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		var id int
		if _, err := fmt.Sscanf(entry.Name(), "%d", &id); err != nil || id == os.Getpid() {
			continue
		}
		var status syscall.Stat_t
		// The namespace of a zombie cannot be read.
		if err := syscall.Stat(fmt.Sprintf("/proc/%d/ns/net", id), &status); err == nil && inodes[status.Ino] {
			found = append(found, id)
		}
	}
	return found
}
