package testbed

import (
	"context"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
)

// Counters reads the counters of all ports (length links of the topology), node after node. Bytes
// and packets are what has left the queue.
func (n *Network) Counters() ([]PortCounters, error) {
	ports := make([]PortCounters, len(n.Plan.Ports))
	for node, handle := range n.handles {
		// One question for all devices of the namespace.
		queues, err := handle.QdiscList(nil)
		if err != nil {
			return nil, fmt.Errorf("counters of %s: %w", n.Plan.Nodes[node].Name, err)
		}
		first, end := n.Plan.Topology.Out(int32(node))
		for l := first; l < end; l++ {
			if err := read(&ports[l], queues, n.devices[l]); err != nil {
				return nil, fmt.Errorf("port %s of %s: %w", n.Plan.Ports[l].Device, n.Plan.Nodes[node].Name, err)
			}
		}
	}
	return ports, nil
}

// read takes the counters of a device's queue.
func read(port *PortCounters, queues []netlink.Qdisc, device int) error {
	for _, queue := range queues {
		a := queue.Attrs()
		if a.LinkIndex != device || a.Parent != netlink.HANDLE_ROOT || a.Statistics == nil ||
			a.Statistics.Basic == nil || a.Statistics.Queue == nil {
			continue
		}
		*port = PortCounters{Bytes: a.Statistics.Basic.Bytes, Packets: uint64(a.Statistics.Basic.Packets),
			Drops: uint64(a.Statistics.Queue.Drops), Backlog: uint64(a.Statistics.Queue.Backlog)}
		return nil
	}
	return fmt.Errorf("the kernel has no counters of its queue")
}

// Watch measures until the context ends, and looks at the queues once in every interval; with 0 only
// at both ends.
func (n *Network) Watch(ctx context.Context, interval time.Duration) (*Measurement, error) {
	m := newMeasurement(n.Plan)
	begin := time.Now()
	var err error
	if m.Before, err = n.Counters(); err != nil {
		return nil, err
	}
	if interval > 0 {
		ticks := time.NewTicker(interval)
		defer ticks.Stop()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-ticks.C:
				now, err := n.Counters()
				if err != nil {
					return nil, err
				}
				m.add(now)
			}
		}
	}
	<-ctx.Done()
	m.Start = float64(begin.UnixNano()) / 1e9
	m.Seconds = time.Since(begin).Seconds()
	m.After, err = n.Counters()
	return m, err
}
