package exchange

// load is the seconds of all links.
type load struct {
	*State
	squares float64
}

func newLoad(s *State) *load { return nil }

func (l *load) worst() float64                            { return 0 }
func (l *load) after(a, b int32) (worst, squares float64) { return 0, 0 }
func (l *load) exchange(a, b int32)                       {}
func (l *load) settle()                                   {}
