package testkit

import (
	"syscall"
	"time"
)

// UserTime is the processor time that this process has taken in user mode. Unlike the time of
// day it hardly grows because other processes keep the machine busy.
func UserTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano())
}
