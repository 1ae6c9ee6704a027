package sampling_test

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"remap/sampling"
)

var headerVariants = []string{"off", "full", "full,counter=3", "n=2", "n=5,counter=3", "one-bit",
	"one-bit,counter=4", "one-reservoir,counter=3",
	"one-reservoir,counter=4", "one-reservoir,hash=whole", "bloom:20," +
		"counter=3", "bloom:64", "bloom:130", "full,drawn=7", "one-bit,drawn=63", "one-reservoir,drawn=5"}

// A header on the wire has as many bits as HeaderBits tells, and comes back as it
// was after any number of hops.
func TestHeaderPacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, err := sampling.ParseVariant(rapid.SampledFrom(headerVariants).Draw(t, "variant"))
		if err != nil {
			t.Fatal(err)
		}
		links := rapid.IntRange(1, 3000).Draw(t, "links")
		random := sampling.NewRandom(rapid.Uint64().Draw(t, "seed"))
		device := sampling.NewSwitch(v, links, &random)
		var h, back sampling.Header
		h.Send(v, &random)
		for range rapid.IntRange(0, 12).Draw(t, "hops") {
			if v.Kind != sampling.Off {
				device.Cross(&h, 77, int32(random.Below(uint32(links))), random.Below(3) == 0)
			}
		}
		packed := h.Pack([]byte{9}, v, links)
		if packed[0] != 9 {
			t.Fatal("what was there is overwritten")
		}
		packed = packed[1:]
		if want := (v.HeaderBits(sampling.LinkBits(links)) + 7) / 8; len(packed) != want {
			t.Fatalf("%s: %d bytes, HeaderBits says %d", v, len(packed), want)
		}
		if err := back.Unpack(packed, v, links); err != nil {
			t.Fatalf("%s: %v of %+v", v, err, h)
		}
		if len(h.Hops) == 0 {
			h.Hops, back.Hops = nil, nil
		}
		if len(h.Congested) == 0 {
			h.Congested, back.Congested = nil, nil
		}
		if !reflect.DeepEqual(h, back) {
			t.Fatalf("%s: %+v came back as %+v", v, h, back)
		}
		if len(packed) > 0 {
			if err := back.Unpack(packed[1:], v, links); err == nil {
				t.Fatal("no error for a byte too few")
			}
		}
	})
}

// The variants' sizes: with the 24 bits of an InfiniBand switch and port the
// thesis's two reservoirs take 64, one bit each and 3-bit counters 8 (section
// 5.6), one reservoir 5 or 6 (section 5.7), draws a bit a hop and one more
// (section 5.9).
func TestHeaderBits(t *testing.T) {
	for text, want := range map[string]int{
		"off": 0, "full": 64, "n=4": 208, "one-bit,counter=3": 8, "one-reservoir," +
			"counter=3": 5, "one-reservoir,counter=4": 6,
		"one-reservoir,hash=whole,counter=4": 29, "bloom:64": 144, "full,drawn=5": 60, "one-bit," +
			"drawn=7": 18, "one-reservoir,drawn=5": 8,
	} {
		if got := variant(t, text).HeaderBits(24); got != want {
			t.Errorf("%s takes %d bits, want %d", text, got, want)
		}
	}
}

// The six bits of one hashed reservoir: hash, congested, hop count.
func TestSixBitHeader(t *testing.T) {
	v := variant(t, "one-reservoir,counter=4")
	h := sampling.Header{HopBit: 1, CongestedBit: 0, HopCount: 5}
	if got := h.Pack(nil, v, 1000); !bytes.Equal(got, []byte{0b1_0_0101_00}) {
		t.Errorf("packed as %08b", got)
	}
}

// What Unpack accepts, Pack writes back byte for byte, and receivers can take.
func FuzzUnpack(f *testing.F) {
	for i, text := range headerVariants {
		v := variant(f, text)
		random := sampling.NewRandom(uint64(i))
		device := sampling.NewSwitch(v, 100, &random)
		var h sampling.Header
		h.Send(v, &random)
		for link := range int32(4) {
			if v.Kind != sampling.Off {
				device.Cross(&h, 1, link*30, link == 2)
			}
		}
		f.Add(uint8(i), h.Pack(nil, v, 100))
	}
	f.Fuzz(func(t *testing.T, at uint8, packed []byte) {
		v := variant(t, headerVariants[int(at)%len(headerVariants)])
		var p sampling.Packet
		if p.Unpack(packed, v, 100) != nil {
			return
		}
		if again := p.Pack(nil, v, 100); !bytes.Equal(again, packed) {
			t.Fatalf("%s: %x is written back as %x", v, packed, again)
		}
		receiver := sampling.NewReceiver(v, 100, func(_,
			_ int32) []sampling.Range {
			return []sampling.Range{{First: 0, Count: 100}}
		}, 0)
		receiver.Receive(sampling.NewTable(v, 100), &p)
		receiver.Flush()
	})
}
