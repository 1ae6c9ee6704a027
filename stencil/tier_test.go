package stencil

import (
	_ "pgregory.net/rapid" // has the flag rapid.checks

	"remap/internal/testkit/tier"
)

func init() { tier.Checks(4, 100, 100) }
