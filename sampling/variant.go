package sampling

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// VariantKind is the family of a variant.
type VariantKind uint8

const (
	Off    VariantKind = iota // packets carry nothing
	Full                      // two reservoirs of whole links (Taffet 2018, algorithms 2-4)
	OneBit                    // two reservoirs, each link hashed to one bit (algorithms 5-7)
	// one reservoir and whether its link was congested (algorithms 8-9; Taffet and Mellor-Crummey
	// 2019)
	OneReservoir
	Bloom // all links in a Bloom filter, and all congested ones in another (section 5.8)
)

var kindNames = []string{"off", "full", "one-bit", "one-reservoir", "bloom"}

// Variant is how packets carry what they saw. The zero value is off.
type Variant struct {
	Kind VariantKind

	// Slots is the number of links that a reservoir holds: 1 to MaxSlots under Full, else 1.
	Slots int

	// Counter is the number of bits of every hop counter: 1 to 8, and 0 with Drawn. A counter
	// stays at its highest value.
	Counter int

	// Drawn is the number of hops whose replacements the sender draws in advance, see
	// Header.Send: 1 to MaxDrawn. 0 = switches draw.
	Drawn int

	// Hash is the hash of OneBit and OneReservoir. Whole keeps links as they are.
	Hash Hash

	// Bits is the size of each Bloom filter: 8 to MaxBits.
	Bits int

	// Unpruned: receivers of hashes and filters test every switch port, not only those on the
	// packet's path.
	Unpruned bool
}

// Bounds of variants.
const (
	MaxSlots    = 64
	MaxBits     = 1024
	MaxDrawn    = 63
	fullCounter = 8
)

// Reservoirs is the thesis's first form, two reservoirs of one link each.
var Reservoirs = Variant{Kind: Full, Slots: 1, Counter: fullCounter}

// ParseVariant reads off, full, n=SLOTS, one-bit, one-reservoir or bloom:BITS,
// with options after commas: counter=BITS and, for the hashed ones, hash=NAME
// (whole keeps links unhashed). Without them counters have 8 bits, and hashes
// are multiplications in a binary field. In place of counter=BITS, full, one-bit
// and one-reservoir take drawn=HOPS: the sender draws for so many hops.
func ParseVariant(text string) (Variant, error) {
	name, options, _ := strings.Cut(text, ",")
	v := Variant{Slots: 1, Counter: fullCounter}
	switch {
	case name == "off":
		v = Variant{}
	case name == "full":
		v.Kind = Full
	case strings.HasPrefix(name, "n="):
		v.Kind = Full
		if err := number(name, "n=", 1, MaxSlots, &v.Slots); err != nil {
			return Variant{}, err
		}
	case name == "one-bit", name == "one-reservoir":
		v.Kind, v.Hash = OneBit, Field
		if name == "one-reservoir" {
			v.Kind = OneReservoir
		}
	case strings.HasPrefix(name, "bloom:"):
		v.Kind = Bloom
		if err := number(name, "bloom:", 8, MaxBits, &v.Bits); err != nil {
			return Variant{}, err
		}
	default:
		return Variant{}, fmt.Errorf("unknown sampling %q: "+
			"it is off, full, n=SLOTS, one-bit, one-reservoir or bloom:BITS", name)
	}
	if options != "" {
		for option := range strings.SplitSeq(options, ",") {
			if err := v.set(option); err != nil {
				return Variant{}, err
			}
		}
	}
	if err := v.Validate(); err != nil {
		return Variant{}, fmt.Errorf("sampling %q: %w", text, err)
	}
	return v, nil
}

func (v *Variant) set(option string) error {
	switch {
	case v.Kind != Off && v.Drawn == 0 && strings.HasPrefix(option, "counter="):
		return number(option, "counter=", 1, fullCounter, &v.Counter)
	case v.drawable() && v.Counter == fullCounter && strings.HasPrefix(option, "drawn="):
		v.Counter = 0
		return number(option, "drawn=", 1, MaxDrawn, &v.Drawn)
	case v.Hash != Whole && strings.HasPrefix(option, "hash="):
		h, err := ParseHash(option[len("hash="):])
		if err != nil {
			return err
		}
		v.Hash = h
		return nil
	case option == "unpruned" && (v.Hash != Whole || v.Kind == Bloom):
		v.Unpruned = true
		return nil
	}
	return fmt.Errorf("unknown option %q of sampling %s: there are counter=BITS, "+
		"or in its place for reservoirs of one link drawn=HOPS, "+
		"for one-bit and one-reservoir hash=NAME, for them and bloom unpruned", option, kindNames[v.Kind])
}

func number(text, prefix string, low, high int, to *int) error {
	n, err := strconv.Atoi(text[len(prefix):])
	if err != nil || n < low || n > high {
		return fmt.Errorf("sampling %q: %q must be a whole number from %d to %d", text, text[len(prefix):], low,
			high)
	}
	*to = n
	return nil
}

