package index

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/search"
)

// Codes of problems that the index finds beside those of vault.Parse.
const (
	ProblemUnreadable = "unreadable"
	ProblemTooLarge   = "too_large"
	ProblemEncrypted  = "encrypted"
)

// read reads a file and works out what it says; nil if it is gone. A file that cannot be read is stored as such, so that it is listed
// and counted: an error is a context that ended, or a provider that does not answer.
func (ix *Index) read(ctx context.Context, j job) (*loaded, error) {
	e := j.entry
	canvas := e.Path.Ext() == ".canvas"
	if !e.Path.IsNote() && !canvas {
		return attachment(e, j.gen), nil
	}
	f, err := ix.vault.Read(ctx, e.Path)
	switch {
	case err == nil && canvas:
		return understandCanvas(f, j.gen), nil
	case err == nil:
		return understand(f, j.gen), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, vault.NotFound):
		ix.removeAt(e.Path, j.gen)
		return nil, nil
	case errors.Is(err, vault.ProviderUnavailable), errors.Is(err, vault.ProviderRateLimited):
		return nil, fmt.Errorf("index a note: %w", err)
	case canvas:
		return attachment(e, j.gen), nil
	default:
		return unread(e, j.gen, err), nil
	}
}

// attachment is a file of which only the name is known.
func attachment(e vault.Entry, gen uint64) *loaded {
	fact := &Fact{Entry: e, Title: vault.EscapeHidden(e.Path.Name())}
	return &loaded{fact: fact, gen: gen, doc: search.Doc{Path: e.Path, Attachment: true, Modified: millis(e), Created: created(e)}}
}

// understandCanvas finds the links of a canvas. One that cannot be read has none, and says why.
func understandCanvas(f vault.File, gen uint64) *loaded {
	l := attachment(f.Entry, gen)
	c, err := vault.ParseCanvas(f.Body)
	if err != nil {
		l.fact.Problems = []vault.Problem{{Code: vault.ProblemCanvas, Message: vault.AsError(err).Message}}
		return l
	}
	l.fact.Problems, l.links = c.Problems, c.Links(f.Body)
	return l
}

// understand parses a file that was read. Of an encrypted one only the name is known.
func understand(f vault.File, gen uint64) *loaded {
	if format, ok := vault.Encrypted(f.Path, f.Body); ok {
		problem := vault.Problem{Code: ProblemEncrypted, Message: "the note is encrypted on a device (" + format + "); only its name is known here"}
		l := bare(f.Entry, gen, problem)
		l.fact.Encrypted, l.doc.Encrypted = true, true
		return l
	}
	note := vault.Parse(f.Path, f.Body)
	fact := &Fact{Entry: f.Entry, Title: vault.EscapeHidden(note.Title), Tags: note.Tags, Problems: note.Problems, Note: true, Digest: vault.DigestProperties(note.Properties)}
	return &loaded{fact: fact, gen: gen, doc: document(note, f, fact), note: note}
}

func unread(e vault.Entry, gen uint64, err error) *loaded {
	p := vault.Problem{Code: ProblemUnreadable, Message: "the note cannot be read: " + vault.AsError(err).Message}
	if errors.Is(err, vault.NoteTooLarge) {
		p = vault.Problem{Code: ProblemTooLarge, Message: vault.AsError(err).Message}
	}
	l := bare(e, gen, p)
	l.fact.Unread = true
	return l
}

// bare is a note of which only the name is known.
func bare(e vault.Entry, gen uint64, p vault.Problem) *loaded {
	return &loaded{
		fact: &Fact{Entry: e, Title: vault.EscapeHidden(e.Path.Name()), Problems: []vault.Problem{p}, Note: true},
		gen:  gen,
		doc:  search.Doc{Path: e.Path, Modified: millis(e), Created: created(e), Problems: []string{p.Code}},
		note: &vault.Note{Path: e.Path},
	}
}

// removeAt forgets a path that vanished between listing and reading, unless it has come back since.
func (ix *Index) removeAt(p vault.Path, gen uint64) {
	ix.mu.RLock()
	same := ix.gens[p] == gen
	ix.mu.RUnlock()
	if same {
		ix.remove(p)
	}
}

func document(n *vault.Note, f vault.File, fact *Fact) search.Doc {
	body := f.Body
	if len(body) > vault.MaxIndexed {
		body = body[:vault.MaxIndexed]
	}
	d := search.Doc{
		Path: n.Path, Title: n.Title, Aliases: n.Aliases, Tags: n.Tags,
		Body: body[min(n.BodyStart, len(body)):], Modified: millis(f.Entry), Created: created(f.Entry), Problems: codes(fact.Problems),
	}
	for _, h := range n.Headings {
		d.Headings = append(d.Headings, h.Text)
	}
	for _, p := range n.Properties {
		d.Properties = append(d.Properties, search.Property{Key: p.Key, Values: texts(nil, p.Value)})
	}
	return d
}

// texts are the values of a property as a person would type them into a search.
func texts(dst []string, v any) []string {
	switch v := v.(type) {
	case nil:
		return dst
	case string:
		return append(dst, v)
	case bool:
		return append(dst, strconv.FormatBool(v))
	case []any:
		for _, e := range v {
			dst = texts(dst, e)
		}
		return dst
	case vault.Properties:
		for _, p := range v {
			dst = texts(dst, p.Value)
		}
		return dst
	default:
		return append(dst, fmt.Sprint(v))
	}
}

func codes(ps []vault.Problem) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.Code)
	}
	return out
}

func millis(e vault.Entry) int64 { return e.ModifiedAt.UnixMilli() }

func created(e vault.Entry) int64 {
	if e.CreatedAt.IsZero() {
		return 0
	}
	return e.CreatedAt.UnixMilli()
}
