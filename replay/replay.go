// Package replay plays programs of messages on real machines with MPI, and measures their steps.
//
//	programs, err := replay.Compile(ctx, folder)         // with mpicc
//	program, err = replay.WithReceives(program)          // what is simulated and played
//	err = replay.Write(file, program)
//	arguments := programs.Command(replay.Play(path, program), replay.DefaultOptions())
//	... mpirun arguments ... > output
//	steps, err := replay.Steps(output, ranks, options.Steps, os.Stderr)
//
// The processes wait without spinning, so that many ranks can share few processors. Three programs
// with data of their own, Heat, Transpose and Ring, verify their results.
package replay

import (
	"fmt"
	"strconv"
	"time"

	"remap/workload"
)

// Application is what every rank of a job runs.
type Application struct {
	// Name is that of the executable file without the hash: replay, heat, transpose or ring.
	Name string
	// Arguments come before those of Options.
	Arguments []string
	// Pattern is the spec of workload.ParsePattern that Program is of; empty for those of Play.
	Pattern string
	// Program is the communication of one step.
	Program *workload.Program
}

// Options say how an application is run.
type Options struct {
	// Steps is how many times the program is played: 1 to 1,000,000.
	Steps int

	// IdleBytesPerSecond is the rate that turns the bytes of Idle operations into a time: the
	// injection rate of a host.
	IdleBytesPerSecond float64

	// LongestSleep is how long a rank that waits at most sleeps before it looks again, from 1 us to
	// 1 s. Under Open MPI with --mca btl tcp,self it then goes on sleeping until data come. So a wait
	// may end that much late while other data stream in; shorter sleeps cost more processor time.
	LongestSleep time.Duration
}

// DefaultOptions are 10 steps, 1 GB/s, 1 ms.
func DefaultOptions() Options {
	return Options{Steps: 10, IdleBytesPerSecond: 1e9, LongestSleep: time.Millisecond}
}

// Validate names the first field that is out of bounds.
func (o Options) Validate() error {
	switch {
	case o.Steps < 1 || o.Steps > maxSteps:
		return fmt.Errorf("steps %d: must be 1 to %d", o.Steps, maxSteps)
	case !(o.IdleBytesPerSecond >= 1 && o.IdleBytesPerSecond <= 1e15):
		return fmt.Errorf("idle bytes per second %g: must be 1 to 1e15", o.IdleBytesPerSecond)
	case o.LongestSleep < time.Microsecond || o.LongestSleep > time.Second:
		return fmt.Errorf("longest sleep %v: must be 1us to 1s", o.LongestSleep)
	}
	return nil
}

const maxSteps = 1_000_000

// Play is the application that plays a file of Write, which all hosts must see under this path.
func Play(path string, p *workload.Program) Application {
	return Application{Name: "replay", Arguments: []string{path}, Program: p}
}

// Command is the program and its arguments, to be put behind those of mpirun.
func (e Executables) Command(a Application, o Options) []string {
	command := append([]string{e[a.Name]}, a.Arguments...)
	command = append(command, strconv.Itoa(o.Steps))
	if a.Name == "replay" {
		command = append(command, strconv.FormatFloat(o.IdleBytesPerSecond, 'f', 0, 64))
	}
	return append(command, strconv.FormatInt(o.LongestSleep.Microseconds(), 10))
}
