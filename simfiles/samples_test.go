package simfiles_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	_ "remap/sampling/bloom" // the hash of variants bloom:BITS
	"remap/simfiles"
	"remap/topology"
	"remap/workload"

	"remap/internal/testkit/tier"
)

// decoder makes tables from the rows of a file of samples, with package sampling
// and the network alone.
type decoder struct {
	t        *testing.T
	top      *topology.Topology
	variant  sampling.Variant
	indexes  map[int]int32 // by link number
	receiver *sampling.Receiver
	tables   map[[2]int]*sampling.Table // by repeat and job
}

func newDecoder(t *testing.T, top *topology.Topology, v sampling.Variant, nonMinimal bool) *decoder {
	d := &decoder{t: t, top: top, variant: v, indexes: map[int]int32{}, tables: map[[2]int]*sampling.Table{}}
	for i := range int32(len(top.Links)) {
		d.indexes[int(top.LinkNumber(i))] = i
	}
	paths := topology.NewPathLinks(top, nonMinimal)
	between := paths.Between
	if v.Unpruned {
		between = func(_, _ int32) []sampling.Range { return paths.All() }
	}
	d.receiver = sampling.NewReceiver(v, len(top.Links), between, 10)
	if v.Limit() < 255 {
		d.receiver.Correct(paths.Place)
	}
	return d
}

// number is a field of a row; 0 where there is none.
func (d *decoder) number(row map[string]string, name string) int {
	if row[name] == "" {
		return 0
	}
	n, err := strconv.Atoi(row[name])
	if err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return n
}

// link is the index of a link that a field names; 0 where there is none.
func (d *decoder) link(row map[string]string, name string) int32 {
	if row[name] == "" {
		return 0
	}
	return d.indexOf(d.number(row, name))
}

func (d *decoder) indexOf(number int) int32 {
	index, known := d.indexes[number]
	if !known {
		d.t.Fatalf("no link %d", number)
	}
	return index
}

func (d *decoder) links(text string) (links []int32) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' }) {
		number, err := strconv.Atoi(field)
		if err != nil {
			d.t.Fatal(err)
		}
		links = append(links, d.indexOf(number))
	}
	return links
}

func (d *decoder) filter(text string) []uint64 {
	some, err := hex.DecodeString(text)
	if err != nil || len(some) != (d.variant.Bits+7)/8 {
		d.t.Fatalf("filter %q: %v", text, err)
	}
	words := make([]uint64, (len(some)+7)/8)
	for i, b := range some {
		words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return words
}

func (d *decoder) take(row map[string]string) {
	p := sampling.Packet{ID: uint32(d.number(row, "id")), Source: d.link(row, "in_link"),
		Destination: d.link(row, "out_link"),
		Header: sampling.Header{HopCount: uint8(d.number(row, "hops")), HopLink: d.link(row, "hop_link"),
			CongestedLink: d.link(row, "congested_link"),
			HopBit:        uint8(d.number(row, "hop_bit")), CongestedBit: uint8(d.number(row, "congested_bit")),
			Hops: d.links(row["hop_links"]), Congested: d.links(row["congested_links"])}}
	if d.variant.Kind != sampling.OneReservoir { // its header has no such counter
		p.CongestedCount = uint8(d.number(row, "congested_hops"))
	}
	if d.variant.Kind == sampling.Bloom {
		p.Filter, p.CongestedFilter = d.filter(row["hop_filter"]), d.filter(row["congested_filter"])
	}
	of := [2]int{d.number(row, "repeat"), d.number(row, "job")}
	if d.tables[of] == nil {
		d.tables[of] = sampling.NewTable(d.variant, len(d.top.Links))
	}
	d.receiver.Receive(d.tables[of], &p)
}

// columnsBeside names the columns of a file beyond those of full sampling.
func columnsBeside(content []byte) string {
	header, _, _ := strings.Cut(string(content), "\n")
	_, more, _ := strings.Cut(header, ",congested_hops")
	return more
}

// A file of samples is all that a receiver had: package sampling makes the
// tables of the run from it.
func TestSamplesFileMakesTheTables(t *testing.T) {
	tier.Long(t, "files of all variants: a second")
	for text, beside := range map[string]string{
		"full": "", "n=3": ",hop_links,congested_links", "one-bit": ",id,in_link,out_link,hop_bit,congested_bit",
		"one-reservoir": ",id,in_link,out_link,hop_bit," +
			"congested_bit", "one-bit,hash=hmult,unpruned": ",id,in_link,out_link,hop_bit,congested_bit",
		"one-reservoir,hash=whole": ",congested_bit", "bloom:48": ",id,in_link,out_link,hop_filter," +
			"congested_filter",
		"bloom:77":       ",id,in_link,out_link,hop_filter,congested_filter",
		"full,counter=2": ",in_link,out_link", "n=3,counter=2": ",in_link,out_link,hop_links,congested_links",
	} {
		t.Run(text, func(t *testing.T) {
			v, err := sampling.ParseVariant(text)
			if err != nil {
				t.Fatal(err)
			}
			top, jobs, results, deliveries := testkit.Measured(t, v, 2)
			var b bytes.Buffer
			w, err := simfiles.NewSamplesWriter(&b, simfiles.CSV, top, v, jobs)
			if err != nil {
				t.Fatal(err)
			}
			for repeat, some := range deliveries {
				if err := w.Take(repeat, some); err != nil {
					t.Fatal(err)
				}
			}
			decodes(t, top, v, w, &b, results, false)
			if got := columnsBeside(b.Bytes()); got != beside {
				t.Errorf("columns %q, want %q", got, beside)
			}
		})
	}
}

// decodes ends a file and holds the tables that it makes against those of the run.
func decodes(t *testing.T, top *topology.Topology, v sampling.Variant, w *simfiles.SamplesWriter,
	b *bytes.Buffer, results []*evalsim.Result, nonMinimal bool) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := newDecoder(t, top, v, nonMinimal)
	for _, row := range readTable(t, simfiles.CSV, b.Bytes()) {
		d.take(row)
	}
	d.receiver.Flush()
	for repeat, r := range results {
		for job, want := range r.Samples {
			testkit.SameTables(t, d.tables[[2]int{repeat, job}], want)
		}
	}
}

// So it is where link numbers have gaps, and on ways that are not the shortest.
func TestSamplesFileOfFailures(t *testing.T) {
	whole := testkit.Network(t, "dragonfly:groups=5,routers=4,hosts=2,global=2")
	top := testkit.Failed(t, whole, testkit.SwitchLink(whole, 1), testkit.SwitchLink(whole, 44))
	if slices.Max(top.Origin) == int32(len(top.Links)-1) {
		t.Fatal("no link has another number than its index")
	}
	p, err := workload.ParsePattern("uniform:40,rounds=3,bytes=20000")
	if err != nil {
		t.Fatal(err)
	}
	jobs := []evalsim.Job{{Program: p, Hosts: testkit.Identity(40)}}
	for _, text := range []string{"n=2", "one-bit", "one-reservoir", "bloom:32"} {
		o := evalsim.DefaultOptions()
		o.Routing = evalsim.UGAL
		if o.Sampling, err = sampling.ParseVariant(text); err != nil {
			t.Fatal(err)
		}
		s, err := evalsim.New(top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := simfiles.NewSamplesWriter(&b, simfiles.CSV, top, o.Sampling, jobs)
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.RepeatDelivered(context.Background(), 0, 2, 2, nil, w.Take)
		if err != nil {
			t.Fatal(err)
		}
		decodes(t, top, o.Sampling, w, &b, results, true)
	}
}
