package search

import (
	"bytes"
	"sort"
	"strings"
)

// outline is where the headings of a file stand. It comes from a light scan by lines, which knows frontmatter and fences and nothing
// else of Markdown: enough to say where a passage stands.
type outline struct {
	body  []byte
	start int   // where the text begins, after the frontmatter
	lines []int // where each line begins
	heads []head
}

type head struct {
	at, end int // of its line
	level   int
	text    string
}

func outlineOf(body []byte) *outline {
	o := &outline{body: body}
	fence, matter := "", false
	for at := 0; at < len(body); {
		end := len(body)
		if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		o.lines = append(o.lines, at)
		line := bytes.TrimRight(body[at:end], " \t\r\n")
		switch {
		case at == 0 && string(bytes.TrimPrefix(line, []byte("\ufeff"))) == "---":
			matter = true
		case matter:
			if string(line) == "---" {
				matter, o.start = false, end
			}
		case fence != "":
			if closes(line, fence) {
				fence = ""
			}
		default:
			if fence = opens(line); fence == "" {
				o.take(line, at, end)
			}
		}
		at = end
	}
	if matter { // never closed: it is no frontmatter
		o.start = 0
	}
	return o
}

// opens returns the run of backticks or tildes with which line opens a fence, or "".
func opens(line []byte) string {
	line = bytes.TrimLeft(line, " \t>")
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return ""
	}
	return string(line[:n])
}

func closes(line []byte, fence string) bool {
	line = bytes.TrimLeft(line, " \t>")
	return len(line) >= len(fence) && string(line[:len(fence)]) == fence && len(bytes.TrimLeft(line, fence[:1])) == 0
}

// take notes the heading that line is, if it is one.
func (o *outline) take(line []byte, at, end int) {
	line = bytes.TrimLeft(line, " ")
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(line[n:]), "\uFFFD"))
	if i := strings.LastIndex(text, " #"); i >= 0 && strings.Trim(text[i+1:], "#") == "" {
		text = strings.TrimSpace(text[:i])
	}
	o.heads = append(o.heads, head{at: at, end: end, level: n, text: text})
}

// section returns the stretch around at that no heading cuts. A heading stands at the beginning of its section.
func (o *outline) section(at int) (from, to int) {
	i := sort.Search(len(o.heads), func(i int) bool { return o.heads[i].at > at })
	from, to = o.start, len(o.body)
	if i > 0 {
		from = max(from, o.heads[i-1].at)
	}
	if i < len(o.heads) {
		to = o.heads[i].at
	}
	return from, to
}

// heading returns the path of the headings that at stands under; a heading stands under itself.
func (o *outline) heading(at int) string {
	i := sort.Search(len(o.heads), func(i int) bool { return o.heads[i].at > at }) - 1
	var path []string
	for level := 7; i >= 0; i-- {
		if h := o.heads[i]; h.level < level {
			level = h.level
			if h.text != "" {
				path = append([]string{h.text}, path...)
			}
		}
	}
	return strings.Join(path, " > ")
}

// line returns the number of the line that at stands in, from 1.
func (o *outline) line(at int) int {
	return max(1, sort.Search(len(o.lines), func(i int) bool { return o.lines[i] > at }))
}

// beginning returns the first passage that is no heading.
func (o *outline) beginning() (Snippet, bool) {
	at := o.start
	for at < len(o.body) {
		for _, h := range o.heads {
			if h.at == at {
				at = h.end
			}
		}
		rest := o.body[at:]
		if blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")); blank > 0 {
			at += blank
			if i := bytes.LastIndexByte(rest[:blank], '\n'); i >= 0 && at < len(o.body) { // to the beginning of its line
				at = at - blank + i + 1
			}
			if !o.isHead(at) {
				break
			}
			continue
		}
		if !o.isHead(at) {
			break
		}
	}
	if len(bytes.TrimSpace(o.body[min(at, len(o.body)):])) == 0 {
		return Snippet{}, false
	}
	start, end := o.around(spot{start: at, end: at})
	return o.snippet(start, end), true
}

func (o *outline) isHead(at int) bool {
	i := sort.Search(len(o.heads), func(i int) bool { return o.heads[i].at >= at })
	return i < len(o.heads) && o.heads[i].at == at
}
