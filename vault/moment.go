package vault

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// momentTokens are the tokens of Moment's formats, the longest first where one begins with another.
var momentTokens = []string{
	"YYYYYY", "YYYYY", "YYYY", "YY", "Y", "Qo", "Q", "MMMM", "MMM", "MM", "Mo", "M", "DDDD", "DDDo", "DDD", "DD", "Do", "D",
	"dddd", "ddd", "dd", "do", "d", "e", "E", "wo", "ww", "w", "Wo", "WW", "W", "gggg", "gg", "GGGG", "GG",
	"HH", "H", "hh", "h", "kk", "k", "A", "a", "mm", "m", "ss", "s", "SSS", "SS", "S", "X", "x", "ZZ", "Z",
	"LTS", "LT", "LLLL", "LLL", "LL", "L",
}

// FormatMoment writes a time in one of Moment's formats, as the editor does for daily notes and templates, with English names. Text in
// [brackets] stands for itself, as does what is no token.
func FormatMoment(t time.Time, format string) string {
	var b strings.Builder
next:
	for format != "" {
		if format[0] == '[' {
			if i := strings.IndexByte(format, ']'); i > 0 {
				b.WriteString(format[1:i])
				format = format[i+1:]
				continue
			}
		}
		if format[0] == '\\' && len(format) > 1 {
			b.WriteByte(format[1])
			format = format[2:]
			continue
		}
		for _, token := range momentTokens {
			if strings.HasPrefix(format, token) {
				b.WriteString(momentToken(t, token))
				format = format[len(token):]
				continue next
			}
		}
		b.WriteByte(format[0])
		format = format[1:]
	}
	return b.String()
}

func momentToken(t time.Time, token string) string {
	isoYear, isoWeek := t.ISOWeek()
	weekYear, week := sundayWeek(t)
	pad := func(n, width int) string { return fmt.Sprintf("%0*d", width, n) }
	switch token {
	case "YYYYYY":
		return fmt.Sprintf("%+07d", t.Year())
	case "YYYYY":
		return pad(t.Year(), 5)
	case "YYYY":
		return pad(t.Year(), 4)
	case "YY":
		return pad(t.Year()%100, 2)
	case "Y":
		return strconv.Itoa(t.Year())
	case "Q", "Qo":
		return ordinalIf(token, (int(t.Month())+2)/3)
	case "MMMM":
		return t.Month().String()
	case "MMM":
		return t.Month().String()[:3]
	case "MM":
		return pad(int(t.Month()), 2)
	case "M", "Mo":
		return ordinalIf(token, int(t.Month()))
	case "DDDD":
		return pad(t.YearDay(), 3)
	case "DDD", "DDDo":
		return ordinalIf(token, t.YearDay())
	case "DD":
		return pad(t.Day(), 2)
	case "D", "Do":
		return ordinalIf(token, t.Day())
	case "dddd":
		return t.Weekday().String()
	case "ddd":
		return t.Weekday().String()[:3]
	case "dd":
		return t.Weekday().String()[:2]
	case "d", "e", "do":
		return ordinalIf(token, int(t.Weekday()))
	case "E":
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case "ww":
		return pad(week, 2)
	case "w", "wo":
		return ordinalIf(token, week)
	case "WW":
		return pad(isoWeek, 2)
	case "W", "Wo":
		return ordinalIf(token, isoWeek)
	case "gggg":
		return pad(weekYear, 4)
	case "gg":
		return pad(weekYear%100, 2)
	case "GGGG":
		return pad(isoYear, 4)
	case "GG":
		return pad(isoYear%100, 2)
	}
	return momentClock(t, token)
}

func momentClock(t time.Time, token string) string {
	switch token {
	case "HH":
		return t.Format("15")
	case "H":
		return strconv.Itoa(t.Hour())
	case "hh":
		return t.Format("03")
	case "h":
		return t.Format("3")
	case "kk", "k":
		hour := (t.Hour()+23)%24 + 1
		return fmt.Sprintf("%0*d", len(token), hour)
	case "A":
		return t.Format("PM")
	case "a":
		return t.Format("pm")
	case "mm":
		return t.Format("04")
	case "m":
		return t.Format("4")
	case "ss":
		return t.Format("05")
	case "s":
		return t.Format("5")
	case "S", "SS", "SSS":
		return t.Format(".000")[1 : 1+len(token)]
	case "X":
		return strconv.FormatInt(t.Unix(), 10)
	case "x":
		return strconv.FormatInt(t.UnixMilli(), 10)
	case "Z":
		return t.Format("-07:00")
	case "ZZ":
		return t.Format("-0700")
	case "LT":
		return t.Format("3:04 PM")
	case "LTS":
		return t.Format("3:04:05 PM")
	case "L":
		return t.Format("01/02/2006")
	case "LL":
		return t.Format("January 2, 2006")
	case "LLL":
		return t.Format("January 2, 2006 3:04 PM")
	}
	return t.Format("Monday, January 2, 2006 3:04 PM") // LLLL
}

// sundayWeek is the week of the year as the United States count: weeks begin on Sunday, and the first one holds January 1.
func sundayWeek(t time.Time) (year, week int) {
	saturday := t.AddDate(0, 0, 6-int(t.Weekday())) // the week belongs to the year of its last day
	return saturday.Year(), (saturday.YearDay()-1)/7 + 1
}

// ordinalIf is n, as "1st" where the token asks for it.
func ordinalIf(token string, n int) string {
	s := strconv.Itoa(n)
	if !strings.HasSuffix(token, "o") {
		return s
	}
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return s + "th"
	case n%10 == 1:
		return s + "st"
	case n%10 == 2:
		return s + "nd"
	case n%10 == 3:
		return s + "rd"
	}
	return s + "th"
}
