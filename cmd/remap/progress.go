package main

import (
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progressDelay is how long work goes on in silence.
const progressDelay = time.Second

// meter shows how far a command is, on stderr, once it has taken a second.
// The zero value shows nothing.
type meter struct {
	container *mpb.Progress
	bar       *mpb.Bar
	release   *time.Timer
}

// newMeter starts a meter of a number of steps; 0 = not known, which shows that
// the work goes on and for how long.
func (p *program) newMeter(what string, steps int) *meter {
	file, _ := p.stderr.(*os.File)
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	if p.quiet || p.progress == "never" || p.progress != "always" && !terminal {
		return &meter{}
	}
	delay := make(chan struct{})
	out := p.stderr
	if terminal && terminalWidth(p.stderr) == 0 {
		// A terminal that does not tell its width, such as that of a container:
		// nothing would fit in it.
		out, terminal = struct{ io.Writer }{p.stderr}, false
	}
	options := []mpb.ContainerOption{mpb.WithOutput(out), mpb.WithWidth(40), mpb.WithRenderDelay(delay)}
	if !terminal {
		options = append(options, mpb.WithAutoRefresh())
	}
	container := mpb.New(options...)
	name, elapsed := decor.Name(what+" "), mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO))
	var bar *mpb.Bar
	if steps > 0 {
		bar = container.AddBar(int64(steps), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(name, decor.CountersNoUnit("%d/%d")), elapsed)
	} else {
		bar = container.New(0, mpb.SpinnerStyle().PositionLeft(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(name), elapsed)
	}
	return &meter{
		container: container,
		bar:       bar,
		release:   time.AfterFunc(progressDelay, func() { close(delay) }),
	}
}

// step is done; safe for several goroutines.
func (m *meter) step() {
	if m.bar != nil {
		m.bar.Increment()
	}
}

// terminalWidth is the number of columns of a terminal; 0 for all else.
func terminalWidth(w io.Writer) int {
	file, _ := w.(*os.File)
	if file == nil || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// width is that of the terminal that out goes to; 0 for files and pipes.
func (p *program) width(out *output) int {
	if out.toFile() {
		return 0
	}
	return terminalWidth(p.stdout)
}

// stop removes the meter from the screen.
func (m *meter) stop() {
	if m.bar == nil {
		return
	}
	m.release.Stop()
	m.bar.Abort(true)
	m.container.Shutdown()
}
