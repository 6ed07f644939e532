package vault

import (
	"bytes"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// TaskChange is what becomes of a task. Nil keeps what is there.
type TaskChange struct {
	Status *rune   // the character between the brackets
	Text   *string // what stands behind them, the block's id apart
	Today  time.Time
}

// Task is one task, as its line says it.
type Task struct {
	Status     rune
	Text       string // without the block's id
	Line       int
	Start, End int // span of the line, without its break

	prefix string // up to and with "["
	after  string // from "]" up to the text
	id     string // " ^id" and blanks at the end
}

// The statuses that have a meaning of their own; any other character is one of the person's.
const (
	TaskTodo       = ' '
	TaskDone       = 'x'
	TaskInProgress = '/'
	TaskCancelled  = '-'
)

// ParseTaskStatus reads a status: a name, or the character itself.
func ParseTaskStatus(s string) (rune, bool) {
	switch strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(s)) {
	case "todo", "open", "to do":
		return TaskTodo, true
	case "done", "completed", "complete":
		return TaskDone, true
	case "in progress", "doing", "started":
		return TaskInProgress, true
	case "cancelled", "canceled":
		return TaskCancelled, true
	}
	r, n := utf8.DecodeRuneInString(s)
	return r, n == len(s) && n > 0 && r != utf8.RuneError && r != '\n' && r != '\r' && r != ']'
}

var taskLine = regexp.MustCompile(`^([\s>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[)([^\r\n])(\][ \t]*)(.*)$`)

// taskAt reads the task on the line that begins at offset start.
func taskAt(note []byte, start int) (Task, bool) {
	end := lineEnd(note, start)
	if end > start && note[end-1] == '\r' {
		end--
	}
	m := taskLine.FindSubmatch(note[start:end])
	if m == nil || len(m[4]) > 0 && len(m[3]) == 1 {
		return Task{}, false
	}
	r, n := utf8.DecodeRune(m[2])
	if r == utf8.RuneError && n == 1 {
		return Task{}, false
	}
	t := Task{Status: r, Line: lineAt(note, start), Start: start, End: end, prefix: string(m[1]), after: string(m[3])}
	text := m[4]
	if _, at, ok := blockID(text); ok {
		at = len(bytes.TrimRight(text[:at], " \t"))
		t.id, text = string(text[at:]), text[:at]
	}
	t.Text = string(text)
	return t, true
}

// FindTask finds a task by its line, or by its block's id. What is no task is NotFound (details: near, lines of tasks).
func FindTask(note []byte, line int, id string) (Task, error) {
	n := Parse("", note)
	start := -1
	switch b, ok := n.Block(id); {
	case id != "" && ok:
		start = b.Start
	case id == "" && line >= 1:
		start = bomLength(note)
		for i := 1; i < line && start >= 0; i++ {
			if next := nextLine(note, start); next < len(note) {
				start = next
			} else {
				start = -1
			}
		}
	}
	if start >= 0 && start >= n.BodyStart {
		if t, ok := taskAt(note, start); ok {
			return t, nil
		}
	}
	near := make([]map[string]any, 0, maxNear)
	for at := n.BodyStart; at < len(note) && len(near) < maxNear; at = nextLine(note, at) {
		if t, ok := taskAt(note, at); ok {
			near = append(near, map[string]any{"line": t.Line, "text": showLine(note[t.Start:t.End])})
		}
	}
	what := "line is no task"
	if id != "" {
		what = "block is no task"
	}
	return Task{}, Errorf(NotFound, "that %s", what).Next("Use the line or the block id of one of the note's tasks.").
		With("missing", "task").With("near", near)
}

// ChangeTask changes the task on one line as Obsidian Tasks does: the date on which it is done or cancelled is written and taken away, and
// of a recurring task that becomes done, the next one is put on the line above. warnings say what was not understood.
func ChangeTask(note []byte, t Task, c TaskChange) (e Edit, warnings []string, err error) {
	if c.Text != nil {
		if strings.ContainsAny(*c.Text, "\r\n") || strings.TrimSpace(*c.Text) == "" {
			return Edit{}, nil, Errorf(InvalidArgument, "the text of a task is one line that is not empty").With("field", "text")
		}
		text := strings.TrimSpace(*c.Text)
		if id, at, ok := blockID([]byte(text)); ok && strings.EqualFold(strings.TrimSpace(t.id), "^"+string(id)) {
			text = strings.TrimSpace(text[:at])
		}
		t.Text = text
		if t.after == "]" {
			t.after = "] "
		}
	}
	was := t.Status
	next := ""
	if c.Status != nil {
		t.Status = *c.Status
		fields := taskFields(t.Text)
		if done(t.Status) && !done(was) {
			next, warnings = fields.next(t, c.Today)
		}
		t.Text = fields.stamp(was, t.Status, c.Today)
		if next != "" {
			next += lineEnding(note, "")
		}
		if done(t.Status) && !done(was) && fields.deleted() {
			end := nextLine(note, t.End)
			if end == len(note) && !endsLine(note) {
				next = strings.TrimRight(next, "\r\n")
			}
			return Edit{t.Start, end, next}, warnings, nil
		}
	}
	return Edit{t.Start, t.End, next + t.String()}, warnings, nil
}

// String is the task's line.
func (t Task) String() string { return t.prefix + string(t.Status) + t.after + t.Text + t.id }

func done(status rune) bool { return status == 'x' || status == 'X' }
