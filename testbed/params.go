package testbed

const (
	// MostHosts is how many hosts a testbed may have: a process or more each, on one machine.
	MostHosts = 128
	// mostSwitches and mostCables bound the namespaces and devices that the kernel has to hold.
	mostSwitches = 256
	mostCables   = 2048

	// defaultBuffer is more than 160 connections have under way to one port.
	defaultBuffer = 32 << 20
	// defaultWindow is what a connection has under way at most in a lossless network: the three input
	// buffers of 64 KiB on a path between two leaf switches. Beside others, steps of nas-cg:16 took 0.62
	// to 0.75 of the predicted time with 64 KiB and 0.97 to 1.19 with 192 KiB (remap testbed validate,
	// the first crowded case of benchmarks/testbed_test.go; it was chosen on this case).
	defaultWindow = 3 << 16
	// maxBuffer is where a byte count of the kernel's shaper still fits 32 bits, many times over.
	maxBuffer = 1 << 28

	// minRate and maxRate, in bytes a second, are what one machine can shape and forward.
	minRate, maxRate = 125e3, 125e6

	// minMTU is what IPv4 asks of every link (RFC 791), maxMTU what a virtual device takes.
	minMTU, maxMTU = 576, 65535

	// burstPackets is how many packets a port may send at once after a pause: the kernel's shaper
	// needs room for more than one.
	burstPackets = 3

	// ethernetHeader counts to the rate of a port: the shaper sees whole frames.
	ethernetHeader = 14
	// tcpHeaders are IPv4 and TCP with time stamps.
	tcpHeaders = 20 + 32
)
