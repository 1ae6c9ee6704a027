package picture

// These constants were chosen by looking at pictures of 1,600 pixels: tapered (4,608 hosts), a fat tree of
// 27,000, tori of 288 to 13,824 switches, dragonflies of 9 and 33 groups (commands in docs/pictures.md), and
// by the size of the SVG.
const (
	// mostColumns and mostLines are how many leaf switches and wires are drawn as lines; with more, the
	// lines of a stage cover each other.
	mostColumns, mostLines = 64, 2400

	// narrowest is the least width of a leaf switch's column, in points: two panels of 144 columns stand
	// side by side. Narrower ones go to a further band.
	narrowest = 2.8

	// mostCells is how many wires are drawn one by one, in an SVG of 5 MB; of more, those of a switch to
	// a level are one cell, and idle ones are left out.
	mostCells = 24_000

	// mostBoxes is how many hosts have boxes of their own; of more, those of a leaf switch share one.
	mostBoxes = 40_000

	// mostGroups is how many groups of a dragonfly stand around a circle.
	mostGroups = 24

	// mostMarks is how many boxes a matrix is drawn with, and mostSide how many cells it has on a side; with
	// more, a cell stands for more ranks.
	mostMarks, mostSide = 40_000, 800

	// mostThick is the thickness of the line with the most traffic, in points, where there is room.
	mostThick = 4.5

	// leastBar is the least width of a bar as a share of its cell, so that its colour is seen.
	leastBar = 0.3
)
