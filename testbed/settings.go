package testbed

import (
	"fmt"
	"strconv"
)

// setting is a value of the kernel for one namespace.
type setting struct {
	path, value string
	// optional: older kernels have no such setting, and do without.
	optional bool
}

const hashSeedSetting = "net/ipv4/fib_multipath_hash_seed"

// settings are the kernel's values for a node.
func (p *Plan) settings(node int32) []setting {
	o := &p.Options
	all := []setting{
		{"net/ipv6/conf/all/disable_ipv6", "1", true},
		{"net/ipv4/conf/all/rp_filter", "0", false},
		{"net/ipv4/conf/default/rp_filter", "0", false},
	}
	if !p.Topology.IsHost(node) {
		return append(all,
			setting{"net/ipv4/ip_forward", "1", false},
			// A connection's paths are drawn by its addresses, protocol and ports. Policy 1 has these
			// fields, too, but takes the sender's own hash where the packet has one: every switch would
			// then draw alike, and of a network of three levels only some paths be used.
			setting{"net/ipv4/fib_multipath_hash_policy", "3", false},
			setting{"net/ipv4/fib_multipath_hash_fields", "55", false},
			// Every switch has a seed of its own, for the same reason. Kernels before 6.11 have one for all.
			setting{hashSeedSetting, strconv.FormatUint(uint64(p.hashSeed(node)), 10), true},
			setting{"net/ipv4/icmp_ratelimit", "0", true})
	}
	all = append(all,
		// A step is a pause and a burst: the pause should not make the burst start slowly.
		setting{"net/ipv4/tcp_slow_start_after_idle", "0", false},
		// What a connection has met should not be held against the next.
		setting{"net/ipv4/tcp_no_metrics_save", "1", false})
	if o.CongestionControl != "" {
		all = append(all, setting{"net/ipv4/tcp_congestion_control", o.CongestionControl, false})
	}
	if w := o.WindowBytes; w > 0 {
		all = append(all,
			// The kernel counts its own overhead, half of a receive buffer (tcp_adv_win_scale).
			setting{"net/ipv4/tcp_rmem", fmt.Sprintf("4096 %d %d", 2*w, 2*w), false},
			setting{"net/ipv4/tcp_wmem", fmt.Sprintf("4096 %d %d", 2*w, 2*w), false})
	}
	return all
}

// hashSeed is that of a switch: a mix of the testbed's seed and its number, never 0, which would
// mean the machine's (splitmix64, Steele, Lea and Flood 2014).
func (p *Plan) hashSeed(node int32) uint32 {
	z := uint64(p.Options.Seed)<<32 | uint64(uint32(node))
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z^z>>31)>>32) | 1
}