// String is what ParseVariant reads.
func (v Variant) String() string {
	text := kindNames[v.Kind]
	switch {
	case v.Kind == Off:
		return text
	case v.Kind == Full && v.Slots > 1:
		text = fmt.Sprintf("n=%d", v.Slots)
	case v.Kind == Bloom:
		text = fmt.Sprintf("bloom:%d", v.Bits)
	}
	if v.Drawn > 0 {
		text += fmt.Sprintf(",drawn=%d", v.Drawn)
	} else if v.Counter != fullCounter {
		text += fmt.Sprintf(",counter=%d", v.Counter)
	}
	if (v.Kind == OneBit || v.Kind == OneReservoir) && v.Hash != Field {
		text += ",hash=" + v.Hash.String()
	}
	if v.Unpruned {
		text += ",unpruned"
	}
	return text
}

// Validate names the first field that is out of bounds, or that means nothing under
// the kind and is not as ParseVariant leaves it: equal variants are equal values.
// Off leaves all open.
func (v Variant) Validate() error {
	switch {
	case v.Kind == Off:
		return nil
	case int(v.Kind) >= len(kindNames):
		return fmt.Errorf("sampling kind %d is not known", v.Kind)
	case v.Drawn < 0 || v.Drawn > MaxDrawn:
		return fmt.Errorf("sampling draws for %d hops: must be 0 to %d", v.Drawn, MaxDrawn)
	case v.Drawn > 0 && !v.drawable():
		return fmt.Errorf("sampling draws for %d hops: only reservoirs of one link can be drawn in advance",
			v.Drawn)
	case v.Drawn > 0 && v.Counter != 0:
		return fmt.Errorf("sampling counter of %d bits beside draws: must be 0", v.Counter)
	case v.Drawn == 0 && (v.Counter < 1 || v.Counter > fullCounter):
		return fmt.Errorf("sampling counter of %d bits: must be 1 to %d", v.Counter, fullCounter)
	case int(v.Hash) >= len(hashNames):
		return fmt.Errorf("sampling hash %d is not known", v.Hash)
	case v.Hash != Whole && v.Kind != OneBit && v.Kind != OneReservoir:
		return fmt.Errorf("sampling hash %v: only one-bit and one-reservoir hash links", v.Hash)
	case v.Unpruned && !v.Hashed() && v.Kind != Bloom:
		return errors.New("unpruned sampling: only receivers of hashes and filters test links")
	case v.Kind != Bloom && v.Bits != 0:
		return fmt.Errorf("sampling with filters of %d bits: only Bloom has any", v.Bits)
	case v.Kind == Bloom && (v.Bits < 8 || v.Bits > MaxBits):
		return fmt.Errorf("sampling with Bloom filters of %d bits: must be 8 to %d", v.Bits, MaxBits)
	case v.Kind == Bloom && BloomHash == nil:
		return errors.New("sampling with Bloom filters: the program does not import remap/sampling/bloom, " +
			"which has their hash")
	case v.Kind == Bloom && v.Slots != 1:
		return fmt.Errorf("reservoirs of %d links beside Bloom filters: must be 1", v.Slots)
	case v.Slots < 1 || v.Slots > MaxSlots:
		return fmt.Errorf("reservoirs of %d links: must be 1 to %d", v.Slots, MaxSlots)
	case v.Slots > 1 && v.Kind != Full:
		return fmt.Errorf("reservoirs of %d links: only full ones have more than one", v.Slots)
	case v.Slots > 1 && v.Slots > int(v.Limit()):
		return fmt.Errorf("reservoirs of %d links: counters of %d bits count to %d only", v.Slots, v.Counter,
			v.Limit())
	}
	return nil
}

// Hashed tells whether packets carry a bit in place of each link.
func (v Variant) Hashed() bool {
	return v.Hash != Whole && (v.Kind == OneBit || v.Kind == OneReservoir)
}

// Wide tells whether a header holds more than one link or bit a reservoir.
func (v Variant) Wide() bool { return v.Kind == Bloom || v.Slots > 1 }

// Simple tells whether headers have hop counters and switches draw for
// themselves, the form that a simulator packs into a word for each reservoir.
func (v Variant) Simple() bool { return v.Drawn == 0 }

// drawable tells whether one bit a hop says all that a switch must know.
func (v Variant) drawable() bool {
	return v.Slots == 1 && (v.Kind == Full || v.Kind == OneBit || v.Kind == OneReservoir)
}

// Limit is the highest number of hops that a header can tell.
func (v Variant) Limit() uint8 {
	if v.Drawn > 0 {
		return uint8(v.Drawn)
	}
	return uint8(1<<v.Counter - 1)
}

// HeaderBits is the size of what a packet carries, where a whole link takes
// linkBits: the thesis counts 24 for an InfiniBand switch and port (section
// 5.1), at least ceil(log2(links + 1)). Draws in advance take one bit a hop and
// one that marks their end in place of a counter (section 5.9).
func (v Variant) HeaderBits(linkBits int) int {
	link := linkBits
	if v.Hashed() {
		link = 1
	}
	count := v.Counter
	if v.Drawn > 0 {
		count = v.Drawn + 1
	}
	switch v.Kind {
	case Off:
		return 0
	case OneReservoir:
		return link + 1 + count
	case Bloom:
		return 2 * (v.Bits + count)
	}
	return 2 * (v.Slots*link + count)
}
