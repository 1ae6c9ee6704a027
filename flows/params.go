package flows

import "time"

const (
	// chunk is the most bytes of a write or a read: 64 KiB, the most that Linux puts in a
	// segment that the network card cuts (GSO).
	chunk = 64 << 10

	// readMemory is what the buffers of all readers take together; each has at least readLeast.
	// An all-to-all of 64 ranks has 4032 connections.
	readMemory = 16 << 20
	readLeast  = 4 << 10

	// readTogether is the most bytes for which a reader is woken once. Four flows of 20 Mbit/s
	// between namespaces (ring:4) take 4 % of a core so; with a wakeup for each packet they took
	// 15 to 20 %.
	readTogether = 32 << 10

	// unsentBytes is the default of Options.UnsentBytes: 11 packets of 1500 bytes, which a link
	// of 20 Mbit/s sends in 7 ms. With 4 KiB or 64 KiB the throughput of uniform:4 between four
	// namespaces differs by less than 4 %.
	unsentBytes = 16 << 10

	// queueLength is the most Isends that wait for a connection; the next Isend waits.
	queueLength = 64

	// unexpectedMost is how many messages a receiver keeps of a connection beyond those of a
	// step. With a step's messages there is always room for the one that a receive waits for.
	unexpectedMost = 64

	// operationTime is the least time of an operation, as a mean over operationBatch of them or
	// a step. It keeps ranks that send empty messages, or messages within a host, from using a
	// core. An empty message on Ethernet with its headers takes 34 us at 20 Mbit/s.
	operationTime  = 20 * time.Microsecond
	operationBatch = 64

	// shortestSleep: shorter sleeps are put together, since a timer may be 0.1 ms late.
	shortestSleep = time.Millisecond

	// connectTimeout is the default of Options.ConnectTimeout.
	connectTimeout = 20 * time.Second

	// dialsAtOnce is the most connections that are made at the same time; each may hold a
	// thread in a network namespace.
	dialsAtOnce = 32
)
