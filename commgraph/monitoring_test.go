package commgraph

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remap/input"
)

// profileText is what Open MPI 4.1 wrote for rank 0 of 4, with a shorter histogram.
const profileText = "# POINT TO POINT\n" +
	"E\t0\t1\t1536 bytes\t3 msgs sent\t0,0,7,0,3,0\n" +
	"E\t0\t2\t1500 bytes\t3 msgs sent\t0,0,7,0,3,0\n" +
	"I\t0\t1\t56 bytes\t7 msgs sent\n" +
	"I\t0\t2\t0 bytes\t7 msgs sent\n" +
	"# OSC\nS\t0\t1\t4000 bytes\t1 msgs sent\nR\t0\t2\t2400 bytes\t1 msgs sent\n" +
	"# COLLECTIVES\nC\t0\t1\t56 bytes\t7 msgs sent\nC\t0\t3\t56 bytes\t7 msgs sent\n" +
	"D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n" +
	"O2A\t0\t0 bytes\t0 msgs sent\nA2O\t0\t0 bytes\t0 msgs sent\nA2A\t0\t168 bytes\t7 msgs sent\n" +
	"D\tMPI_COMM_SELF\tprocs: 0\n" +
	"O2A\t0\t0 bytes\t0 msgs sent\nA2O\t-1\t0 bytes\t0 msgs sent\nA2A\t0\t0 bytes\t0 msgs sent\n" +
	"D\tprocs: 9\tprocs: 9\nD\tMPI_COMM_WORLD\tprocs: (null)\n"

// silentText is the profile of a rank that sent nothing.
func silentText(rank, ranks int) string {
	var members []string
	for r := range ranks {
		members = append(members, fmt.Sprint(r))
	}
	return fmt.Sprintf("# POINT TO POINT\n# OSC\n# COLLECTIVES\nD\tMPI_COMM_WORLD\tprocs: %s\n"+
		"O2A\t%d\t0 bytes\t0 msgs sent\n", strings.Join(members, ","), rank)
}

// E and I are summed, nothing else is traffic, and silent ranks count.
func TestMonitoring(t *testing.T) {
	want := &Traffic{Offsets: []int32{0, 2, 2, 2, 2}, Destinations: []int32{1, 2}, Bytes: []int64{1592, 1500},
		Messages: []int64{10, 10}}
	for name, text := range map[string]string{
		"one rank":         profileText,
		"mark, CRLF":       "\xef\xbb\xbf" + strings.ReplaceAll(profileText, "\n", "\r\n"),
		"lines of traffic": profileText[strings.Index(profileText, "E"):],
		"four ranks":       silentText(2, 4) + profileText + silentText(1, 4) + silentText(3, 4),
		"without members": strings.ReplaceAll(profileText, "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n", "") +
			"A2A\t3\t0 bytes\t0 msgs sent\n",
	} {
		got, err := Read(name, strings.NewReader(text), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustCheck(t, got)
		same(t, name, got, want)
	}
}

// Where a profile is wrong, the error says so.
func TestMonitoringErrors(t *testing.T) {
	const good = "E\t0\t1\t5 bytes\t1 msgs sent\n"
	for _, test := range []wrongFile{
		{FormatMonitoring, "", 0, 0, "empty"},
		{"", "# POINT TO POINT\n# OSC\n", 0, 0, "no rank is named"},
		{"", good + "hello\n", 2, 1, `no line of Open MPI's monitoring: "hello"`},
		{"", good + "E 0\t1\t5 bytes\t1 msgs sent\n", 2, 1, "no line of"},
		{"", good + "E\t0\t1\t5 bytes\n", 2, 14, "no messages here"},
		{"", good + "E", 2, 2, "no sender here"},
		{"", good + "I\tx\t1\t5 bytes\t1 msgs sent\n", 2, 3, "sender: \"x\" is not"},
		{"", good + "I\t0\t-1\t5 bytes\t1 msgs sent\n", 2, 5, "receiver: \"-1\" is negative"},
		{"", good + "I\t0\t1073741824\t5 bytes\t1 msgs sent\n", 2, 5, "rank 1073741824 is above the limit"},
		{"", good + "I\t0\t1\t5\t1 msgs sent\n", 2, 7, `bytes: "5" does not end with bytes`},
		{"", good + "I\t0\t1\t5 bytes\t1 msgs\t0\n", 2, 15, `messages: "1 msgs" does not end with msgs sent`},
		{"", good + "I\t0\t1\t9999999999999999 bytes\t1 msgs sent\n", 2, 7, "above the limit"},
		{"", good + "D\tMPI_COMM_WORLD\tprocs: 0,1,x\n", 2, 29, "rank: \"x\""},
		{"", good + "A2A\tx\t0 bytes\t0 msgs sent\n", 2, 5, "rank: \"x\""},
		{"", silentText(0, 2) + silentText(0, 3), 9, 0, "MPI_COMM_WORLD has 3 ranks here, 2 in line 4 of f"},
		{"", good + "E\t0\t1073741823\t5 bytes\t1 msgs sent\n", 2, 0, "1073741824 ranks for 2 pairs"},
		{"", strings.Repeat("E\t0\t1\t4503599627370496 bytes\t1 msgs sent\n", 2), 0, 0, "total volume above"},
	} {
		_, err := Read("f", strings.NewReader(test.text), test.format)
		if err == nil {
			t.Errorf("%q: no error", test.text)
			continue
		}
		checkError(t, err)
		checkPlace(t, test.text, err, test.line, test.column, test.reason)
	}
}

// writeFiles makes a folder with files.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A folder is read if it holds the profiles of one whole run.
func TestProfileFolder(t *testing.T) {
	files := map[string]string{"notes.txt": "not read", "run.prof": "", "run.01.prof": "", "run.x.prof": "",
		"run.0.prof": profileText}
	for r := 1; r < 12; r++ {
		files[fmt.Sprintf("run.%d.prof", r)] = silentText(r, 12)
	}
	files["run.0.prof"] = strings.Replace(profileText, "0,1,2,3", "0,1,2,3,4,5,6,7,8,9,10,11", 1)
	files["run.10.prof"] += "E\t10\t11\t7 bytes\t1 msgs sent\n"
	for _, format := range []string{"", FormatMonitoring} {
		got, err := Open(writeFiles(t, files), format)
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, got)
		if got.Ranks() != 12 || got.TotalBytes() != 1592+1500+7 || got.Find(10, 11) < 0 {
			t.Errorf("%d ranks, %+v", got.Ranks(), got)
		}
	}
	// The number of ranks is that of files, where nothing else tells.
	got, err := Open(writeFiles(t, map[string]string{"r.0.prof": "# POINT TO POINT\n",
		"r.1.prof": "# POINT TO POINT\n"}), "")
	if err != nil || got.Ranks() != 2 {
		t.Errorf("two silent profiles: %+v, %v", got, err)
	}
	for _, test := range []struct {
		files        map[string]string
		file, reason string
	}{
		{nil, "", "is a folder without profiles"},
		{map[string]string{"a.0.prof": silentText(0, 1), "b.0.prof": silentText(0, 1)}, "",
			"profiles of several runs: a.*.prof and b.*.prof"},
		{map[string]string{"a.0.prof": silentText(0, 3), "a.2.prof": silentText(2, 3)}, "",
			"there is no a.1.prof"},
		{map[string]string{"a.0.prof": silentText(0, 3), "a.1.prof": silentText(1, 3)}, "",
			"there is no a.2.prof"},
		{map[string]string{"a.0.prof": silentText(0, 1), "a.1.prof": "# POINT TO POINT\n"}, "a.1.prof",
			"rank 1 of another run: MPI_COMM_WORLD has 1 ranks"},
		{map[string]string{"a.0.prof": silentText(0, 1), "a.1.prof": silentText(1, 2)}, "a.1.prof",
			"files of two runs"},
		{map[string]string{"a.0.prof": silentText(0, 2), "a.1.prof": ""}, "a.1.prof", "the file is empty"},
		{map[string]string{"a.0.prof": "x"}, "a.0.prof", "no line of Open MPI's monitoring"},
	} {
		folder := writeFiles(t, test.files)
		_, err := Open(folder, "")
		e, ok := err.(*input.Error)
		if !ok || e.File != filepath.Join(folder, test.file) || !strings.Contains(e.Reason, test.reason) ||
			e.Hint == "" {
			t.Errorf("%v: error %v, want %s", test.files, err, test.reason)
		}
	}
	folder := writeFiles(t, map[string]string{"a.0.prof": silentText(0, 1)})
	if _, err := Open(folder, FormatDense); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder as a dense matrix: %v", err)
	}
	if err := os.Symlink(folder, filepath.Join(folder, "a.1.prof")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, ""); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder among the profiles: %v", err)
	}
}

