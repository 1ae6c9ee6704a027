//go:build invariants

package evalsim

// invariants turns on checks of what must always hold. They panic.
const invariants = true
