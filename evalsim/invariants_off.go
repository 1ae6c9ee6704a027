//go:build !invariants

package evalsim

// invariants turns on checks of what must always hold: go test -tags invariants.
const invariants = false
