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
	failed := endProcesses(identify(names))
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

// identity is what tells a namespace from others: device and inode of its file.
type identity struct{ device, inode uint64 }

// identify gives the identities of named namespaces, without that of this program, which no name of
// ours should have.
func identify(names []string) map[identity]bool {
	of := func(path string) (identity, bool) {
		var status syscall.Stat_t
		err := syscall.Stat(path, &status)
		return identity{uint64(status.Dev), status.Ino}, err == nil
	}
	all := map[identity]bool{}
	for _, name := range names {
		if id, ok := of(filepath.Join(namespaceFolder, name)); ok {
			all[id] = true
		}
	}
	if own, ok := of("/proc/self/ns/net"); ok {
		delete(all, own)
	}
	return all
}

// EndProcesses ends all processes in the namespaces of the testbed.
func (n *Network) EndProcesses() error {
	names, err := spaces(n.Plan.Options.Name)
	if err != nil {
		return err
	}
	return endProcesses(identify(names))
}

// endProcesses kills every process in one of the namespaces, and waits until none is left: one may
// have started others meanwhile.
func endProcesses(namespaces map[identity]bool) error {
	const rounds, pause = 100, 20 * time.Millisecond
	for range rounds {
		found := processesIn(namespaces)
		if len(found) == 0 {
			return nil
		}
		for _, id := range found {
			if err := syscall.Kill(id, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d in a namespace of the testbed: %w", id, err)
			}
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("processes %v do not end", processesIn(namespaces))
}

// processesIn lists processes whose first thread is in one of the namespaces, zombies left out.
func processesIn(namespaces map[identity]bool) []int {
	if len(namespaces) == 0 {
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
		if err := syscall.Stat(fmt.Sprintf("/proc/%d/ns/net", id), &status); err == nil &&
			namespaces[identity{uint64(status.Dev), status.Ino}] {
			found = append(found, id)
		}
	}
	return found
}
