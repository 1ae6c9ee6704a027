package exchange

import (
	_ "pgregory.net/rapid" // has the flag rapid.checks

	"remap/internal/testkit/tier"
)

func init() { tier.Checks(6, 100, 100) }
