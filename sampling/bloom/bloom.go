// Package bloom gives Bloom filters of package sampling their hash, the MurmurHash3 of
// btcutil/bloom. A program that simulates or reads variants bloom:BITS imports it for this
// effect alone:
//
//	import _ "remap/sampling/bloom"
//
// It is a package of its own, as btcutil/bloom links more than a hundred packages.
package bloom

import (
	"encoding/binary"

	"github.com/btcsuite/btcd/btcutil/bloom"

	"remap/sampling"
)

func init() { sampling.BloomHash = hash }

func hash(seed, link uint32) uint32 {
	var data [4]byte
	binary.LittleEndian.PutUint32(data[:], link)
	return bloom.MurmurHash3(seed, data[:])
}
