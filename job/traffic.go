package job

import (
	"slices"
	"strconv"
	"strings"

	"remap/commgraph"
	"remap/workload"
)

// loadTraffic reads the pattern or the recorded traffic, of which there must be one.
func (j *Job) loadTraffic(o *Options) error {
	const forms = "--pattern SPEC for synthetic traffic, --graph FILE for recorded traffic"
	switch {
	case o.Pattern != "" && o.Graph != "":
		return Usage(forms, "--pattern and --graph exclude each other")
	case o.Pattern == "" && !o.IsRecorded():
		return Usage(forms, "--pattern or --graph is missing")
	case o.Graph == "" && o.Messages != "":
		return Usage(forms, "--messages goes with --graph")
	case !o.IsRecorded() && o.Wait:
		return Usage("patterns have wait=true where ranks can wait", "--wait goes with --graph")
	}
	if err := j.checkPhases(o); err != nil {
		return err
	}
	load := j.loadPattern
	if o.IsRecorded() {
		load = j.loadGraph
	}
	if err := load(o); err != nil {
		return err
	}
	j.Graph = j.Traffic.Graph()
	if o.Grid != "" {
		extents, err := parseGrid(o.Grid, j.Traffic.Ranks())
		if err != nil {
			return err
		}
		j.Grid = extents
	}
	var err error
	j.Coordinates, err = openCoordinates(o.Coordinates, j.Traffic.Ranks())
	return err
}

func (j *Job) loadPattern(o *Options) error {
	program, err := workload.ParsePattern(o.Pattern)
	if err != nil {
		return InOption("pattern", err)
	}
	j.Grid = program.Grid
	if j.Traffic, err = program.Traffic(); err != nil {
		return InOption("pattern", err)
	}
	if err := j.loadPhases(o, program); err != nil {
		return err
	}
	j.Whole = program
	limit := j.shareOfPackets(program.Packets(j.PacketBytes), program.Ranks())
	var warning string
	if j.Program, warning = workload.Scale(program, j.PacketBytes, limit); warning != "" {
		j.Program.Warning = warning
	}
	return nil
}

func (j *Job) loadGraph(o *Options) error {
	var err error
	if j.Traffic, err = openGraph(o); err != nil {
		return err
	}
	if j.Traffic.Ranks() == 0 {
		return Failure("is this the right file?", "%s: the graph has no ranks", j.Name)
	}
	options := workload.RecordedOptions{MessageBytes: o.MessageBytes, PacketBytes: j.PacketBytes, Wait: o.Wait}
	options.MaxPackets = j.shareOfPackets(workload.RecordedPackets(j.Traffic, options), j.Traffic.Ranks())
	if j.Program, err = workload.Recorded(j.Traffic, options); err != nil {
		return InOption("graph", err)
	}
	if j.Whole, err = workload.OneMessageAPair(j.Traffic); err != nil {
		return InOption("graph", err)
	}
	pairs := int64(len(j.Traffic.Bytes))
	if pairs > 0 && j.Traffic.TotalBytes() < pairs*int64(j.PacketBytes) {
		j.warn("%s holds less than one packet of %d bytes a pair: if its weights are not bytes, "+
			"--unit-bytes N says what one of them stands for", j.Name, j.PacketBytes)
	}
	return nil
}

// openGraph reads recorded traffic with its counts and units.
func openGraph(o *Options) (*commgraph.Traffic, error) {
	if o.GraphFormat != "" && !slices.Contains(commgraph.Formats(), o.GraphFormat) {
		return nil, Usage("formats: "+strings.Join(commgraph.Formats(), ", "),
			"--graph-format: unknown format %q", o.GraphFormat)
	}
	open := func() (*commgraph.Traffic, error) { return commgraph.Open(o.Graph, o.GraphFormat) }
	if o.Recorded != nil {
		open = o.Recorded
	}
	traffic, err := open()
	if err != nil {
		return nil, InOption("graph", err)
	}
	if o.Messages != "" {
		counts, err := commgraph.OpenFile(o.Messages)
		if err != nil {
			return nil, err
		}
		defer counts.Close()
		if err := commgraph.ReadDenseCounts(traffic, o.Messages, counts); err != nil {
			return nil, InOption("messages", err)
		}
	}
	if o.UnitBytes != 1 {
		if traffic, err = traffic.Multiply(o.UnitBytes); err != nil {
			return nil, InOption("unit-bytes", err)
		}
	}
	return traffic, nil
}

// parseGrid reads AxBxC with as many cells as ranks.
func parseGrid(text string, ranks int) ([]int, error) {
	const hint = "extents joined by x, first dimension fastest, for example 64x72"
	var extents []int
	cells := 1
	for _, part := range strings.Split(text, "x") {
		extent, err := strconv.Atoi(part)
		if err != nil || extent < 1 || extent > commgraph.MaxRanks {
			return nil, Usage(hint, "--grid: %q is not an extent", part)
		}
		if cells *= extent; cells > commgraph.MaxRanks {
			return nil, Usage(hint, "--grid: %s has more than %d cells", text, commgraph.MaxRanks)
		}
		extents = append(extents, extent)
	}
	if cells != ranks {
		return nil, Usage(hint, "--grid: %s has %d cells for %d ranks", text, cells, ranks)
	}
	return extents, nil
}

// openCoordinates reads a file of coordinates for a job's ranks; nil without a name. Ranks
// that the file does not name have no place.
func openCoordinates(path string, ranks int) (*commgraph.Coordinates, error) {
	if path == "" {
		return nil, nil
	}
	c, err := commgraph.OpenCoordinates(path)
	if err != nil {
		return nil, InOption("coordinates", err)
	}
	switch {
	case c.Ranks() == 0:
		return nil, Failure("a line of the file is a rank and its coordinates, such as 0,0.5,1.5",
			"%s: no rank has coordinates", path)
	case c.Ranks() > ranks:
		return nil, Failure("it must be the file of the same job",
			"%s: names rank %d, and the job has ranks 0 to %d", path, c.Ranks()-1, ranks-1)
	}
	for range (ranks - c.Ranks()) * c.Dimensions {
		c.Values = append(c.Values, -1)
	}
	return c, nil
}
