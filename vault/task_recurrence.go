package vault

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// recurrence is a rule such as "every 2 weeks on Monday, Friday when done".
type recurrence struct {
	every    int
	unit     byte           // 'd', 'w', 'm' or 'y'
	weekdays []time.Weekday // of a week, or with ordinal of a month
	days     []int          // of a month; -1 is the last
	ordinal  int            // the nth of weekdays in a month; negative counts from its end; 0 is none
	month    time.Month     // of a year; 0 is that of the date
	whenDone bool           // from the day on which it is done
}

var (
	everyUnit  = regexp.MustCompile(`^every(?: (\d{1,4}))? (day|week|month|year)s?(?: (?:on|in) (.+))?$`)
	everyNamed = regexp.MustCompile(`^every ([a-z]+)(?: on (.+))?$`)
	everyDays  = regexp.MustCompile(`^every ((?:[a-z]+day)(?:(?:,| and|, and) [a-z]+day)*)$`)
	dayOfMonth = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?$`)
	nthWeekday = regexp.MustCompile(`^(?:(\d)(?:st|nd|rd|th) )?(last )?([a-z]+)$`)
)

// parseRecurrence reads the rules that Obsidian Tasks documents.
func parseRecurrence(s string) (recurrence, bool) {
	s = strings.ToLower(strings.Join(strings.Fields(strings.TrimSuffix(s, "!")), " "))
	var r recurrence
	s, r.whenDone = strings.CutSuffix(s, " when done")
	r.every, r.unit = 1, 'w'
	if m := everyUnit.FindStringSubmatch(s); m != nil {
		if m[1] != "" {
			r.every, _ = strconv.Atoi(m[1])
		}
		r.unit = m[2][0]
		return r, r.every >= 1 && r.on(m[3])
	}
	if s == "every weekday" {
		r.weekdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
		return r, true
	}
	if m := everyDays.FindStringSubmatch(s); m != nil {
		return r, r.on(m[1])
	}
	if m := everyNamed.FindStringSubmatch(s); m != nil {
		if r.month = monthNamed(m[1]); r.month != 0 {
			r.unit = 'y'
			return r, r.on(m[2])
		}
	}
	return recurrence{}, false
}

// on reads what follows "on" in a rule.
func (r *recurrence) on(s string) bool {
	if s == "" {
		return true
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(s, "the "), " and ", ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "the ")
		if part == "" {
			continue
		}
		switch m := dayOfMonth.FindStringSubmatch(part); {
		case r.unit == 'w':
			d, ok := weekdayNamed(part)
			if !ok {
				return false
			}
			r.weekdays = append(r.weekdays, d)
		case r.unit == 'd':
			return false
		case r.unit == 'y' && r.month == 0:
			if r.month = monthNamed(part); r.month == 0 {
				return false
			}
		case m != nil:
			n, _ := strconv.Atoi(m[1])
			if n < 1 || n > 31 {
				return false
			}
			r.days = append(r.days, n)
		case part == "last" || part == "last day":
			r.days = append(r.days, -1)
		default:
			m := nthWeekday.FindStringSubmatch(part)
			if m == nil || r.ordinal != 0 {
				return false
			}
			d, ok := weekdayNamed(m[3])
			if !ok || m[1] == "" && m[2] == "" {
				return false
			}
			r.ordinal = 1
			if m[1] != "" {
				r.ordinal, _ = strconv.Atoi(m[1])
			}
			if m[2] != "" {
				r.ordinal = -r.ordinal
			}
			r.weekdays = append(r.weekdays, d)
		}
	}
	return r.ordinal >= -5 && r.ordinal <= 5
}

func weekdayNamed(s string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := strings.ToLower(d.String()); s == name || len(s) >= 3 && strings.HasPrefix(name, s) {
			return d, true
		}
	}
	return 0, false
}

func monthNamed(s string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); s == name || len(s) >= 3 && strings.HasPrefix(name, s) {
			return m
		}
	}
	return 0
}

// after is the first day of the rule behind from, if there is one within the years that dates have. Intervals count from the day, week,
// month or year of from.
func (r recurrence) after(from time.Time) (time.Time, bool) {
	const day = 24 * time.Hour
	switch {
	case r.unit == 'd':
		return inYears(from.AddDate(0, 0, r.every))
	case r.unit == 'w' && len(r.weekdays) == 0:
		return inYears(from.AddDate(0, 0, 7*r.every))
	case r.unit == 'w':
		monday := from.AddDate(0, 0, -int((from.Weekday()+6)%7))
		for d := from.Add(day); ; d = d.Add(day) {
			week := int(d.Sub(monday)/day) / 7
			if week > r.every {
				return time.Time{}, false
			}
			if week%r.every == 0 && slices.Contains(r.weekdays, d.Weekday()) {
				return inYears(d)
			}
		}
	}
	step := r.every
	first := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
	if r.unit == 'y' {
		step *= 12
		if r.month != 0 {
			first = time.Date(from.Year(), r.month, 1, 0, 0, 0, 0, time.UTC)
		}
	}
	const most = 100 // months without such a day: a 31st, a fifth Friday, a 29 February
	for range most {
		var best time.Time
		for _, d := range r.inMonth(first, from.Day()) {
			if d.After(from) && (best.IsZero() || d.Before(best)) {
				best = d
			}
		}
		if !best.IsZero() {
			return inYears(best)
		}
		first = first.AddDate(0, step, 0)
	}
	return time.Time{}, false
}

// inMonth are the rule's days in the month that begins at first. Without any in the rule it is day, or the month's last where it has no such
// day.
func (r recurrence) inMonth(first time.Time, day int) []time.Time {
	last := first.AddDate(0, 1, -1).Day()
	at := func(n int) time.Time { return first.AddDate(0, 0, n-1) }
	var out []time.Time
	for _, n := range r.days {
		switch {
		case n == -1:
			out = append(out, at(last))
		case n <= last:
			out = append(out, at(n))
		}
	}
	for _, w := range r.weekdays {
		n := 1 + int(w-first.Weekday()+7)%7 + 7*(r.ordinal-1)
		if r.ordinal < 0 {
			n = last - int(at(last).Weekday()-w+7)%7 + 7*(r.ordinal+1)
		}
		if n >= 1 && n <= last {
			out = append(out, at(n))
		}
	}
	if len(r.days) == 0 && len(r.weekdays) == 0 {
		out = append(out, at(min(day, last)))
	}
	return out
}

func inYears(d time.Time) (time.Time, bool) { return d, d.Year() <= 9999 }
