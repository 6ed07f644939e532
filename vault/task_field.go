package vault

import (
	"regexp"
	"strings"
	"time"
)

// taskField is one of the fields that Obsidian Tasks reads from a task.
type taskField struct {
	name       string
	start, end int // span in the text, with the blanks before it
	value      string
	date       time.Time // zero if it has none
	valueStart int
}

// taskText is a task's text with its fields, in the form that it uses: emoji, or Dataview's [key:: value].
type taskText struct {
	text     string
	fields   []taskField
	dataview bool
}

// emoji are the marks of Obsidian Tasks; some are written in two ways.
var emoji = []struct{ mark, name string }{
	{"📅", "due"}, {"📆", "due"}, {"🗓", "due"}, {"⏳", "scheduled"}, {"⌛", "scheduled"}, {"🛫", "start"}, {"➕", "created"},
	{"✅", "completion"}, {"❌", "cancelled"}, {"🔁", "repeat"}, {"🏁", "onCompletion"}, {"🆔", "id"}, {"⛔", "dependsOn"},
	{"🔺", "priority"}, {"⏫", "priority"}, {"🔼", "priority"}, {"🔽", "priority"}, {"⏬", "priority"},
}

var (
	dataviewField = regexp.MustCompile(`[ \t]*[\[(](due|scheduled|start|created|completion|cancelled|repeat|onCompletion|id|dependsOn|priority)::[ \t]*([^\])]*)[\])]`)
	emojiDate     = regexp.MustCompile("^\ufe0f?[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2})")
	emojiRule     = regexp.MustCompile("^\ufe0f?[ \t]*([a-zA-Z0-9, !]+)")
	emojiWord     = regexp.MustCompile("^\ufe0f?[ \t]*([a-zA-Z0-9_-]+(?:[ \t]*,[ \t]*[a-zA-Z0-9_-]+)*)")
)

func taskFields(text string) taskText {
	t := taskText{text: text}
	for _, m := range dataviewField.FindAllStringSubmatchIndex(text, -1) {
		value := strings.TrimSpace(text[m[4]:m[5]])
		t.fields = append(t.fields, taskField{name: text[m[2]:m[3]], start: m[0], end: m[1], value: value, date: parseDay(value), valueStart: m[4]})
		t.dataview = true
	}
	for at := range text {
		for _, e := range emoji {
			if !strings.HasPrefix(text[at:], e.mark) {
				continue
			}
			rest := text[at+len(e.mark):]
			pattern := emojiDate
			switch e.name {
			case "repeat":
				pattern = emojiRule
			case "onCompletion", "id", "dependsOn":
				pattern = emojiWord
			case "priority":
				continue
			}
			m := pattern.FindStringSubmatchIndex(rest)
			if m == nil {
				continue
			}
			start := len(strings.TrimRight(text[:at], " \t"))
			value := strings.TrimRight(rest[m[2]:m[3]], " \t")
			valueStart := at + len(e.mark) + m[2]
			t.fields = append(t.fields, taskField{name: e.name, start: start, end: valueStart + len(value), value: value, date: parseDay(value), valueStart: valueStart})
			t.dataview = false
		}
	}
	return t
}

func parseDay(s string) time.Time {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}
	}
	return d
}

func (t taskText) field(name string) (taskField, bool) {
	for _, f := range t.fields {
		if f.name == name {
			return f, true
		}
	}
	return taskField{}, false
}

// without is the text with the fields of some names taken out.
func (t taskText) without(names string) string {
	var edits []Edit
	for _, f := range t.fields {
		if strings.Contains(" "+names+" ", " "+f.name+" ") {
			edits = append(edits, Edit{f.start, f.end, ""})
		}
	}
	return strings.TrimLeft(string(Splice([]byte(t.text), edits)), " \t")
}

// stamp writes the date of a change from one status to another, and takes away what no longer holds.
func (t taskText) stamp(from, to rune, today time.Time) string {
	text := t.text
	switch {
	case done(from) && !done(to):
		text = t.without("completion")
	case from == TaskCancelled && to != TaskCancelled:
		text = t.without("cancelled")
	}
	switch {
	case done(to) && !done(from):
		return taskFields(text).with("completion", "✅", today)
	case to == TaskCancelled && from != TaskCancelled:
		return taskFields(text).with("cancelled", "❌", today)
	}
	return text
}

// with adds a date behind the text, in the form that the text uses. One that is there already is set.
func (t taskText) with(name, mark string, day time.Time) string {
	date := day.Format(time.DateOnly)
	if f, ok := t.field(name); ok {
		return t.text[:f.valueStart] + date + t.text[f.valueStart+len(f.value):]
	}
	text := strings.TrimRight(t.text, " \t")
	if t.dataview {
		return text + "  [" + name + ":: " + date + "]"
	}
	return strings.TrimLeft(text+" "+mark+" "+date, " ")
}

// deleted reports whether the task is to go when it is done.
func (t taskText) deleted() bool {
	f, ok := t.field("onCompletion")
	return ok && strings.EqualFold(f.value, "delete")
}

// next is the line of the next task of a recurring one; "" if there is none.
func (t taskText) next(task Task, today time.Time) (line string, warnings []string) {
	f, ok := t.field("repeat")
	if !ok {
		return "", nil
	}
	rule, ok := parseRecurrence(f.value)
	if !ok {
		return "", []string{"the recurrence " + quotePath(f.value) + " is not understood: no next task was made"}
	}
	var reference time.Time
	for _, name := range []string{"due", "scheduled", "start"} {
		if d, ok := t.field(name); ok && !d.date.IsZero() {
			reference = d.date
			break
		}
	}
	var edits []Edit
	if !reference.IsZero() {
		from := reference
		if rule.whenDone {
			from = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
		}
		to, ok := rule.after(from)
		if !ok {
			return "", []string{"the recurrence " + quotePath(f.value) + " has no next date: no next task was made"}
		}
		shift := to.Sub(reference)
		for _, d := range t.fields {
			switch d.name {
			case "due", "scheduled", "start":
				if !d.date.IsZero() {
					edits = append(edits, Edit{d.valueStart, d.valueStart + len(d.value), d.date.Add(shift).Format(time.DateOnly)})
				}
			}
		}
	}
	for _, d := range t.fields {
		switch d.name {
		case "completion", "cancelled", "id", "dependsOn":
			edits = append(edits, Edit{d.start, d.end, ""})
		case "created":
			edits = append(edits, Edit{d.valueStart, d.valueStart + len(d.value), today.Format(time.DateOnly)})
		}
	}
	task.Status, task.id = TaskTodo, ""
	task.Text = strings.TrimLeft(string(Splice([]byte(t.text), edits)), " \t")
	return task.String(), nil
}
