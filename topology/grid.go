package topology

import "errors"

// grid is a torus or a mesh.
type grid struct{}

func (s *spec) grid() (*grid, error) { return nil, s.fail(s.kind + " is not supported yet") }

func (p *grid) build() (*Topology, error) { return nil, errors.New("not supported yet") }
