package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

const versionExamples = `
  remap version
  remap version --json
`

// build is what `remap version --json` prints.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads what the linker has noted.
func thisBuild() build {
	b := build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Revision = setting.Value
			case "vcs.modified":
				b.Modified = setting.Value == "true"
			}
		}
	}
	return b
}

func (p *program) version(context.Context) error {
	b := thisBuild()
	if p.json {
		return p.writeJSON(b)
	}
	return (&output{stdout: p.stdout}).write(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "remap %s %s %s\n", b.Version, b.Go, b.Platform)
		return err
	})
}
