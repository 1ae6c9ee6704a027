package benchmarks

import (
	"fmt"
	"slices"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
)

// setting is what a published table is repeated with: the tests print each with both.
type setting struct {
	name    string
	options evalsim.Options
	first   bool // the one setting of all published tables
}

func publishedSettings() []setting {
	usual := evalsim.DefaultOptions()
	var all []setting
	for _, o := range []evalsim.Options{fixtures.Published(usual), usual} {
		all = append(all, setting{fmt.Sprintf("packets of %d bytes, buffers of "+
			"%d KiB", o.PacketBytes, o.BufferBytes/1024), o, len(all) == 0})
	}
	return all
}

// askedSettings are both settings with REMAP_TABLE=1, and else the published one or the
// default alone: small packets take minutes.
func askedSettings(published bool) []setting {
	all := publishedSettings()
	if tier.IsTable() {
		return all
	}
	return slices.DeleteFunc(all, func(s setting) bool { return s.first != published })
}

// The scenarios of the thesis's sections 4.3 and 4.4 are played with the published setting.
func TestPublishedScenariosHaveOneSetting(t *testing.T) {
	for _, name := range []string{"popcount", "reduction-naive", "reduction-tree"} {
		s, err := fixtures.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		u, err := s.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		want := fixtures.Published(u.Options)
		if u.Options != want || u.Program.VolumeScale != 1 {
			t.Errorf("%s: %+v at %g of its volume, want %+v at all "+
				"of it", name, u.Options, u.Program.VolumeScale, want)
		}
	}
}
