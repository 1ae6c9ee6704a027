package topology

import (
	"errors"
	"strings"
	"testing"

	"remap/input"
)

func TestFaultErrors(t *testing.T) {
	n := mustParse(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2,leaf-links=2")
	for text, want := range map[string]string{
		"":                  "it is empty",
		"99999":             "links are numbered from 0 to 63",
		"999999999999999":   "links are numbered from 0 to 63",
		"lead0":             "no switch has this name; did you mean leaf0?",
		"n3":                "n3 is a host: only switches fail as a whole; write HOST:SWITCH",
		"leaf0:pod0-ag1":    `no host or switch is named "pod0-ag1"; did you mean pod0-agg`,
		"leef0:pod0-agg1":   `no host or switch is named "leef0"; did you mean leaf0?`,
		"leef0:pod0-ogg1/1": `no host or switch is named "leef0"; did you mean leaf0?`,
		"leaf0:pod0-agX/1":  `no host or switch is named "pod0-agX"; did you mean pod0-agg0`,
		"leaf0:leaf1": "leaf0 and leaf1 are not neighbours; neighbours of leaf0: n0 " +
			"n1 pod0-agg0 pod0-agg1",
		"leaf0:leaf1/0": "leaf0 and leaf1 are not neighbours",
		"leaf0:leaf0":   "leaf0 and leaf0 are not neighbours",
		"leaf0:pod0-agg1/2": "leaf0 and pod0-agg1 have 2 cables; cables of two neighbours " +
			"are counted from 0",
		"leaf0:pod0-agg1/99999999999999999999": "leaf0 and pod0-agg1 have 2 cables",
		"leaf0:pod0-agg1/":                     `no host or switch is named "pod0-agg1/"`,
		"leaf0:pod0-agg1/-1":                   `no host or switch is named "pod0-agg1/-1"`,
		"leaf0:":                               `no host or switch is named ""`,
		"n0:leaf0":                             "the failed links cut off one host from others: n0",
		"leaf0:pod0-agg1=0":                    "must be a number above 0 and below 1, not \"0\"",
		"leaf0:pod0-agg1=1":                    "must be a number above 0 and below 1",
		"leaf0:pod0-agg1=NaN":                  "must be a number above 0 and below 1",
		"leaf0=0.5":                            "a switch fails as a whole",
		"=0.5":                                 "it is empty",
	} {
		var err error
		if strings.Contains(text, "=") {
			_, err = Degrade(n, nil, []string{text})
		} else {
			_, err = Degrade(n, []string{text}, nil)
		}
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason+"; "+e.Hint, want) || e.File != "" || e.Hint == "" {
			t.Errorf("%q: %v; %s, want %s", text, err, input.Hint(err), want)
		}
	}
	for slowed, want := range map[string]string{"leaf0:pod0-agg1": "no fraction", "leaf0:pod0-agg1=0.5 " +
		"leaf0:pod0-agg1/1=0.25": "the cable of leaf0 and pod0-agg1 is slowed twice"} {
		if _, err := Degrade(n, nil, strings.Fields(slowed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", slowed, err, want)
		}
	}
}

// Names as real switches have them, with colons and slashes: every reading is
// tried, and two that fit are an error.
func TestFaultsByOddNames(t *testing.T) {
	n := readText(t, `Switch 8 "S-1" # "MF0;rack:SX/U1"
[1] "S-2"[1]
[2] "S-2"[2]
[3] "H-1"[1]
Switch 8 "S-2" # "MF0;rack:SX/U2"
[3] "S-3"[1]
[4] "S-3"[2]
[5] "S-4"[1]
[7] "S-1"[7]
Switch 8 "S-3" # "a"
[3] "S-5"[3]
Switch 8 "S-4" # "a/1"
[2] "S-5"[4]
Switch 8 "S-5" # "b:a"
Ca 1 "H-1" # "host1"
[1] "S-1"[3]
Ca 1 "H-2" # "b"
[1] "S-3"[5]
`)
	for text, want := range map[string]int{
		"MF0;rack:SX/U1:MF0;rack:SX/U2":   3,
		"MF0;rack:SX/U1:MF0;rack:SX/U2/2": 1,
		"MF0;rack:SX/U2:a/0":              1,
		"a/1:b:a":                         1,
		"a:b:a":                           1,
		"MF0;rack:SX/U2:a/1":              -1, // the second cable to a, or the one to a/1
		"b:a":                             -1, // a switch, or the link of host b
	} {
		f := newFaults(n)
		links, err := f.find(text)
		if want < 0 && (err == nil || !strings.Contains(err.Error(), "2 ways")) || want > 0 &&
			(err != nil || len(links) != want) {
			t.Errorf("%q: links %v, %v, want %d", text, links, err, want)
		}
	}
}

func FuzzDegrade(f *testing.F) {
	n, err := Parse("xgft:down=2x2x2,up=2x2x2,parallel=1x2x1")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"0", "17", "rail0-leaf0", "n0:rail1-leaf0", "rail0-leaf0:rail0-level2-0/1",
		"rail0-leaf1:rail0-level2-1=0.5", "n9", ":", "/", "a:b/9=", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, slowed := range []bool{false, true} {
			var d *Topology
			var err error
			if slowed {
				d, err = Degrade(n, nil, []string{text})
			} else {
				d, err = Degrade(n, []string{text}, nil)
			}
			var e *input.Error
			if err != nil && (!errors.As(err, &e) || e.Hint == "") {
				t.Fatalf("%q: %v is no *input.Error with a hint", text, err)
			}
			if err == nil {
				checkNetwork(t, d, false)
			}
		}
	})
}
