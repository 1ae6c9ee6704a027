// Package launcher writes mappings as the files that launchers and schedulers
// read, with the command that uses them, and reads them back.
package launcher

import (
	"bufio"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"remap/input"
	"remap/internal/nearest"
	"remap/mapping"
)

// Native is the format that mappings are kept in.
const Native = "csv"

// format is one kind of file.
type format struct {
	name, doc string
	hint      string // how a file looks
	write     func(w *bufio.Writer, p *Placement, o Options) error
	read      func(s *source, to mapping.Reader) error
	is        func(line string) bool // tells the format by its first line that is no comment; nil = never
	endings   []string               // of file names that are of this format
	like      string                 // the format of those whose content looks the same that Recognise names
	// holds says what of a placement the format cannot hold, "" = nothing; nil = it holds all.
	holds    func(p *Placement) string
	slots    bool // the slot of every rank is named
	numbers  bool // hosts or slots are numbered, not named
	comments bool // lines that begin with # are comments
	// names refuses host names that the format cannot have; nil = it has them all.
	names     func(p *Placement) error
	binds     []Bind                                          // that the file or the command can say
	needCores []Bind                                          // bindings for which the file lists cores
	launch    func(f files, p *Placement, o Options) []Launch // nil: no launcher reads it
	companion bool                                            // the launcher needs a host file beside it
}

// allBinds are what most launchers know.
var allBinds = []Bind{BindCore, BindSocket, BindNone}

// table is the one list of formats, in the order shown to users and asked for recognition.
var table = sync.OnceValue(func() []format {
	return slices.Concat(nativeFormats(), openMPIFormats(), hydraFormats(), schedulerFormats(), plainFormats())
})

func nativeFormats() []format {
	return []format{
		{
			name: Native, doc: "native table: rank,host,slot", endings: []string{".csv"},
			write: writeCSV, read: readCSV, slots: true,
			is: func(line string) bool { return strings.HasPrefix(line, "rank,host") },
		},
		{
			name: "json", doc: "the native table as JSON", endings: []string{".json"},
			write: writeJSON, read: readJSON, slots: true,
			is: matches(`^\{(\s*"(ranks|mapping)"|$)`),
		},
	}
}

func openMPIFormats() []format {
	return []format{
		{
			name: "openmpi-rankfile", doc: "Open MPI rankfile: rank 0=node1 slot=0", hint: rankfileHint,
			endings: []string{".rankfile", ".rankfile.txt"}, write: writeRankfile, read: readRankfile,
			slots: true,
			is:    matches(`^(//|rank\s)`), names: checkRankfileHosts, comments: true, binds: allBinds,
			needCores: []Bind{BindSocket, BindNone},
			launch:    rankfileLaunches, companion: true,
		},
		{
			name: "openmpi-seq", like: "hosts", endings: []string{".seq"}, doc: "Open MPI, one host a line, line " +
				"i = rank i", hint: hostLinesHint,
			write: writeHostLines, read: readHostLines, names: checkNames, comments: true, binds: []Bind{BindNone},
			launch: seqLaunches,
		},
		{
			name: "openmpi-hostfile", doc: "Open MPI hostfile: node1 slots=2, filled in order", hint: slotsHint,
			write: writeSlots, read: readSlots, names: checkNames, comments: true, binds: allBinds,
			is:    matches(`^[^\s,:{\[(]+\s+(max_)?slots\s*=`),
			holds: onlyBlocks("Open MPI adds up lines of one host"), launch: hostfileLaunches,
		},
	}
}

func hydraFormats() []format {
	const shared = "Hydra then starts them as if on different hosts, without shared memory"
	return []format{
		{
			name: "mpich-hostfile", doc: "MPICH (Hydra) host file: node1:2, filled in order", hint: colonHint,
			write: writeBlocks(":"), read: readColonBlocks, names: checkNames, comments: true, binds: allBinds,
			is:    matches(`^[^\s,:{\[(]+:[0-9]+(:\S+)?(\s|$)`),
			holds: onlyBlocks(shared), launch: hydraLaunches,
		},
		{
			name: "intel-machinefile", like: "mpich-hostfile", doc: "Intel MPI machine file: node1:2, filled in " +
				"order", hint: colonHint,
			write: writeBlocks(":"), read: readColonBlocks, names: checkNames, comments: true, binds: allBinds,
			holds: onlyBlocks(shared), launch: intelLaunches,
		},
	}
}

