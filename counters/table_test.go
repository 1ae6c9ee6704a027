package counters

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
	"remap/topology"
)

func parse(t interface{ Fatal(...any) }, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func readTable(machine *topology.Topology, text string, o Options) (*Links, error) {
	return ReadTable(machine, "table.csv", strings.NewReader(text), o)
}

// What is written as the neutral form is read back, in any order of rows and
// columns.
func TestNeutralRoundTrip(t *testing.T) {
	machine := parse(t, smallTree)
	rapid.Check(t, func(t *rapid.T) {
		use, stall := make([]float64, len(machine.Links)), make([]float64, len(machine.Links))
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "columns")
		names := []string{"from", "port", "to", "seconds", "bytes", "congested_fraction"}
		line := func(fields []string) string {
			var row []string
			for _, c := range order {
				row = append(row, fields[c])
			}
			return strings.Join(row, ",") + "\n"
		}
		rows := make([]string, len(machine.Links))
		for l := range machine.Links {
			link := &machine.Links[l]
			use[l], stall[l] = rapid.Float64Range(0, 1).
				Draw(t, "use"),
				rapid.Float64Range(0, 1).
					Draw(t, "stall")
			seconds := rapid.Float64Range(0.001, 1000).Draw(t, "seconds")
			rows[l] = line(
				[]string{
					machine.NodeName(link.From),
					fmt.Sprint(link.FromPort),
					machine.NodeName(link.To),
					fmt.Sprint(seconds),
					fmt.Sprint(use[l] * link.BytesPerSecond * seconds),
					fmt.Sprint(stall[l]),
				},
			)
		}
		rows = rapid.Permutation(rows).Draw(t, "rows")
		links, err := readTable(machine, line(names)+strings.Join(rows, ""), Options{Tick: -1})
		if err != nil {
			t.Fatal(err)
		}
		for l := range machine.Links {
			if !links.Known[l] || !near(links.Rate[l]/machine.Links[l].BytesPerSecond, use[l], 1e-9) ||
				links.Congested[l] != stall[l] {
				t.Fatalf(
					"link %d: use %g stall %g, read %g %g",
					l,
					use[l],
					stall[l],
					links.Rate[l]/machine.Links[l].BytesPerSecond,
					links.Congested[l],
				)
			}
		}
		if c := links.Count; c.Measured != len(use) || c.FarEnd+c.Missing+c.Clamped+c.Strange != 0 ||
			len(links.Warnings) != 0 {
			t.Fatalf("%+v %q", c, links.Warnings)
		}
	})
}

// Columns of LDMS samplers are known by name; a host's rails are told apart by
// port, and what it received is what came to it.
func TestLDMS(t *testing.T) {
	machine := parse(t, smallTree)
	for name, text := range map[string]string{
		"sysclassib": "#Time,Time_usec,ProducerName,component_id,job_id,app_id,ib.symbol_error#mlx5_0.1," +
			"ib.port_xmit_data#mlx5_0.1,ib.port_xmit_data.rate#mlx5_0.1,ib.port_rcv_data#mlx5_0.1," +
			"ib.port_xmit_wait#mlx5_0.1\n" +
			"1558391918.5,500000,n1,1,0,0,3,1000,0.0,70,0\n1558391918.5,1,n0,1,0,0,3,9,0.0,9,0\n1558391928.5," +
			"500000,n1,1,0,0,3,11000,5.5,5070,100\n",
		"opa2": "#Time,Time_usec,ProducerName,component_id,job_id,app_id,ca_name,port,PortXmitData," +
			"PortRcvData,PortXmitWait\n5,0,n1,1,0,0,hfi1_0,1,0,0,0\n15,0,n1,1,0,0,hfi1_0,1,10000,5000,100\n",
		"ibmad": "#Time,ProducerName,ca_name,port,symbol_error,port_xmit_data,port_rcv_data," +
			"port_xmit_wait\n5,n1.site.org,mlx5_0,1,0,0,0,0\n15,n1.site.org,mlx5_0,1,0,10000,5000,100\n",
		"slingshot": "#Time,ProducerName,name,hni_sts_tx_ok_octets,hni_sts_rx_ok_octets\n5,n1,cxi0,0,0\n15,n1," +
			"cxi0,40000,20000\n",
		"in steps": "time,host,tx_bytes,rx_bytes\n5,n1,0,0\n9,n1,10000,\n13,n1,1000,4000\n15,n1,9000,20000\n",
	} {
		links, err := readTable(machine, text, Options{Tick: -1})
		if err != nil {
			t.Error(name, err)
			continue
		}
		host, _ := machine.HostIndex("n1")
		out, _ := machine.Out(host)
		in := machine.Reverse(out)
		want := 4000.0
		if name == "in steps" { // 10000 in the first 4 s, 8000 in the last 2, between them it was reset
			want = 3000
		}
		if !links.Known[out] || !links.Known[in] || links.Rate[out] != want || links.Rate[in] != 2000 ||
			links.Count.FarEnd != 1 {
			t.Errorf("%s: sent %g, received %g, %+v", name, links.Rate[out], links.Rate[in], links.Count)
		}
		if waited := strings.Contains(text, "ait"); waited != (links.Congested[out] > 0) {
			t.Errorf("%s: congested %g", name, links.Congested[out])
		}
	}
}

