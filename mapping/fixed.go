package mapping

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/topology"
)

// ReadFixed reads which ranks are fixed where: the native format with the rows
// of these ranks alone. The result is Problem.Fixed, of length ranks. Errors are
// *input.Error with line and column; file is for them.
func ReadFixed(file string, r io.Reader, machine *topology.Topology, a *Allocation, ranks int) ([]int32,
	error) {
	c := NewCollector(file, machine, a, ranks)
	if err := readRows(file, r, c); err != nil {
		return nil, err
	}
	return c.Fixed(), nil
}

// ParseFixed reads the same from a list of RANK=HOST:SLOT with commas between,
// such as 0=n3:1,5=n4. Without a slot it is the lowest of the host that the
// list has not named before. Errors are *input.Error.
func ParseFixed(list string, machine *topology.Topology, a *Allocation, ranks int) ([]int32, error) {
	const hint = "entries are RANK=HOST:SLOT with commas between, for example 0=n3:0,5=n4"
	c := NewCollector("", machine, a, ranks)
	for _, item := range strings.Split(list, ",") {
		rank, place, found := strings.Cut(item, "=")
		host, slot, named := strings.Cut(place, ":")
		if !found || host == "" {
			return nil, &input.Error{Reason: fmt.Sprintf("%q is not RANK=HOST:SLOT", item), Hint: hint}
		}
		e := RankPlace{Host: host}
		var err error
		if e.Rank, err = linescan.Whole(rank); err != nil {
			return nil, &input.Error{Reason: fmt.Sprintf("rank %q is not a whole number", rank), Hint: hint, Err: err}
		}
		if e.Slot = c.Free(host); named {
			if e.Slot, err = strconv.ParseInt(slot, 10, 32); err != nil {
				return nil, &input.Error{Reason: fmt.Sprintf("slot %q is not a whole number", slot), Hint: hint, Err: err}
			}
		}
		if _, known := machine.HostIndex(host); !known && machine.Hosts() > 0 {
			return nil, &input.Error{Reason: fmt.Sprintf("unknown host %q", host),
				Hint: fmt.Sprintf("the network has %d hosts, from %s "+
					"to %s", machine.Hosts(), machine.HostNames[0], machine.HostNames[machine.Hosts()-1])}
		}
		if err := c.Add(e); err != nil {
			return nil, err
		}
	}
	return c.Fixed(), nil
}
