package sampling_test

import (
	"fmt"

	"remap/sampling"
)

// Packets carry one link that they crossed and one where they met congestion. From these
// samples alone their receiver estimates how many packets crossed each link.
func Example() {
	const links = 4 // packets take links 0, 1, 3 or 0, 2, 3; link 2 is congested
	variant, random := sampling.Reservoirs, sampling.NewRandom(1)
	device := sampling.NewSwitch(variant, links, &random)
	receiver := sampling.NewReceiver(variant, links, nil, 1)
	table := sampling.NewTable(variant, links)
	var p sampling.Packet
	for i := range 1000 {
		p.Reset(variant)
		for _, link := range []int32{0, 1 + int32(i%2), 3} {
			device.Cross(&p.Header, p.ID, link, link == 2)
		}
		receiver.Receive(table, &p)
	}
	receiver.Flush()
	for link := range int32(links) {
		packets, congested := table.PacketsEstimate(link), table.Fraction(link)
		fmt.Printf("link %d: %.0f to %.0f packets, %.0f %% of them congested\n",
			link, packets.Low, packets.High, 100*congested.Value)
	}
	// Output:
	// link 0: 934 to 1000 packets, 0 % of them congested
	// link 1: 403 to 522 packets, 0 % of them congested
	// link 2: 448 to 573 packets, 99 % of them congested
	// link 3: 929 to 1000 packets, 0 % of them congested
}
