// Ablate shows what a constant is worth: it builds the program as it is and with one text of a
// file replaced, runs both on the same jobs, and prints the ratios of quality and of processor
// time, changed over unchanged.
//
//	make ablate FILE=partition/params.go FROM='partRounds = 8' TO='partRounds = 1' STRATEGY=default
//
// With STRATEGY the static mappings of that strategy are compared by average path length, on
// graphs drawn anew for every seed. Without it the mappings found by optimize are, by their time
// on fresh seeds.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// job is a command line for remap map or optimize; %d stands for the seed.
type job struct{ name, args string }

var staticJobs = []job{
	{"tree", "--topology tapered --pattern geometric:1536,seed=%d"},
	{"tree, spare hosts", "--topology tapered --pattern geometric:1000,seed=%d"},
	{"tree, stencil", "--topology fattree:nodes-per-leaf=12,leaves-per-pod=8,pods=8,aggs-per-pod=6,cores=12 " +
		"--pattern stencil3d27:12x8x8"},
	{"torus", "--topology torus:8x8x8 --pattern geometric:512,seed=%d"},
	{"torus, uniform", "--topology torus:6x6x6 --pattern uniform:216,rounds=3,seed=%d"},
	{"torus, thirds", "--topology torus:9x6x12 --pattern geometric:648,seed=%d"},
	{"torus, stencil", "--topology torus:12x12x3 --pattern stencil3d7:6x8x9"},
	{"mesh", "--topology mesh:7x9x6 --pattern geometric:378,seed=%d"},
	{"dragonfly", "--topology dragonfly:groups=9,routers=8,hosts=4,global=2 --pattern geometric:288,seed=%d"},
	{"hyperx", "--topology hyperx:8x8,hosts=4 --pattern geometric:256,seed=%d"},
	{"small tree", "--topology fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0 " +
		"--pattern geometric:64,seed=%d"},
}

var searchJobs = []job{
	{"pf3d-small", "--scenario pf3d-small"},
	{"io-gateway-small", "--scenario io-gateway-small"},
	{"spare-small", "--scenario spare-small"},
	{"fragmented-small", "--scenario fragmented-small"},
	{"degraded-small", "--scenario degraded-small"},
	{"nas-cg-small", "--scenario nas-cg-small"},
	{"torus", "--topology torus:4x4x4 --pattern geometric:48,seed=%d --hosts n[0-47] " +
		"--background uniform:16,endless=true@n[48-63]"},
	{"dragonfly", "--topology dragonfly:groups=9,routers=4,hosts=2,global=2 --pattern geometric:72,seed=%d"},
	{"hyperx", "--topology hyperx:4x4,hosts=4 --pattern geometric:40,seed=%d --hosts n[0-39] " +
		"--background uniform:24,endless=true@n[40-63]"},
}

func main() {
	file := flag.String("file", "", "source `FILE`, relative to the repository")
	from := flag.String("from", "", "`TEXT` that stands once in the file")
	to := flag.String("to", "", "`TEXT` in its place")
	strategy := flag.String("strategy", "", "static `STRATEGY`; empty = optimize")
	seeds := flag.Int("seeds", 3, "`N` seeds")
	first := flag.Int("first", 1001, "`N`, the first seed")
	flag.Parse()
	if err := run(*file, *from, *to, *strategy, *first, *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(1)
	}
}