// What the real Open MPI leaves of the heat solver, read as a folder and as one file, is
// fixtures/heat64.size.csv with its counts (fixtures/record/record.sh).
func TestRealMonitoring(t *testing.T) {
	if os.Getenv("REMAP_REAL") == "" {
		t.Skip("REMAP_REAL is not set: no program is monitored")
	}
	for _, program := range []string{"mpicc", "mpirun"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: no program is monitored", program)
		}
	}
	work := t.TempDir()
	profiles := filepath.Join(work, "profiles")
	for _, line := range []string{
		"mpicc -O2 -o " + work + "/heat ../fixtures/record/heat.c",
		"mpirun --allow-run-as-root --oversubscribe -np 64 --mca btl tcp,self --mca btl_tcp_if_include lo " +
			"--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename " +
			profiles + "/heat " + work + "/heat 8 8 1024 20",
	} {
		if err := os.MkdirAll(profiles, 0o700); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(line)
		if said, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, said)
		}
	}
	want, err := Open("../fixtures/heat64.size.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	counts, err := os.Open("../fixtures/heat64.count.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	if err := ReadDenseCounts(want, counts.Name(), counts); err != nil {
		t.Fatal(err)
	}
	got, err := Open(profiles, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "folder", got, want)
	var all bytes.Buffer
	for r := 63; r >= 0; r-- {
		text, err := os.ReadFile(fmt.Sprintf("%s/heat.%d.prof", profiles, r))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	got, err = Read("all", &all, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one file", got, want)
}

func FuzzReadMonitoring(f *testing.F) {
	for _, s := range []string{profileText, silentText(1, 3), "E\t0\t1\t5 bytes\t1 msgs sent\n",
		"I\t1073741823\t1\t5 bytes\t1 msgs sent\r\n", "E\t0\t1\t1.2e3 bytes\t0 msgs sent\tx", "E\t0",
		"D\tMPI_COMM_WORLD\tprocs: 0,,1\n", "A2A\t-1\n", silentText(0, 2) + silentText(0, 3), "#\n\n\tE\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		traffic, err := ReadMonitoring("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		mustCheck(t, traffic)
		var file bytes.Buffer
		if err := WriteEdgeList(&file, traffic); err != nil {
			t.Fatal(err)
		}
		again, err := ReadEdgeList("f", &file)
		if err != nil && traffic.Ranks() <= 1<<20 {
			t.Fatal(err)
		}
		if err == nil && again.TotalBytes() != traffic.TotalBytes() {
			t.Fatalf("%d bytes, written and read %d", traffic.TotalBytes(), again.TotalBytes())
		}
	})
}
