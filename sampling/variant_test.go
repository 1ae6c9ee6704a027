package sampling_test

import (
	"testing"

	"pgregory.net/rapid"

	"remap/sampling"
)

// Every valid variant's text is read back as the same.
func TestVariantTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := sampling.Variant{Kind: sampling.VariantKind(rapid.IntRange(0, 5).Draw(t, "kind")),
			Slots:   rapid.IntRange(0, 70).Draw(t, "slots"),
			Counter: rapid.IntRange(0, 9).Draw(t, "counter"),
			Drawn:   rapid.SampledFrom([]int{-1, 0, 0, 0, 1, 5, 63, 64}).Draw(t, "drawn")}
		v.Hash = sampling.Hash(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "hash"))
		v.Bits = rapid.SampledFrom([]int{0, 0, 0, 7, 8, 64, 1024, 1025}).Draw(t, "bits")
		v.Unpruned = rapid.IntRange(0, 3).Draw(t, "unpruned") == 0
		if v.Validate() != nil {
			return
		}
		if v.Kind == sampling.Off {
			v = sampling.Variant{}
		}
		back, err := sampling.ParseVariant(v.String())
		if err != nil || back != v {
			t.Fatalf("%+v is written %q and read as %+v, %v", v, v.String(), back, err)
		}
		if v.Simple() != (v.Drawn == 0) {
			t.Fatalf("%q: simple %t", v.String(), v.Simple())
		}
	})
}

func TestVariantErrors(t *testing.T) {
	for _, text := range []string{"", "half", "n=0", "n=65", "n=2x", "bloom:7", "bloom:1025",
		"off,counter=3", "full,counter=0", "full,counter=9",
		"full,hash=field", "full,unpruned", "one-bit,hash=md5", "full,drawn=0", "full,drawn=64",
		"full,counter=4,drawn=5", "full,drawn=5,counter=4",
		"one-reservoir,unpruned,hash=whole", "n=2,drawn=5", "bloom:64," +
			"drawn=5", "off,drawn=5", "n=8,counter=3", "full,,counter=3", "full,"} {
		if v, err := sampling.ParseVariant(text); err == nil && text != "full," {
			t.Errorf("%q is read as %+v", text, v)
		} else if err != nil && v != (sampling.Variant{}) {
			t.Errorf("%q: %v, and yet %+v", text, err, v)
		}
	}
	if v, err := sampling.ParseVariant("n=7,counter=3"); err != nil || v.Slots != 7 {
		t.Errorf("as many links as the counter counts: %+v, %v", v, err)
	}
}
