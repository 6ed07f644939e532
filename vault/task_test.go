package vault

import (
	"errors"
	"testing"
	"time"
)

var taskDay = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func TestChangeTask(t *testing.T) {
	tests := []struct{ name, line, status, want string }{
		{"is done with its date", "- [ ] a", "done", "- [x] a ✅ 2026-12-01"},
		{"keeps the block's id last", "- [ ] a ^q", "x", "- [x] a ✅ 2026-12-01 ^q"},
		{"keeps the other fields", "* [ ] a 🔺 📅 2026-12-05 #t", "x", "* [x] a 🔺 📅 2026-12-05 #t ✅ 2026-12-01"},
		{"loses the date when it is open again", "- [x] a ✅ 2026-11-30 ^q", "todo", "- [ ] a ^q"},
		{"stays as it is when it is done already", "- [x] a ✅ 2026-11-30", "done", "- [x] a ✅ 2026-11-30"},
		{"is cancelled with its date", "- [/] a", "cancelled", "- [-] a ❌ 2026-12-01"},
		{"is done after it was cancelled", "- [-] a ❌ 2026-11-30", "x", "- [x] a ✅ 2026-12-01"},
		{"takes a status of its own", "1. [ ] a", ">", "1. [>] a"},
		{"is done in a quote", "> - [ ] a", "x", "> - [x] a ✅ 2026-12-01"},
		{"is done in Dataview's form", "- [ ] a [due:: 2026-12-05]", "x", "- [x] a [due:: 2026-12-05]  [completion:: 2026-12-01]"},
		{"is open again in Dataview's form", "- [x] a  [completion:: 2026-12-01]", "todo", "- [ ] a"},
		{"goes when it is done", "- [ ] a 🏁 delete", "x", ""},
		{"recurs above", "- [ ] a 🔁 every day 📅 2026-12-01 ^q", "x", "- [ ] a 🔁 every day 📅 2026-12-02\n- [x] a 🔁 every day 📅 2026-12-01 ✅ 2026-12-01 ^q"},
		{"moves all its dates alike", "- [ ] a 🔁 every week 🛫 2026-11-28 ⏳ 2026-11-29 📅 2026-11-30", "x",
			"- [ ] a 🔁 every week 🛫 2026-12-05 ⏳ 2026-12-06 📅 2026-12-07\n- [x] a 🔁 every week 🛫 2026-11-28 ⏳ 2026-11-29 📅 2026-11-30 ✅ 2026-12-01"},
		{"counts from the day when it is done", "- [ ] a 🔁 every 10 days when done 📅 2026-11-01", "x",
			"- [ ] a 🔁 every 10 days when done 📅 2026-12-11\n- [x] a 🔁 every 10 days when done 📅 2026-11-01 ✅ 2026-12-01"},
		{"recurs in Dataview's form", "- [ ] a [repeat:: every month] [due:: 2026-01-31]", "x",
			"- [ ] a [repeat:: every month] [due:: 2026-02-28]\n- [x] a [repeat:: every month] [due:: 2026-01-31]  [completion:: 2026-12-01]"},
		{"recurs without dates", "- [ ] a 🔁 every day", "x", "- [ ] a 🔁 every day\n- [x] a 🔁 every day ✅ 2026-12-01"},
		{"leaves only the next one", "- [ ] a 🏁 delete 🔁 every day 📅 2026-12-01", "x", "- [ ] a 🏁 delete 🔁 every day 📅 2026-12-02"},
		{"loses what is its own", "- [ ] a 🔁 every day ➕ 2026-01-01 📅 2026-12-01 🆔 abc", "x",
			"- [ ] a 🔁 every day ➕ 2026-12-01 📅 2026-12-02\n- [x] a 🔁 every day ➕ 2026-01-01 📅 2026-12-01 🆔 abc ✅ 2026-12-01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				note := []byte("# A" + eol + tt.line + eol + "end" + eol)
				task, err := FindTask(note, 2, "")
				if err != nil {
					t.Fatal(err)
				}
				status, ok := ParseTaskStatus(tt.status)
				e, warnings, err := ChangeTask(note, task, TaskChange{Status: &status, Today: taskDay})
				want := "# A" + eol + "end" + eol
				if tt.want != "" {
					want = "# A" + eol + withLineEndings(tt.want, eol) + eol + "end" + eol
				}
				if got := string(Splice(note, []Edit{e})); !ok || err != nil || len(warnings) > 0 || got != want {
					t.Errorf("got %q, %q, %v, want %q", got, warnings, err, want)
				}
			}
		})
	}
}

func TestTaskTextIsReplaced(t *testing.T) {
	note := []byte("- [ ] old 📅 2026-12-05 ^q\n")
	task, err := FindTask(note, 0, "q")
	if err != nil {
		t.Fatal(err)
	}
	text, status := "new ^q", rune('x')
	e, _, err := ChangeTask(note, task, TaskChange{Text: &text, Status: &status, Today: taskDay})
	if got := string(Splice(note, []Edit{e})); err != nil || got != "- [x] new ✅ 2026-12-01 ^q\n" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"", "a\nb"} {
		if _, _, err := ChangeTask(note, task, TaskChange{Text: &bad}); !errors.Is(err, InvalidArgument) {
			t.Errorf("the text %q: %v", bad, err)
		}
	}
}