func schedulerFormats() []format {
	return []format{
		{
			name: "slurm-hostfile", like: "hosts", endings: []string{".slurm"}, doc: "Slurm's arbitrary " +
				"distribution, one host a line, line i " +
				"= task i",
			hint: hostLinesHint, write: writeHostLines, read: readHostLines, names: checkNames, comments: true,
			binds: allBinds, launch: slurmLaunches,
		},
		{
			name: "cray-rank-order", doc: "Cray MPICH_RANK_ORDER: ranks in the order of slots", hint: orderHint,
			endings: []string{"MPICH_RANK_ORDER"}, write: writeRankOrder, read: readRankOrder,
			is: matches(`^[0-9][0-9\s,-]*(#.*)?$`), holds: onlyEven, numbers: true, names: checkNames,
			comments: true, binds: allBinds, launch: crayLaunches,
		},
		{
			name: "flux-taskmap", doc: "Flux task map: [[host,hosts,ranks,repeat],...]", hint: taskMapHint,
			endings: []string{".taskmap"}, write: writeTaskMap, read: readTaskMap,
			is: matches(`^(\[|\{\s*"(version|map)")`), holds: allUsed, numbers: true, names: checkNames,
			binds: []Bind{BindCore, BindNone}, launch: fluxLaunches,
		},
		{
			name: "flux-hostfile", like: "hosts", doc: "Flux, one host a line, line i = task i", hint: hostLinesHint,
			write: writeHostLines, read: readHostLines, names: checkNames,
			binds: []Bind{BindCore, BindNone}, launch: fluxHostfileLaunches,
		},
		{
			name: "lsf-task-geometry", doc: "LSF task geometry: {(2,5,7)(0,6)}, one group a host", hint: geometryHint,
			endings: []string{".geometry"}, write: writeGeometry, read: readGeometry,
			is: matches(`^(export\s+|setenv\s+)?(LSB_TASK_GEOMETRY|["']?\{\s*\()`), holds: allUsed, numbers: true,
			names: checkNames, comments: true, binds: allBinds, launch: geometryLaunches,
		},
		{
			name: "lsf-hostfile", doc: "LSF host file: node1 2, in order, hosts may stand again", hint: blankHint,
			write: writeBlocks(" "), read: readBlankBlocks, names: checkNames, comments: true,
			is: matches(`^[^\s,:{\[(]+\s+[0-9]+$`), launch: lsfHostfileLaunches,
		},
		{
			name: "pbs-nodefile", like: "hosts", doc: "PBS node file: one host a line, a line a " +
				"rank", hint: hostLinesHint,
			endings: []string{".nodefile"}, write: writeHostLines, read: readHostLines, names: checkNames,
			comments: true, binds: allBinds, launch: nodeFileLaunches,
			holds: onlyBlocks("launchers under PBS add up the lines of a host, or start them as if on different " +
				"hosts"),
		},
	}
}

func plainFormats() []format {
	return []format{
		{
			name: "permutation", hint: permutationHint,
			doc:   "CSV rank,new_rank: the process that is the rank, if processes fill host after host",
			write: writePermutation, read: readPermutation, holds: onlyFilled, numbers: true, comments: true,
			is: func(line string) bool { return strings.ReplaceAll(line, " ", "") == permutationHeader },
		},
		{
			name: "hosts", doc: "one host a line, line i = rank i", hint: hostLinesHint,
			write: writeHostLines, read: readHostLines, names: checkNames, comments: true,
			is: matches(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(\s*#.*)?$`),
		},
	}
}

// matches tells lines by a regular expression.
func matches(pattern string) func(line string) bool {
	return regexp.MustCompile(pattern).MatchString
}

// Formats lists the names of the formats, in the order shown to users.
func Formats() []string {
	rows := table()
	names := make([]string, len(rows))
	for i, f := range rows {
		names[i] = f.name
	}
	return names
}

// Guess is the format of a file by its content, or by the ending of its name where that tells apart formats
// whose content looks the same; "" = neither tells.
func Guess(path string, start []byte) string {
	content, ending := Recognise(start), FormatOf(path)
	if f, err := find(ending); content == "" || err == nil && f.like == content {
		return ending
	}
	return content
}

// HoldsSlots tells whether the format names the slot of every rank, not only its host.
func HoldsSlots(name string) bool {
	f, err := find(name)
	return err == nil && f.slots
}

// FormatOf is the format of a file's name where its ending makes that clear; "" = it does not.
func FormatOf(path string) string {
	base := filepath.Base(path)
	for _, f := range table() {
		if slices.ContainsFunc(f.endings, func(e string) bool {
			return strings.HasSuffix(base, e) && base != e ||
				base == e && e[0] != '.'
		}) {
			return f.name
		}
	}
	return ""
}

func find(name string) (format, error) {
	for _, f := range table() {
		if f.name == name {
			return f, nil
		}
	}
	hint := "known: " + strings.Join(Formats(), ", ")
	if near := nearest.Name(name, Formats()); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return format{}, &input.Error{Reason: fmt.Sprintf("unknown mapping format %q", name), Hint: hint}
}

// Known tells whether there is a format of that name; if not, the error's hint
// lists those there are.
func Known(name string) error {
	_, err := find(name)
	return err
}

// checkBind refuses a binding that neither the file nor the command can say.
func (f format) checkBind(o Options) error {
	if slices.Contains(f.needCores, o.Bind) && o.Cores.Sockets == 0 {
		return &input.Error{Reason: fmt.Sprintf("%s lists the cores for --bind %s, and those of the hosts are "+
			"not known",
			f.name, o.Bind), Hint: "--host-cores 2x16 says that hosts have two sockets with 16 cores each"}
	}
	if o.Bind == BindDefault || slices.Contains(f.binds, o.Bind) {
		return nil
	}
	var can []string
	for _, other := range table() {
		if slices.Contains(other.binds, o.Bind) {
			can = append(can, other.name)
		}
	}
	return &input.Error{Reason: fmt.Sprintf("%s cannot bind ranks to %s", f.name, o.Bind),
		Hint: "formats that can: " + strings.Join(can, ", ")}
}
