package vault

import (
	"strings"
	"unicode/utf8"
)

// task notes the task that the text of a list item begins with, if it is one: "[ ] ". at is where the line begins, p its text.
func (s *scanner) task(at, p, end int) {
	b := s.b[:end]
	if len(b)-p < 3 || b[p] != '[' {
		return
	}
	r, n := rune(b[p+1]), 1
	if r >= utf8.RuneSelf {
		if r, n = utf8.DecodeRune(b[p+1:]); r == utf8.RuneError {
			return
		}
	}
	closer := p + 1 + n
	if closer >= len(b) || b[closer] != ']' || closer+1 < len(b) && !isSpace(b[closer+1]) {
		return
	}
	text := closer + 1
	for text < len(b) && isSpace(b[text]) {
		text++
	}
	line := string(b[at:end])
	t := Task{Status: r, Line: s.line, Start: at, End: end, prefix: line[:p+1-at], after: line[closer-at : text-at], Text: line[text-at:]}
	if _, i, ok := blockID(b[text:]); ok {
		i = len(strings.TrimRight(t.Text[:i], " \t"))
		t.Text, t.id = t.Text[:i], t.Text[i:]
	}
	s.n.Tasks = append(s.n.Tasks, t)
}

// TaskDetails is what the text of a task says, as Obsidian Tasks reads it: by emoji, or by Dataview's [key:: value]. Dates are
// YYYY-MM-DD, and "" where there is none.
type TaskDetails struct {
	Description  string // the text without the fields
	Due          string
	Scheduled    string
	Start        string
	Created      string
	Done         string
	Cancelled    string
	Priority     string // highest, high, medium, low, lowest, or ""
	Recurrence   string // "every week"
	OnCompletion string
	ID           string
	DependsOn    []string // ids of other tasks
	Fields       []InlineField
}

// InlineField is one "key:: value" in a text.
type InlineField struct {
	Key, Value string
	Start, End int // span in the text, with its brackets
}

var priorities = []struct{ mark, name string }{{"🔺", "highest"}, {"⏫", "high"}, {"🔼", "medium"}, {"🔽", "low"}, {"⏬", "lowest"}}

// Details reads the task's text.
func (t Task) Details() TaskDetails {
	d := TaskDetails{Fields: InlineFields(t.Text)}
	rest := t.Text
	for _, p := range priorities {
		if i := strings.Index(rest, p.mark); i >= 0 {
			if d.Priority == "" {
				d.Priority = p.name
			}
			after := strings.TrimPrefix(rest[i+len(p.mark):], "\uFE0F")
			rest = strings.TrimRight(rest[:i], " \t") + after
		}
	}
	text := taskFields(rest)
	names := make([]string, 0, len(text.fields))
	for _, f := range text.fields {
		names = append(names, f.name)
		d.take(f)
	}
	d.Description = strings.TrimSpace(text.without(strings.Join(names, " ")))
	return d
}

func (d *TaskDetails) take(f taskField) {
	dates := map[string]*string{
		"due": &d.Due, "scheduled": &d.Scheduled, "start": &d.Start, "created": &d.Created, "completion": &d.Done, "cancelled": &d.Cancelled,
	}
	switch to := dates[f.name]; {
	case to != nil && !f.date.IsZero() && *to == "":
		*to = f.value
	case to != nil:
	case f.name == "repeat":
		d.Recurrence = f.value
	case f.name == "onCompletion":
		d.OnCompletion = f.value
	case f.name == "id":
		d.ID = f.value
	case f.name == "priority":
		d.Priority = strings.ToLower(f.value)
	case f.name == "dependsOn":
		for id := range strings.SplitSeq(f.value, ",") {
			if id = strings.TrimSpace(id); id != "" {
				d.DependsOn = append(d.DependsOn, id)
			}
		}
	}
}

// InlineFields finds Dataview's fields in one line: "key:: value" as the whole of it, else each [key:: value] and (key:: value).
func InlineFields(line string) []InlineField {
	if !strings.Contains(line, "::") {
		return nil
	}
	var fields []InlineField
	for i := 0; i < len(line); i++ {
		closer := byte(']')
		switch line[i] {
		case '(':
			closer = ')'
			fallthrough
		case '[':
			if f, ok := bracketField(line, i, closer); ok {
				fields = append(fields, f)
				i = f.End - 1
			}
		}
	}
	if fields != nil {
		return fields
	}
	key, value, _ := strings.Cut(line, "::")
	lead := len(line) - len(strings.TrimLeft(line, " \t"))
	if key = strings.Trim(key, " \t*_"); fieldKey(key) {
		fields = append(fields, InlineField{Key: key, Value: strings.TrimSpace(value), Start: lead, End: len(strings.TrimRight(line, " \t\r\n"))})
	}
	return fields
}

// bracketField reads the field in the bracket at i. Brackets inside its value, such as those of a link, come in pairs.
func bracketField(line string, i int, closer byte) (InlineField, bool) {
	const most = 1 << 10 // bytes of a field
	rest := line[i+1 : min(len(line), i+most)]
	sep := strings.Index(rest, "::")
	if sep < 0 || !fieldKey(strings.Trim(rest[:sep], " \t*_")) {
		return InlineField{}, false
	}
	depth := 0
	for j := sep + 2; j < len(rest); j++ {
		switch rest[j] {
		case line[i]:
			depth++
		case closer:
			if depth--; depth < 0 {
				return InlineField{strings.Trim(rest[:sep], " \t*_"), strings.TrimSpace(rest[sep+2 : j]), i, i + 1 + j + 1}, true
			}
		}
	}
	return InlineField{}, false
}

func fieldKey(key string) bool {
	return key != "" && len(key) <= 64 && !strings.ContainsAny(key, "[](){}`#|<>,;:\n") && utf8.ValidString(key)
}
