package counters

import (
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"remap/input"
	"remap/topology"
)

// Samples is what the receivers of one job have concluded of every link from the samples that
// the job's packets carried (package sampling), over a run. They tell of the job's own packets
// alone.
type Samples struct {
	// Packets (length links): estimate of the job's packets; one without bias may be below 0.
	Packets []float64
	// Congested (length links): estimate of those that found the port congested; may be below 0.
	Congested []float64
	// Known (length links): a packet is known to have crossed it: the interval of Packets is above 0.
	Known []bool
	// Links: how many are Known.
	Links int
	// Warnings: rows that were not used, by name.
	Warnings []string
}

// The columns of a links file that ReadSamples reads beside from, port and to.
const (
	packetsColumn   = "est_packets"
	lowColumn       = "est_packets_low" // may be missing: then every estimate above 0 tells
	congestedColumn = "est_congested_packets"
)

const samplesHint = "remap simulate ... --sampling full --links FILE writes them, a row for each link; " +
	"--measured-view administrator reads port counters"

// OpenSamples is ReadSamples of a file. Errors may also be of the operating system.
func OpenSamples(machine *topology.Topology, path string) (*Samples, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadSamples(machine, path, file)
}

// ReadSamples reads est_packets, est_congested_packets and where it is there est_packets_low of a
// links file of a run whose packets carried samples (remap simulate --links), and of the other
// columns only from, port and to. Empty fields are not known. Rows of ports that the network does
// not have are counted and passed over. Errors are *input.Error with line and column.
func ReadSamples(machine *topology.Topology, name string, r io.Reader) (*Samples, error) {
	n := len(machine.Links)
	s := &Samples{Packets: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	t := newTable(machine, name, r, Options{Tick: -1})
	if err := t.samplesHeader(); err != nil {
		return nil, err
	}
	estimates := 0
	err := t.each(func(record []string) error {
		told, err := t.samplesRow(s, record)
		if told {
			estimates++
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(t.seen) == 0:
		return nil, t.noRows(samplesHint)
	case estimates == 0:
		return nil, &input.Error{File: name, Hint: samplesHint,
			Reason: "the est_ columns are empty: packets carried no samples"}
	case s.Links == 0:
		return nil, &input.Error{File: name, Hint: "did the job send between hosts, and are the columns its own?",
			Reason: "no packet is known to have crossed any link"}
	}
	t.warnOfRows()
	s.Warnings = t.Warnings
	return s, nil
}

// samplesHeader finds the columns of samples.
func (t *table) samplesHeader() error {
	record, err := t.firstRow(samplesHint)
	if err != nil {
		return err
	}
	t.layout, _ = readHeader(record, nil)
	t.layout.at = only(t.layout.at, "from", "port", "to")
	for _, name := range []string{packetsColumn, lowColumn, congestedColumn} {
		c := slices.IndexFunc(record, func(column string) bool { return simple(column) == name })
		if c >= 0 {
			t.layout.at[name] = c
		} else if name != lowColumn {
			return t.fail(-1, samplesHint, "no column %s", name)
		}
	}
	if !t.layout.has("from") {
		return t.fail(-1, samplesHint, "no column says whose port a row is of")
	}
	return nil
}

// only is what a layout knows of some columns.
func only(at map[string]int, names ...string) map[string]int {
	some := map[string]int{}
	for _, name := range names {
		if c, has := at[name]; has {
			some[name] = c
		}
	}
	return some
}

// samplesRow takes in a row; told where it has estimates.
func (t *table) samplesRow(s *Samples, record []string) (told bool, err error) {
	from, err := t.place(record)
	if err != nil {
		return false, err
	}
	link, known := t.linkOf(from)
	if !known {
		return false, nil
	}
	if err := t.once(from, link); err != nil {
		return false, err
	}
	packets, known, err := t.estimate(packetsColumn)
	if err != nil || !known {
		return false, err
	}
	congested, known, err := t.estimate(congestedColumn)
	if err != nil {
		return false, err
	}
	if !known {
		return false, t.fail(t.layout.at[congestedColumn], samplesHint, "%s is missing beside %s",
			congestedColumn, packetsColumn)
	}
	low, known, err := t.estimate(lowColumn)
	if err != nil {
		return false, err
	}
	if !known {
		low = packets
	}
	s.Packets[link], s.Congested[link] = packets, congested
	if s.Known[link] = low > 0; low > 0 {
		s.Links++
	}
	return true, nil
}

// mostEstimate is beyond any count of packets, and far enough from the largest number that sums
// over links stay finite.
const mostEstimate = 1e18

// estimate reads a field of any sign; known is false where it is empty or not there.
func (t *table) estimate(column string) (value float64, known bool, err error) {
	text, c := t.field(t.layout.at, column)
	if text == "" {
		return 0, false, nil
	}
	value, err = strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(value) <= mostEstimate) {
		return 0, false, t.fail(c, "empty = not known; estimates may be below 0",
			"%s %q is not a number of packets", column, clip(text))
	}
	return value, true, nil
}