func run(file, from, to, strategy string, first, seeds int) error {
	folder, err := os.MkdirTemp("", "ablate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	unchanged, changed := filepath.Join(folder, "unchanged"), filepath.Join(folder, "changed")
	if err := build(unchanged); err != nil {
		return err
	}
	known, err := openMemory(filepath.Join(".tools", "ablate.json"), unchanged)
	if err != nil {
		return err
	}
	overlay, err := overlayOf(folder, file, from, to)
	if err != nil {
		return err
	}
	if err := build(changed, "-overlay", overlay); err != nil {
		return err
	}
	jobs, command := searchJobs, "optimize --control=false"
	if strategy != "" {
		jobs, command = staticJobs, "map --strategy "+strategy
	}
	fmt.Printf("%s: %s -> %s, %s, seeds %d to %d\n", file, from, to, command, first, first+seeds-1)
	var quality, seconds ratios
	for _, j := range jobs {
		var own, took ratios
		for seed := first; seed < first+seeds; seed++ {
			args := strings.Fields(fmt.Sprintf("%s %s --seed %d", command,
				strings.ReplaceAll(j.args, "%d", fmt.Sprint(seed)), seed))
			a, aTook, err := known.measure(unchanged, args)
			if err != nil {
				return err
			}
			b, bTook, err := measure(changed, args)
			if err != nil {
				return err
			}
			own.add(b / a)
			took.add(bTook / aTook)
		}
		fmt.Printf("  %-20s %s, processor time %.2f\n", j.name, own.text(), took.mean())
		quality, seconds = append(quality, own...), append(seconds, took...)
	}
	fmt.Printf("  %-20s %s, processor time %.2f\n", "all", quality.text(), seconds.mean())
	return nil
}

// overlayOf writes the changed file beside an overlay for go build.
func overlayOf(folder, file, from, to string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), from) != 1 {
		return "", fmt.Errorf("%q must stand once in %s, and stands %d times", from, file,
			strings.Count(string(text), from))
	}
	instead, overlay := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(instead, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		return "", err
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {whole: instead}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o644)
}

func build(program string, options ...string) error {
	c := exec.Command("go", append(append([]string{"build", "-o", program}, options...), "./cmd/remap")...)
	c.Stderr = os.Stderr
	return c.Run()
}

// measure is what a mapping costs, and the processor seconds it took to find.
func measure(program string, args []string) (cost, seconds float64, err error) {
	c := exec.Command(program, append(args, "--json", "--quiet", "--output", os.DevNull, "--format", "csv",
		"--force")...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("remap %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	var result struct {
		PathLength float64 `json:"avg_path_length"`
		Best       struct {
			ElapsedNS float64 `json:"elapsed_ns"`
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, 0, err
	}
	cost = max(result.PathLength, result.Best.ElapsedNS)
	if !(cost > 0) {
		return 0, 0, errors.New("no cost in the output of remap " + strings.Join(args, " "))
	}
	return cost, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), nil
}

// memory keeps what the unchanged program has been measured at, so that it runs once for many
// ablations. Times of another hour are comparable only on an idle machine.
type memory struct {
	file, program string
	results       map[string][2]float64 // cost and seconds by program and arguments
}

func openMemory(file, program string) (*memory, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	m := &memory{file, fmt.Sprintf("%x", sha256.Sum256(binary)), map[string][2]float64{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(text, &m.results)
}

func (m *memory) measure(program string, args []string) (cost, seconds float64, err error) {
	key := m.program + " " + strings.Join(args, " ")
	if r, ok := m.results[key]; ok {
		return r[0], r[1], nil
	}
	if cost, seconds, err = measure(program, args); err != nil {
		return 0, 0, err
	}
	m.results[key] = [2]float64{cost, seconds}
	text, err := json.Marshal(m.results)
	if err != nil {
		return 0, 0, err
	}
	return cost, seconds, os.WriteFile(m.file, text, 0o644)
}

// ratios are logarithms of ratios.
type ratios []float64

func (r *ratios) add(ratio float64) { *r = append(*r, math.Log(ratio)) }

// mean is the geometric mean.
func (r ratios) mean() float64 {
	sum := 0.0
	for _, x := range r {
		sum += x
	}
	return math.Exp(sum / float64(len(r)))
}

// text has the mean with two standard errors, and the extremes.
func (r ratios) text() string {
	mean, square := math.Log(r.mean()), 0.0
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range r {
		square += (x - mean) * (x - mean)
		least, most = min(least, x), max(most, x)
	}
	deviation := 0.0
	if n := float64(len(r)); n > 1 {
		deviation = 2 * math.Sqrt(square/(n-1)/n)
	}
	return fmt.Sprintf("%.4f +-%.4f (%.3f to %.3f)", math.Exp(mean), deviation, math.Exp(least), math.Exp(most))
}
