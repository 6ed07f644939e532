package search

import "github.com/notelatch/notelatch/vault"

// Doc is what the index learns about one file of a vault.
type Doc struct {
	Path       vault.Path
	Title      string // "" is the name of the file
	Aliases    []string
	Headings   []string
	Tags       []string // without "#"
	Properties []Property
	Links      []string // texts of links that point to the note, where the caller knows them
	Body       []byte   // the text after the frontmatter; not kept
	Modified   int64    // Unix milliseconds
	Created    int64    // Unix milliseconds; 0 where it is not known
	Attachment bool
	Encrypted  bool     // Body is ignored
	Problems   []string // codes
}

// Property is one key of the frontmatter with its values as text.
type Property struct {
	Key    string
	Values []string
}

// Source returns the whole file at p, frontmatter included. Search calls it for phrases only, at most Query.MaxReads times; a note
// whose Source fails does not match a phrase.
type Source func(p vault.Path) ([]byte, error)

// Flags of a document.
const (
	flagAttachment = 1 << iota
	flagEncrypted
	flagProblem
)

func (d *Doc) flags() uint8 {
	var f uint8
	if d.Attachment {
		f |= flagAttachment
	}
	if d.Encrypted {
		f |= flagEncrypted
	}
	if len(d.Problems) > 0 {
		f |= flagProblem
	}
	return f
}
