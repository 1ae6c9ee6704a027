package sampling

import (
	"fmt"
	"io"
)

// HashCase is identities and codes to examine hashes with.
type HashCase struct {
	IDName, CodeName string
	IDs, Codes       []uint32
}

// sequenceBits is the size of an InfiniBand packet's sequence number, which the
// slides use as its identity (Taffet and Mellor-Crummey 2019, slide 63).
const sequenceBits = 24

// HashCases are sets of identities as packets have them, with the codes of links
// 0..links-1, and at last the links 1..64 taken as their own codes, which shows
// why codes must not be small. There are `ids` identities in each, at least 64
// and at most 2^20, but in the one that is a block of 64.
func HashCases(ids, links int, seed uint64) []HashCase {
	random := NewRandom(seed)
	codes := make([]uint32, links)
	for i := range codes {
		codes[i] = Code(int32(i))
	}
	any32 := differing(ids, func() uint32 { return random.Uint32() })
	start := random.Below(1<<(sequenceBits-1)) + 1<<(sequenceBits-2)
	cases := []HashCase{
		{IDName: "32 random bits", IDs: any32},
		{IDName: "24 random bits", IDs: differing(ids, func() uint32 { return random.Below(1 << sequenceBits) })},
		{IDName: "flows of 64 in a row", IDs: flows(ids, &random)},
		{IDName: "in a row", IDs: consecutive(start, ids)},
		{IDName: "in a row from 1", IDs: consecutive(1, ids)},
		{IDName: "a block of 64", IDs: consecutive(start&^63, 64)},
	}
	for i := range cases {
		cases[i].CodeName, cases[i].Codes = fmt.Sprintf("of %d links", links), codes
	}
	return append(cases, HashCase{"32 random bits", "1 to 64", any32, consecutive(1, 64)})
}

func consecutive(first uint32, count int) []uint32 {
	list := make([]uint32, count)
	for i := range list {
		list[i] = first + uint32(i)
	}
	return list
}

func differing(count int, draw func() uint32) []uint32 {
	list, drawn := make([]uint32, 0, count), make(map[uint32]bool, count)
	for len(list) < count {
		if x := draw(); !drawn[x] {
			drawn[x] = true
			list = append(list, x)
		}
	}
	return list
}

// flows are rows of 64 sequence numbers, each from anywhere in its own part of
// all numbers.
func flows(count int, random *Random) []uint32 {
	var list []uint32
	part := uint32(1<<sequenceBits) / uint32((count+63)/64)
	for first := uint32(0); len(list) < count; first += part {
		start := first + random.Below(part-63)
		list = append(list, consecutive(start, min(64, count-len(list)))...)
	}
	return list
}

// WriteHashTable examines hashes in cases and writes a Markdown table: for each
// of the four tests of a HashReport the Spread, the worst Share and the Verdict.
func WriteHashTable(w io.Writer, hashes []Hash, cases []HashCase) error {
	_, err := io.WriteString(w, "| identities | codes | hash | ones of a code | ones of an identity | "+
		"two codes agree | two identities agree |\n|---|---|---|---|---|---|---|\n")
	for _, c := range cases {
		for _, h := range hashes {
			if err != nil {
				return err
			}
			r := Examine(h, c.IDs, c.Codes)
			_, err = fmt.Fprintf(w, "| %d: %s | %s | %s | %s | %s | %s | %s |\n", len(c.IDs), c.IDName, c.CodeName, h,
				cell(&r.CodeBalance), cell(&r.IDBalance), cell(&r.CodePairs), cell(&r.IDPairs))
		}
	}
	return err
}

func cell(t *HashTest) string {
	return fmt.Sprintf("%.3g, %.3f, %s", t.Spread, t.Share, t.Verdict)
}
