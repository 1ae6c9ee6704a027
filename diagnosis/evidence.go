package diagnosis

import (
	"fmt"
	"math"
	"strings"
)

// Evidence is what a verdict rests on, in sentences: at most one for each cause and a few of numbers.
func (v *Verdict) Evidence(in *Input) []string {
	if v.Hot == 0 {
		return append([]string{fmt.Sprintf("no link congests more than %.0f %% of the packets that cross it "+
			"(95 %% confidence)", 100*SuspectFraction)}, v.needs()...)
	}
	said := []string{fmt.Sprintf("%d links congest more than %.0f %% of the packets that cross them (95 %% "+
		"confidence); their congestion has %s", v.Hot, 100*SuspectFraction, count(len(v.Roots), "root"))}
	for _, c := range Causes() {
		if s := v.of(in, c); s != "" {
			said = append(said, s)
		}
	}
	if v.Factors[ByOthers] > 1 && in.Between > 0 && in.Between < 1/reliefFactor {
		said = append(said, fmt.Sprintf("these roots are inside the network, and a mapping is known that sends "+
			"%.0f %% fewer bytes between switches: it would keep the job off them", 100*(1-in.Between)))
	}
	return append(said, v.needs()...)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// of tells of the heaviest root of a cause.
func (v *Verdict) of(in *Input, c Cause) string {
	var first *Root
	roots, waits := 0, 0.0
	for i := range v.Roots {
		r := &v.Roots[i]
		if r.Cause == c {
			if roots++; first == nil {
				first = r
			}
			waits += r.Waits
		}
	}
	if first == nil {
		return ""
	}
	l := &in.Machine.Links[first.Link]
	rate := l.BytesPerSecond * 8 / 1e9
	where := fmt.Sprintf("%s of %.0f %% of the waiting packets, the first is %s to %s (%.0f %% congested)",
		count(roots, "root"), 100*waits, in.Machine.NodeName(l.From), in.Machine.NodeName(l.To),
		100*first.Congested)
	own := fmt.Sprintf("the job's own bytes take %.3g of its %.3g Gb/s", min(rate, first.Own*8/1e9), rate)
	if math.IsNaN(first.Own) {
		own = "its rate is not known"
	}
	switch {
	case c == ByPattern && in.Machine.IsHost(l.To):
		return "communication pattern: " + where + ": more is sent to this host at a time than its link takes " +
			"in, and that is so wherever its rank sits"
	case c == ByPattern:
		return "communication pattern: " + where + ": " + own + ", and no mapping known loads such links less"
	case c == ByMapping:
		return "mapping: " + where + ": inside the network, and " + own + " while it is congested"
	}
	text := "others: " + where + ": " + own + " while it is congested"
	if !math.IsNaN(first.All) {
		return text + fmt.Sprintf(", all bytes %.3g", min(rate, first.All*8/1e9))
	}
	return text + ", so others take the rest"
}

// needs says how much of the time the job's own traffic needs.
func (v *Verdict) needs() []string {
	var parts []string
	for _, b := range []struct {
		share float64
		what  string
	}{{v.Bounds.Injection, "to send from the busiest rank"}, {v.Bounds.Ejection, "to enter the busiest host"},
		{v.Bounds.Interior, "on the busiest link between switches"},
		{v.Bounds.Least, "on that link under the best mapping known"}} {
		if b.share > 0 {
			parts = append(parts, fmt.Sprintf("%.0f %% %s", 100*b.share, b.what))
		}
	}
	if parts == nil {
		return nil
	}
	return []string{"at full rate the job's own bytes would need this much of its time: " +
		strings.Join(parts, ", ")}
}
