package evalsim

import "strconv"

// PhaseNames are the names of a job's phases; a program without any has phase "0".
func PhaseNames(j Job) []string {
	names := make([]string, max(1, len(j.Program.Phases)))
	for i := range names {
		if names[i] = strconv.Itoa(i); i < len(j.Program.Phases) {
			names[i] = j.Program.Phases[i]
		}
	}
	return names
}

// CallSiteNames are the names of a job's call sites; a program without any has "".
func CallSiteNames(j Job) []string {
	if len(j.Program.CallSites) == 0 {
		return []string{""}
	}
	return j.Program.CallSites
}
