package kernighanlin

import (
	_ "pgregory.net/rapid" // has the flag rapid.checks

	"remap/internal/testkit/tier"
)

func init() { tier.Checks(30, 100, 100) }
