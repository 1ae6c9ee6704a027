package commgraph

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"remap/input"
)

// profileFile is a file PREFIX.RANK.prof, as Open MPI's monitoring names them.
type profileFile struct {
	name, prefix string
	rank         int64
}

// parseProfileName splits the name of a profile.
func parseProfileName(name string) (profileFile, bool) {
	start, isProfile := strings.CutSuffix(name, ".prof")
	dot := strings.LastIndexByte(start, '.')
	if !isProfile || dot < 0 {
		return profileFile{}, false
	}
	rank, err := strconv.ParseInt(start[dot+1:], 10, 64)
	if err != nil || rank < 0 || rank >= MaxRanks || strconv.FormatInt(rank, 10) != start[dot+1:] {
		return profileFile{}, false
	}
	return profileFile{name, start[:dot], rank}, true
}

// openProfiles reads the profiles that Open MPI's monitoring left in a folder,
// one a rank; see ReadMonitoring. Other files are not looked at. It is an error
// if there are profiles of two runs, or if one is missing. O(ranks + lines).
func openProfiles(folder string) (*Traffic, error) {
	profiles, err := findProfiles(folder)
	if err != nil {
		return nil, err
	}
	m := newMonitoringReader()
	for _, p := range profiles {
		if err := m.open(filepath.Join(folder, p.name)); err != nil {
			return nil, err
		}
	}
	top := profiles[len(profiles)-1]
	if m.world > 0 && top.rank >= m.world {
		return nil, &input.Error{File: filepath.Join(folder, top.name),
			Reason: fmt.Sprintf("rank %d of another run: %s has %d ranks", top.rank, worldName, m.world),
			Hint:   "remove the profiles of earlier runs, or record into a new folder"}
	}
	for i, p := range profiles {
		if p.rank != int64(i) {
			return nil, missingProfile(folder, p.prefix, int64(i))
		}
	}
	if next := int64(len(profiles)); next <= m.highest {
		return nil, missingProfile(folder, top.prefix, next)
	}
	if m.highest < top.rank {
		m.highest, m.highestAt = top.rank, place{file: filepath.Join(folder, top.name)}
	}
	return m.traffic(folder)
}

// missingProfile is the error for a rank without a profile.
func missingProfile(folder, prefix string, rank int64) error {
	return &input.Error{File: folder, Reason: fmt.Sprintf("there is no %s.%d.prof", prefix, rank),
		Hint: "every rank leaves a profile; on a cluster collect them in one folder"}
}

// findProfiles lists the profiles in a folder by rank; there is at least one,
// and all have the same prefix.
func findProfiles(folder string) ([]profileFile, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fileError(folder, err)
	}
	var profiles []profileFile
	for _, e := range entries {
		if p, ok := parseProfileName(e.Name()); ok {
			profiles = append(profiles, p)
		}
	}
	if len(profiles) == 0 {
		return nil, &input.Error{File: folder, Reason: "is a folder without profiles of Open MPI's monitoring",
			Hint: "name a file, or a folder with files PREFIX.RANK.prof"}
	}
	slices.SortFunc(profiles, func(a, b profileFile) int {
		return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.rank, b.rank))
	})
	first, last := profiles[0].prefix, profiles[len(profiles)-1].prefix
	if first != last {
		return nil, &input.Error{File: folder,
			Reason: fmt.Sprintf("profiles of several runs: %s.*.prof and %s.*.prof", first, last),
			Hint: fmt.Sprintf("put those of one run into a folder of their own, or into one file: "+
				"cat %s.*.prof > FILE", filepath.Join(folder, first))}
	}
	return profiles, nil
}

// open takes the lines of a profile in.
func (m *monitoringReader) open(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &input.Error{File: path, Reason: "is not a regular file", Hint: "remove it from the folder"}
	}
	f, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return m.read(path, f)
}
