package main

import (
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

// newMeter starts a meter of a number of steps.
func (p *program) newMeter(what string, steps int) *meter {
	file, _ := p.stderr.(*os.File)
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	if p.quiet || p.progress == "never" || p.progress != "always" && !terminal {
		return &meter{}
	}
	delay := make(chan struct{})
	options := []mpb.ContainerOption{mpb.WithOutput(p.stderr), mpb.WithWidth(40), mpb.WithRenderDelay(delay)}
	if !terminal {
		options = append(options, mpb.WithAutoRefresh())
	}
	container := mpb.New(options...)
	return &meter{
		container: container,
		bar: container.AddBar(int64(steps), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(what+" "), decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO))),
		release: time.AfterFunc(progressDelay, func() { close(delay) }),
	}
}

// step is done; safe for several goroutines.
func (m *meter) step() {
	if m.bar != nil {
		m.bar.Increment()
	}
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
