package testbed

const (
	// MostHosts is how many hosts a testbed may have: a process or more each, on one machine.
	MostHosts = 128
	// mostSwitches and mostCables bound the namespaces and devices that the kernel has to hold.
	mostSwitches = 256
	mostCables   = 2048

	// defaultBuffer is more than all connections of a job of 64 ranks have under way to one port.
	// With 256 KB TCP drops packets and waits for its timers: steps of 0.36 s are followed by some
	// of 0.7 to 1.5 s.
	defaultBuffer = 8 << 20
	// maxBuffer is where a byte count of the kernel's shaper still fits 32 bits, many times over.
	maxBuffer = 1 << 28

	// minRate and maxRate, in bytes a second, are what one machine can shape and forward.
	minRate, maxRate = 125e3, 125e6

	// minMTU is what IPv4 asks of every link (RFC 791), maxMTU what a virtual device takes.
	minMTU, maxMTU = 576, 65535

	// burstPackets is how many packets a port may send at once after a pause: the kernel's shaper
	// needs room for more than one.
	burstPackets = 3

	// guaranteedRate, in bytes a second, is what a source may send out of turn.
	guaranteedRate = 1000

	// ethernetHeader counts to the rate of a port: the shaper sees whole frames.
	ethernetHeader = 14
	// tcpHeaders are IPv4 and TCP with time stamps.
	tcpHeaders = 20 + 32
)
