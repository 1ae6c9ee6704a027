package strategy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/mapping"
)

func TestTableNamesParse(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Table() {
		if seen[s.Name] || s.Doc == "" || s.Map == nil || strings.ContainsAny(s.Name, ":+,= ") {
			t.Errorf("row %q (%q) is incomplete, twice there, or cannot be written", s.Name, s.Doc)
		}
		seen[s.Name] = true
		if parsed, err := Parse(s.Name); err != nil || parsed.Name != s.Name {
			t.Errorf("%s parses to %q, %v", s.Name, parsed.Name, err)
		}
	}
	for _, name := range strings.Fields("identity cyclic random rcm bisection multisection fast default " +
		"strong kl swap rcb hilbert tiling best") {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestNamesAreEchoed(t *testing.T) {
	for _, spec := range []string{"kl", "rcm+kl", "tiling:levels=1", "tiling:levels=2+kl",
		"rcm:weighted=true", "multisection:preset=fast", "kl:order=expense", "kl:order=place", "random+kl+kl"} {
		if s, err := Parse(spec); err != nil || s.Name != spec {
			t.Errorf("%s parses to %q, %v", spec, s.Name, err)
		}
	}
}

func TestParseList(t *testing.T) {
	for list, want := range map[string][]string{
		"kl":                                 {"kl"},
		"kl,rcm+kl,tiling:levels=1":          {"kl", "rcm+kl", "tiling:levels=1"},
		"tiling:levels=1,tiling:levels=2":    {"tiling:levels=1", "tiling:levels=2"},
		"tiling:levels=1,kl,identity+kl":     {"tiling:levels=1", "kl", "identity+kl"},
		"random+tiling:levels=1,identity":    {"random+tiling:levels=1", "identity"},
		"tiling:levels=1+kl,tiling:levels=2": {"tiling:levels=1+kl", "tiling:levels=2"},
		"tiling:levels=1,kl+tiling:levels=2": {"tiling:levels=1", "kl+tiling:levels=2"},
	} {
		strategies, err := ParseList(list)
		if err != nil || !slices.Equal(namesOf(strategies), want) {
			t.Errorf("%s: %q, %v; want %q", list, namesOf(strategies), err, want)
		}
	}
}

func namesOf(strategies []mapping.Strategy) []string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.Name)
	}
	return names
}

// An item that can only be an option belongs to the strategy before it.
func TestParseListContinuesOptions(t *testing.T) {
	for list, want := range map[string]string{
		"tiling:levels=1,levels=2":    "option levels is given twice",
		"tiling:levels=1,shape=2":     `unknown option of strategy tiling "shape"`,
		"tiling:levels=1,shape=2,kl":  `unknown option of strategy tiling "shape"`,
		"tiling:levels=1,levels=2+kl": "option levels is given twice",
		"kl,levels=1":                 `unknown strategy "levels=1"`,
	} {
		if _, err := ParseList(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string][2]string{
		"":                      {`unknown strategy ""`, "known: identity, cyclic"},
		"tilling":               {`unknown strategy "tilling"`, "did you mean tiling? known: identity"},
		"multisect":             {`unknown strategy "multisect"`, "did you mean multisection?"},
		"metis":                 {`unknown strategy "metis"`, "known: identity"},
		"kl+":                   {`strategy "kl+": a + has nothing before or behind it`, "a chain is written a+b"},
		"swap:":                 {`unknown option of strategy swap ""`, "it takes no options"},
		"identity:levels=1":     {`unknown option of strategy identity "levels"`, "it takes no options"},
		"tiling:level=1":        {`unknown option of strategy tiling "level"`, "did you mean levels?"},
		"tiling:levels":         {"option levels has no value", "tiling:levels=VALUE"},
		"tiling:levels=":        {"option levels has no value", "tiling:levels=VALUE"},
		"tiling:levels=0":       {"levels=0 is not a whole number from 1", "options of tiling"},
		"multisection:preset=x": {"preset=x is none of fast, default, strong", "options of multisection"},
		"kl:order=cost":         {"order=cost is neither place nor expense", "options of kl"},
		"rcm:weighted=yes":      {"weighted=yes is neither true nor false", "options of rcm"},
		"tiling:levels=x":       {"levels=x is not a whole number", "options of tiling"},
	} {
		s, err := Parse(spec)
		var located *input.Error
		if !errors.As(err, &located) || !strings.Contains(err.Error(), want[0]) ||
			!strings.Contains(located.Hint, want[1]) {
			t.Errorf("%q gives %q, %v, hint %q; want %q", spec, s.Name, err, input.Hint(err), want)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("kl,rcm+kl,tiling:levels=1")
	f.Add("tiling:levels=1,levels=2+kl,=,:,+")
	f.Fuzz(func(t *testing.T, list string) {
		strategies, err := ParseList(list)
		if err != nil {
			if input.Hint(err) == "" {
				t.Fatalf("%q: %v without a hint", list, err)
			}
			return
		}
		if got := strings.Join(namesOf(strategies), ","); got != list {
			t.Fatalf("%q echoed as %q", list, got)
		}
	})
}
