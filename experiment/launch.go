package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"remap/launcher"
	"remap/replay"
	"remap/testbed"
)

// settingsOfOpenMPI start ranks on hosts that are namespaces. Ranks are told from one another by the
// name of their host; the launcher's messages take a network of their own.
func settingsOfOpenMPI(agent, folder string) []string {
	return []string{
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_plm=rsh", "OMPI_MCA_plm_rsh_agent=" + agent, "OMPI_MCA_plm_rsh_no_tree_spawn=1",
		"OMPI_MCA_oob=tcp", "OMPI_MCA_oob_tcp_if_include=" + testbed.ManagementDevice,
		"OMPI_MCA_pml=^ucx,cm", // With nothing but TCP the programs wait on their sockets and need no processor.
		"OMPI_MCA_btl=tcp,self",
		"OMPI_MCA_btl_tcp_if_include=" + testbed.DataDevice,
		"OMPI_MCA_mpi_yield_when_idle=1",
		// Hosts have no name that a server knows.
		"OMPI_MCA_if_base_do_not_resolve=1",
		"OMPI_MCA_orte_tmpdir_base=" + folder,
		// Hosts have as many slots as the rankfile says, not as many as this machine has cores.
		"HWLOC_SYNTHETIC=pack:1 core:1024 pu:1",
	}
}

// agent is the remote shell of the launcher: HOST COMMAND... runs in the host's namespace, with its
// name. As with ssh, the words of the command are joined with blanks, and a shell reads the result.
const agent = `#!/bin/sh
set -eu
while getopts 1246AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w: _; do :; done
shift $((OPTIND - 1))
host=${1#*@}
shift
exec nsenter --net=%s"$host" unshare --uts -- sh -c \
	'printf "%%s\n" "$1" >/proc/sys/kernel/hostname && exec sh -c "$2"' agent "$host" "$*"
`

// launch starts the job and reads its steps.
func (s *Setup) launch(ctx context.Context, p *launcher.Placement, l *Launch, others *competitors) error {
	command, err := s.command(ctx, p)
	if err != nil {
		return err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	said := &tail{}
	command.Stderr = said
	if err := s.Network.Inside(-1, command.Start); err != nil {
		return fmt.Errorf("%s: %w", command.Path, err)
	}
	// A rank that does not end would hold the pipe open.
	release := context.AfterFunc(ctx, func() { output.Close() })
	defer release()
	counted := newWindow(p.Ranks(), s.Margin, s.Play.Steps-1-s.Margin)
	watched := make(chan error, 1)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() { watched <- s.watch(watching, counted, l, others) }()
	steps, incomplete := replay.Steps(io.TeeReader(output, counted), p.Ranks(), s.Play.Steps, said)
	if incomplete != nil {
		stop()
	}
	l.Steps = steps
	ended := command.Wait()
	err = errors.Join(context.Cause(ctx), <-watched)
	if err == nil && (incomplete != nil || ended != nil) {
		err = fmt.Errorf("%s: %w%s", filepath.Base(command.Path), errors.Join(incomplete, ended), said.quoted())
	}
	if err != nil { // what the launcher has not ended itself
		err = errors.Join(err, s.Network.EndProcesses())
	}
	return err
}

// watch measures ports and others while the steps that count are taken.
func (s *Setup) watch(ctx context.Context, counted *window, l *Launch, others *competitors) (err error) {
	select {
	case <-ctx.Done():
		return nil
	case <-counted.begun:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
		case <-counted.ended:
			cancel()
		}
	}()
	others.mark()
	l.Ports, err = s.Network.Watch(ctx, s.Look)
	l.Beside = others.rates()
	return err
}

// command writes the files of a launch, and is the launcher with its arguments.
func (s *Setup) command(ctx context.Context, p *launcher.Placement) (*exec.Cmd, error) {
	const format = "openmpi-rankfile"
	rankfile := filepath.Join(s.Folder, "rankfile")
	hostfile := rankfile + ".hosts"
	shell := filepath.Join(s.Folder, "agent")
	prefix := testbed.NamespacePath(s.Network.Plan.Options.Name, "")
	for _, file := range []struct {
		path string
		mode os.FileMode
		fill func(io.Writer) error
	}{
		{rankfile, 0o644, func(w io.Writer) error {
			return launcher.WritePlacement(w, format, p, launcher.Options{})
		}},
		{hostfile, 0o644, func(w io.Writer) error { return launcher.WriteCompanion(w, p) }},
		{shell, 0o755, func(w io.Writer) error { _, err := fmt.Fprintf(w, agent, prefix); return err }},
	} {
		var content bytes.Buffer
		if err := file.fill(&content); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file.path, content.Bytes(), file.mode); err != nil {
			return nil, err
		}
	}
	launch := launcher.Launches(format, rankfile, hostfile, p, launcher.Options{})[0]
	arguments := append(launch.Args[1:len(launch.Args):len(launch.Args)],
		s.Executables.Command(s.Application, s.Play)...)
	command := exec.CommandContext(ctx, replay.OpenMPI(launch.Args[0]), arguments...)
	command.Env = append(append(os.Environ(), launch.Env...), settingsOfOpenMPI(shell, s.Folder)...)
	if s.Record != "" {
		command.Env = append(command.Env, "OMPI_MCA_pml_monitoring_enable=2",
			"OMPI_MCA_pml_monitoring_enable_output=3", "OMPI_MCA_pml_monitoring_filename="+
				filepath.Join(s.Record, "job"))
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 5 * time.Second
	return command, nil
}

// tail keeps the end of what a launcher says.
type tail struct {
	lock sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = t.text[extra:]
	}
	return len(b), nil
}

func (t *tail) quoted() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return "\n" + text
	}
	return ""
}
