package vault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/vault"
)

func TestFormatMoment(t *testing.T) {
	when := time.Date(2026, 2, 3, 0, 5, 9, 47_000_000, time.FixedZone("", -5400)) // a Tuesday
	for format, want := range map[string]string{
		"YYYY-MM-DD": "2026-02-03", "YY M D": "26 2 3", "dddd, MMMM Do YYYY": "Tuesday, February 3rd 2026", "ddd dd d e E": "Tue Tu 2 2 2", "MMM Mo": "Feb 2nd",
		"[Week] ww": "Week 06", "gggg-[W]ww": "2026-W06", "GGGG-[W]WW": "2026-W06", "DDDD DDDo": "034 34th", "Q Qo": "1 1st",
		"HH:mm:ss.SSS": "00:05:09.047", "h:mm A": "12:05 AM", "k a": "24 am", "Z ZZ": "-01:30 -0130", "X": "1770082509", "[YYYY": "[2026",
		"YYYY/MM/[D] D": "2026/02/D 3", "\\YYYY": "Y262026", "L LT": "02/03/2026 12:05 AM",
	} {
		if got := vault.FormatMoment(when, format); got != want {
			t.Errorf("FormatMoment(%q) = %q, want %q", format, got, want)
		}
	}
	for day, want := range map[string]string{"2025-12-27": "2025-52 2025-52", "2025-12-28": "2026-1 2025-52", "2025-12-31": "2026-1 2026-1", "2026-01-01": "2026-1 2026-1", "2027-01-01": "2027-1 2026-53", "2027-01-03": "2027-2 2026-53"} {
		d, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := vault.FormatMoment(d, "gggg-w GGGG-W"); got != want {
			t.Errorf("the weeks of %s are %s, want %s", day, got, want)
		}
	}
}

func TestDailyPath(t *testing.T) {
	when := time.Date(2026, 12, 1, 23, 59, 0, 0, time.UTC)
	for settings, want := range map[string]string{
		"":                   "2026-12-01.md",
		`{"folder":"Daily"}`: "Daily/2026-12-01.md",
		`{"folder":"/Journal/","format":"YYYY/MM/YYYY-MM-DD dddd"}`: "Journal/2026/12/2026-12-01 Tuesday.md",
		`{"folder":7}`:            "2026-12-01.md",
		`{"format":"[Notes.md]"}`: "Notes.md",
	} {
		if got, err := vault.DailyPath(vault.ParseSettings([]byte(settings), nil).Daily, when); err != nil || string(got) != want {
			t.Errorf("with %s: %q, %v; want %q", settings, got, err, want)
		}
	}
	for _, settings := range []string{`{"folder":"../out"}`, `{"folder":".obsidian"}`, `{"format":"YYYY//MM"}`, `{"format":"[a\\b]"}`} {
		if got, err := vault.DailyPath(vault.ParseSettings([]byte(settings), nil).Daily, when); vault.AsError(err).Code != vault.InvalidArgument || err == nil {
			t.Errorf("with %s: %q, %v; want invalid_argument", settings, got, err)
		}
	}
}

func TestFillTemplate(t *testing.T) {
	when := time.Date(2026, 12, 1, 9, 7, 0, 0, time.UTC)
	s := vault.TemplateSettings{TimeFormat: "H:mm"}
	for template, want := range map[string]string{
		"# {{title}}\n{{date}} {{time}}\n":                                 "# Plan\n2026-12-01 9:07\n",
		"{{date:dddd}} {{time:HH}} {{ Title }} {{DATE}}":                   "Tuesday 09 Plan 2026-12-01",
		"{{other}} {{ {{title}} }} {{date {{title:x}} <% tp.date.now() %>": "{{other}} {{ Plan }} {{date {{title:x}} <% tp.date.now() %>",
		"{{": "{{", "}}{{title": "}}{{title", "": "",
	} {
		if got := vault.FillTemplate(template, s, "Plan", when); got != want {
			t.Errorf("FillTemplate(%q) = %q, want %q", template, got, want)
		}
	}
	hostile := strings.Repeat("{{", 200_000) + "}}"
	if got := vault.FillTemplate(hostile, s, "", when); got != hostile {
		t.Error("braces that mean nothing have changed")
	}
}