func TestFindTask(t *testing.T) {
	note := []byte("---\nk: 1\n---\n- [ ] a\n- no task\n- [x] b ^q\n- [ ]c\n- [ ]\n")
	for line, want := range map[int]bool{1: false, 4: true, 5: false, 6: true, 7: false, 8: true, 9: false, 0: false} {
		task, err := FindTask(note, line, "")
		if (err == nil) != want || err == nil && task.Line != line || err != nil && !errors.Is(err, NotFound) {
			t.Errorf("FindTask(line %d) = %+v, %v", line, task, err)
		}
	}
	if task, err := FindTask(note, 0, "^Q"); err != nil || task.Line != 6 || task.Status != 'x' || task.Text != "b" {
		t.Errorf("FindTask(block q) = %+v, %v", task, err)
	}
	if _, err := FindTask(note, 0, "z"); !errors.Is(err, NotFound) {
		t.Errorf("FindTask(block z) = %v", err)
	}
}

func TestRecurrence(t *testing.T) {
	tests := []struct{ rule, from, want string }{
		{"every day", "2026-12-31", "2027-01-01"},
		{"every 3 days", "2026-12-01", "2026-12-04"},
		{"every week", "2026-12-01", "2026-12-08"},
		{"every 2 weeks", "2026-12-01", "2026-12-15"},
		{"every weekday", "2026-12-04", "2026-12-07"},
		{"every Monday", "2026-12-01", "2026-12-07"},
		{"every monday, thursday", "2026-12-01", "2026-12-03"},
		{"every week on Sunday", "2026-12-01", "2026-12-06"},
		{"every 2 weeks on Monday, Friday", "2026-12-04", "2026-12-14"},
		{"every month", "2026-12-31", "2027-01-31"},
		{"every month", "2027-01-31", "2027-02-28"},
		{"every 6 months", "2026-08-31", "2027-02-28"},
		{"every month on the 15th", "2026-12-15", "2027-01-15"},
		{"every month on the 31st", "2027-01-31", "2027-03-31"},
		{"every month on the 1st and 15th", "2026-12-01", "2026-12-15"},
		{"every month on the last", "2027-01-31", "2027-02-28"},
		{"every month on the 2nd Tuesday", "2026-12-08", "2027-01-12"},
		{"every month on the last Friday", "2026-12-01", "2026-12-25"},
		{"every month on the 2nd last Friday", "2026-12-01", "2026-12-18"},
		{"every year", "2028-02-29", "2029-02-28"},
		{"every 2 years", "2026-12-01", "2028-12-01"},
		{"every January on the 15th", "2026-12-01", "2027-01-15"},
		{"every April", "2026-04-10", "2027-04-10"},
		{"EVERY  day when done", "2026-12-01", "2026-12-02"},
	}
	for _, tt := range tests {
		r, ok := parseRecurrence(tt.rule)
		if got, ok2 := r.after(parseDay(tt.from)); !ok || !ok2 || got.Format(time.DateOnly) != tt.want {
			t.Errorf("%s after %s is %s, %t, %t, want %s", tt.rule, tt.from, got.Format(time.DateOnly), ok, ok2, tt.want)
		}
	}
	for _, rule := range []string{"", "daily", "every", "every 0 days", "every blue moon", "every day on Monday", "every month on the 32nd", "every week on the 3rd"} {
		if r, ok := parseRecurrence(rule); ok {
			t.Errorf("%q is the rule %+v", rule, r)
		}
	}
	note := []byte("- [ ] a 🔁 every blue moon 📅 2026-12-01\n")
	task, _ := FindTask(note, 1, "")
	status := rune('x')
	e, warnings, err := ChangeTask(note, task, TaskChange{Status: &status, Today: taskDay})
	if got := string(Splice(note, []Edit{e})); err != nil || len(warnings) != 1 || got != "- [x] a 🔁 every blue moon 📅 2026-12-01 ✅ 2026-12-01\n" {
		t.Errorf("a rule that is not understood: %q, %q, %v", got, warnings, err)
	}
}

// FuzzChangeTask: a task that changes touches its line and nothing else, and done and open again is as before but for the date.
func FuzzChangeTask(f *testing.F) {
	f.Add("# A\n- [ ] a 🔁 every 2 weeks on Monday 📅 2026-12-01 ^q\nb", 2, "done", "new")
	f.Add("> 1. [x] a [repeat:: every month on the last] [due:: 2026-12-01] [completion:: 2026-11-30]\r\n", 1, "todo", "")
	f.Fuzz(func(t *testing.T, note string, line int, status, text string) {
		body := []byte(note)
		task, err := FindTask(body, line, "")
		if err != nil {
			return
		}
		if task.String() != note[task.Start:task.End] {
			t.Fatalf("the task of line %d of %q is %q", line, note, task)
		}
		c := TaskChange{Today: taskDay}
		if r, ok := ParseTaskStatus(status); ok {
			c.Status = &r
		}
		if text != "" {
			c.Text = &text
		}
		e, _, err := ChangeTask(body, task, c)
		if err != nil {
			return
		}
		if e.Start != task.Start || e.End < task.End || e.End > nextLine(body, task.End) {
			t.Fatalf("ChangeTask(%q, line %d) touches %d to %d", note, line, e.Start, e.End)
		}
		got := Splice(body, []Edit{e})
		if c.Status == nil && c.Text == nil && string(got) != note {
			t.Fatalf("a task without a change became %q, was %q", got, note)
		}
		Parse("", got)
	})
}
