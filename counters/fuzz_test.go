package counters

import (
	"errors"
	"strings"
	"testing"

	"remap/input"
	"remap/topology"
)

// sane tests what must be true of any measurement.
func sane(t *testing.T, machine *topology.Topology, links *Links, err error) {
	var wrong *input.Error
	if err != nil {
		if !errors.As(err, &wrong) || wrong.Hint == "" {
			t.Fatalf("an error without a hint: %v", err)
		}
		return
	}
	measured := 0
	for l := range machine.Links {
		most := machine.Links[l].BytesPerSecond
		if !(links.Rate[l] >= 0 && links.Rate[l] <= most) ||
			!(links.Congested[l] >= 0 && links.Congested[l] <= 1) || !links.Known[l] && links.Rate[l] != 0 {
			t.Fatalf("link %d: rate %g of %g, congested %g, "+
				"known %v", l, links.Rate[l], most, links.Congested[l], links.Known[l])
		}
		if links.Known[l] {
			measured++
		}
	}
	if measured != links.Count.Measured {
		t.Fatalf("%d links measured, %d counted", measured, links.Count.Measured)
	}
}

func FuzzReadPerfquery(f *testing.F) {
	machine := fabricOf(f, smallTree)
	ports := make([]PortCounters, len(machine.Links))
	ports[1] = PortCounters{5, 6, 7}
	f.Add(printed(f, machine, ports))
	f.Add("# Port counters: Lid 1 port 1 (CapMask: " +
		"0x1400)\nPortXmitData:....................4294967295\nPortXmitWait:....................3\n")
	f.Add("# PortSamplesControl: Lid 1 port 1\nTick:....0x07\n\nibwarn: [1] no\n# PortRcvErrorDetails " +
		"counters: Lid 1 port 1\nPortSelect:....1\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := NewSnapshot()
		if err := s.ReadPerfquery("fuzz__0x0000000000000001.out", strings.NewReader(text)); err != nil {
			sane(t, machine, nil, err)
			return
		}
		for _, seconds := range []float64{0, 2} {
			links, err := Difference(machine, nil, s, Options{Tick: -1, Seconds: seconds})
			sane(t, machine, links, err)
		}
		links, err := Difference(machine, snapshot(t, printed(t, machine, ports)), s,
			Options{Tick: 3, Seconds: 1e-9})
		sane(t, machine, links, err)
	})
}

func FuzzReadErrors(f *testing.F) {
	machine := fabricOf(f, smallTree)
	f.Add(reported)
	f.Add("Errors for 0x6 \"leaf0\"\n   GUID 0x6 port 1: [PortXmitWait == 12 (1.2)] [PortXmitData == 4]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := NewSnapshot()
		if err := s.ReadErrors("fuzz", strings.NewReader(text)); err != nil {
			sane(t, machine, nil, err)
			return
		}
		links, err := Difference(machine, nil, s, Options{Tick: -1, Seconds: 1})
		sane(t, machine, links, err)
	})
}

func FuzzReadTable(f *testing.F) {
	machine := parse(f, smallTree)
	f.Add("from,port,to,seconds,bytes,congested_fraction\nn0,0,,1,5,0.5\n", "")
	f.Add("#Time,ProducerName,ib.port_xmit_data#mlx5_0.1,ib.port_xmit_wait#mlx5_0.1\n1,n0,5,6\n2,n0,"+
		"4294967295,6\n3,n0,9,7\n4,n0,10,7\n", "")
	f.Add("a,b,c\n1,n0,2\n", "time=a,from=b,wait=c")
	f.Fuzz(func(t *testing.T, text, named string) {
		columns, err := ParseColumns(named)
		if err != nil {
			columns = nil
		}
		links, err := readTable(machine, text, Options{Tick: -1, Columns: columns})
		sane(t, machine, links, err)
	})
}

func FuzzRecognise(f *testing.F) {
	f.Add([]byte("# Port counters: Lid 1 port 1\n"))
	f.Add([]byte(reported))
	f.Add([]byte("\xef\xbb\xbf#Time,ProducerName\n"))
	f.Add([]byte(" \n\n"))
	f.Add([]byte("MIT License\n"))
	f.Fuzz(func(t *testing.T, start []byte) {
		got := recognise(start)
		if blank := len(strings.TrimSpace(strings.TrimPrefix(string(start),
			"\xef\xbb\xbf"))) == 0; blank != (got == nothing) {
			t.Fatalf("%q is %d", start, got)
		}
		if again := recognise(append(start, "\n\n"...)); got != nothing && again != got {
			t.Fatalf("blank lines at the end change %d to %d", got, again)
		}
	})
}

func TestRecognise(t *testing.T) {
	for text, want := range map[string]form{
		"# Port counters: Lid 1 port 1\n": perfquery, reported: errorsOf, "\xef\xbb\xbf#Time," +
			"ProducerName\n": tableForm, " \n\n": nothing, "MIT License\n": unknown,
		"ibwarn: [12] mad_rpc: failed\nperfquery: iberror: failed: perfquery\n": perfquery,
	} {
		if got := recognise([]byte(text)); got != want {
			t.Errorf("%.30q is %d, want %d", text, got, want)
		}
	}
}