// A links file of simulate has shares of time, which need no seconds.
func TestLinksFile(t *testing.T) {
	machine := parse(t, "torus:4")
	text := "link,from,port,to,gbps,bytes,packets,congested_packets,congested_fraction,busy_fraction," +
		"stalled_fraction,queue_mean_bytes\n" +
		"0,n0,0,s0,100,5,1,,,0.25,0.125,\n"
	links, err := readTable(
		machine,
		strings.ReplaceAll(text, "s0", machine.NodeName(machine.Links[0].To)),
		Options{Tick: -1},
	)
	if err != nil || !links.Known[0] || links.Rate[0] != 0.25*machine.Links[0].BytesPerSecond ||
		links.Congested[0] != 0.125 {
		t.Errorf("%+v %v", links, err)
	}
	if links.Count.Missing != len(machine.Links)-1 {
		t.Errorf("missing %d of %d", links.Count.Missing, len(machine.Links))
	}
}

// Columns nobody knows can be named.
func TestNamedColumns(t *testing.T) {
	machine := parse(t, smallTree)
	columns, err := ParseColumns("from=Node Desc,bytes=Tx,time=When")
	if err != nil {
		t.Fatal(err)
	}
	links, err := readTable(
		machine,
		"When,Node Desc,bytes,Tx\n1,n3,7,0\n3,n3,7,8\n",
		Options{Tick: -1, Columns: columns},
	)
	if err != nil || links.Count.Measured != 1 {
		t.Fatalf("%+v %v", links, err)
	}
	for text, reason := range map[string]string{"from": "expected " +
		"ROLE=COLUMN", "form=x": "unknown role", "to=a,to=b": "twice", "to=": "expected"} {
		var wrong *input.Error
		if _, err := ParseColumns(text); !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, reason) ||
			wrong.Hint == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTableErrors(t *testing.T) {
	machine := parse(t, smallTree)
	head := "from,port,to,seconds,bytes,congested_fraction\n"
	leaf := machine.NodeName(machine.Links[0].To)
	for _, c := range []struct {
		name, text   string
		line, column int
		reason       string
	}{
		{"empty", "", 0, 0, "empty"},
		{"no rows", head, 0, 0, "no rows"},
		{"no from", "port,bytes,seconds\n", 1, 0, "whose port"},
		{"nothing told", "from,port,to,seconds\n", 1, 0, "no column says what"},
		{"no time", "from,port,bytes\nn0,0,5\n", 1, 0, "how long"},
		{"negative", head + "n0,0," + leaf + ",1,-5,0\n", 2, 9 + len(leaf), "not a number from 0"},
		{"not a number", head + "n0,0," + leaf + ",1,NaN,0\n", 2, 9 + len(leaf), "not a number from 0"},
		{"share", head + "n0,0," + leaf + ",1,5,1.5\n", 2, 11 + len(leaf), "above 1"},
		{"no seconds", head + "n0,0," + leaf + ",0,5,0\n", 2, 7 + len(leaf), "seconds is 0"},
		{"port", head + "n0,x," + leaf + ",1,5,0\n", 2, 4, "port"},
		{"short", head + "n0,0\n", 2, 0, "2 fields under a header of 6"},
		{"twice", head + "n0,0,,1,5,0\nn0,0,,1,5,0\n", 3, 0, "stands on line 2 already"},
		{"strange", head + "x,0,,1,5,0\n", 0, 0, "no row is of a port"},
		{"quotes", head + "\"n0,0,,1,5,0\n", 2, 14, "not CSV"},
		{"time goes back", "time,from,bytes\n5,n0,1\n4,n0,1\n", 3, 1, "goes back"},
	} {
		_, err := readTable(machine, c.text, Options{Tick: -1})
		var wrong *input.Error
		if !errors.As(err, &wrong) || wrong.Hint == "" || !strings.Contains(wrong.Reason, c.reason) ||
			wrong.Line != c.line ||
			wrong.Column != c.column {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
