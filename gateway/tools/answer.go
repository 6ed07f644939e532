package tools

import (
	"math"
	"strconv"
	"time"
)

// coverageOut is how much of a set an answer looked at.
type coverageOut struct {
	Searched int `json:"searched"`
	Of       int `json:"of"`
	Skipped  struct {
		Encrypted  int `json:"encrypted"`
		Unreadable int `json:"unreadable"`
	} `json:"skipped"`
}

func coverage(c Coverage) coverageOut {
	out := coverageOut{Searched: c.Searched, Of: c.Of}
	out.Skipped.Encrypted = c.Encrypted
	out.Skipped.Unreadable = c.Unreadable
	return out
}

// fresh rounds a time to what an agent can use, in UTC.
func (f Freshness) utc() Freshness {
	f.AsOf = utc(f.AsOf)
	return f
}

func utc(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// fit is how many of n items an answer of the usual size holds, by their estimated bytes; at least one.
func fit(n, budget int, size func(i int) int) int {
	for i := range n {
		if budget -= size(i); budget < 0 {
			return max(i, 1)
		}
	}
	return n
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func seconds(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Second)
}

func round(score float64) float64 { return math.Round(score*100) / 100 }
