package flows

import (
	_ "pgregory.net/rapid" // has the flag rapid.checks

	"remap/internal/testkit/tier"
)

func init() { tier.Checks(10, 50, 200) }
