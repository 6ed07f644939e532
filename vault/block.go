package vault

import "strings"

// Block is a part of a note that has an id: a paragraph, a list item, a heading, or what stands above a line that is only "^id".
type Block struct {
	ID         string // without "^"
	Line       int    // of the first line
	Start, End int    // span with the id, without the last line break
}

// Block finds a block by its id, with or without "^"; case does not matter.
func (n *Note) Block(id string) (Block, bool) {
	id = strings.TrimPrefix(id, "^")
	for _, b := range n.Blocks {
		if strings.EqualFold(b.ID, id) {
			return b, true
		}
	}
	return Block{}, false
}

// blockID is the id that text ends with: "^", then letters, digits and hyphens, at the start or after a blank.
func blockID(text []byte) (id []byte, at int, ok bool) {
	i := len(text)
	for i > 0 && (isSpace(text[i-1]) || text[i-1] == '\n') {
		i--
	}
	text = text[:i]
	for i > 0 && (isLetter(text[i-1]) || isDigit(text[i-1]) || text[i-1] == '-') {
		i--
	}
	if i == len(text) || i == 0 || text[i-1] != '^' {
		return nil, 0, false
	}
	if i >= 2 && !isSpace(text[i-2]) && text[i-2] != '\n' {
		return nil, 0, false
	}
	return text[i:], i - 1, true
}
