package topology

// Subtrees is a fat tree that has all its links, seen as nested sets of leaf switches.
//
// The switches of a level that reach the same leaf switches form a group. These leaf
// switches are the group's subtree. A message that leaves a subtree goes up by any link
// at every switch, whatever its destination. So its bytes divide equally over all links
// that lead up out of the group: as many links leave each switch of the group, and each
// switch was given as much. Below the switches where the message turns there is one way
// down from each. So its bytes divide equally over all links into the subtree it goes to.
// Paths turn at the lowest level at which both leaf switches are in one subtree.
type Subtrees struct {
	// Of (levels x leaf switches) is the number of the subtree that holds a leaf switch.
	// Subtrees are numbered from 0 level by level, leaf switches first. With one rail a
	// host, the top level has one subtree.
	Of [][]int32
	// Top (length switches) is the subtree whose group a switch belongs to.
	Top []int32
	// Level (length switches) is 0 for leaf switches, and one more for each level above.
	Level []int32
	// Up (length subtrees) are the links that lead up out of the subtree's group; none at
	// the top of the tree.
	Up [][]int32
}

// Subtrees is nil for networks that are no fat trees or lack links. O(links).
func (t *Topology) Subtrees() *Subtrees {
	r := t.Routes
	if r == nil || r.Intervals == nil || r.Detours != nil {
		return nil
	}
	s := &Subtrees{Top: make([]int32, t.Switches()), Level: make([]int32, t.Switches())}
	leaves := 0
	numbers := map[[2]int32]int32{}       // level and first leaf switch: number of the subtree
	for sw := range int32(t.Switches()) { // switch numbers grow from level to level
		level := s.Level[sw]
		low, high := sw, sw+1
		if level > 0 {
			low, high = r.Intervals[sw].Low, r.Intervals[sw].High
		} else {
			leaves++
		}
		if int(level) == len(s.Of) {
			s.Of = append(s.Of, make([]int32, t.Switches()))
		}
		number, known := numbers[[2]int32{level, low}]
		if !known {
			number = int32(len(s.Up))
			numbers[[2]int32{level, low}] = number
			s.Up = append(s.Up, nil)
			for leaf := low; leaf < high; leaf++ {
				s.Of[level][leaf] = number
			}
		}
		s.Top[sw] = number
		group := r.Intervals[sw].Up
		if group < 0 {
			continue
		}
		for _, c := range r.Channels[r.Offsets[group]:r.Offsets[group+1]] {
			link := c / r.VirtualChannels
			s.Up[number] = append(s.Up[number], link)
			s.Level[t.SwitchOf(t.Links[link].To)] = level + 1
		}
	}
	for level := range s.Of {
		s.Of[level] = s.Of[level][:leaves:leaves]
	}
	return s
}
