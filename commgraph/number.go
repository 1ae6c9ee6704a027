package commgraph

import (
	"errors"
	"math"
	"strconv"
)

// totalHint is for sums above MaxTotal.
const totalHint = "divide all volumes by one number, and say with --unit-bytes what a unit stands for"

// parseAmount reads a volume or a count: a whole number from 0 to MaxTotal,
// in digits or as a plain decimal (1.2e+06) that is whole within rounding.
// The error says what is wrong with the number, without its place.
func parseAmount(text []byte) (int64, error) {
	if len(text) == 0 {
		return 0, errors.New("empty, must be a number")
	}
	var v int64
	for _, c := range text {
		if c < '0' || c > '9' {
			return parseDecimal(string(text))
		}
		if v = v*10 + int64(c-'0'); v > MaxTotal {
			return 0, tooLarge(string(text))
		}
	}
	return v, nil
}

// parseDecimal is the slow path of parseAmount.
func parseDecimal(text string) (int64, error) {
	quoted := strconv.Quote(shorten(text))
	for _, c := range []byte(text) {
		// Keeps out what ParseFloat reads beyond decimals: 0x1p4, 1_000, Inf.
		if (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
			return 0, errors.New(quoted + " is not a finite decimal number")
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && errors.Is(err, strconv.ErrRange) && text[0] != '-':
		return 0, tooLarge(text)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, errors.New(quoted + " is not a number")
	case f < 0:
		return 0, errors.New(quoted + " is negative")
	case f > MaxTotal:
		return 0, tooLarge(text)
	}
	whole := math.Round(f)
	if math.Abs(f-whole) > min(1e-3, 1e-9*max(1, f)) {
		return 0, errors.New(quoted + " is not a whole number")
	}
	return int64(whole), nil
}

func tooLarge(text string) error {
	return errors.New(strconv.Quote(shorten(text)) + " is above the limit of " + strconv.FormatInt(MaxTotal, 10))
}

// shorten keeps what an error quotes to a readable length.
func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}
