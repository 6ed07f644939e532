package search

import (
	"context"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

const (
	usualLimit = 10
	usualReads = 200
	mostHits   = 1 << 30
)

// Search answers q from one state of the index. Filters, phrases and what must not be there are strict. Words are evidence: a note
// matches in full if it holds each of them but for the common ones, and in part if it holds enough of them; partial matches count
// when there are fewer than ten full ones. The order is deterministic: by relevance, in which missing words are weighed; or full
// matches before partial ones, then by q.Sort; then by path. src may be nil: then phrases match wherever their words are, and TotalIsExact is false.
//
// A text that holds neither words nor filters finds nothing; an empty one lists.
//
// Errors are those of Parse and of ctx.
func (ix *Index) Search(ctx context.Context, q Query, src Source) (Page, error) {
	parsed, err := Parse(q.Text)
	if err != nil {
		return Page{}, err
	}
	q.complete()
	st := ix.state.Load()
	d := ix.desks.Get().(*desk)
	defer ix.desks.Put(d)
	s := &run{desk: d, q: &q, src: src, page: Page{Parsed: parsed, TotalIsExact: true}}
	if err := s.search(ctx, st); err != nil {
		return Page{}, err
	}
	return s.page, nil
}

func (q *Query) complete() {
	if q.Limit <= 0 {
		q.Limit = usualLimit
	}
	q.Limit, q.Offset = min(q.Limit, mostHits), min(max(q.Offset, 0), mostHits)
	q.PathPrefix = vault.Path(strings.TrimSuffix(string(q.PathPrefix), "/"))
	if q.MaxReads <= 0 {
		q.MaxReads = usualReads
	}
}

// run is one search.
type run struct {
	*desk
	q     *Query
	src   Source
	pl    *plan
	page  Page
	reads int
}

func (s *run) search(ctx context.Context, st *state) error {
	parsed := &s.page.Parsed
	if s.q.Sort == ByRelevance && parsed.Empty() {
		s.q.Sort = ByModified
	}
	if parsed.Blank() && strings.TrimSpace(s.q.Text) != "" {
		return nil
	}
	if err := s.match(ctx, st); err != nil {
		return err
	}
	if len(s.found) == 0 {
		if err := s.explain(ctx, st); err != nil {
			return err
		}
	}
	if s.pl.cut || parsed.Dropped > 0 {
		s.page.TotalIsExact = false
	}
	s.page.Total = len(s.found)
	s.fill()
	return nil
}

// match finds what matches.
func (s *run) match(ctx context.Context, st *state) error {
	s.pl = s.plan(st, s.q, &s.page.Parsed)
	s.found = s.found[:0]
	err := s.all(ctx, s.pl)
	if err == nil {
		err = s.check(ctx, 0)
	}
	s.page.Full = len(s.found)
	if err == nil && s.page.Full < fewestHits && s.correct(&s.page.Parsed) {
		s.found = s.found[:0]
		if err = s.all(ctx, s.pl); err == nil {
			err = s.check(ctx, 0)
		}
	}
	all := len(s.found)
	if err == nil && all < fewHits && len(s.pl.groups) > 1 {
		if err = s.some(ctx, s.pl); err == nil {
			err = s.check(ctx, all)
		}
	}
	if err != nil || s.page.Full > 0 {
		return err
	}
	s.page.DidYouMean = s.suggest(all)
	for g := range s.pl.groups {
		if w := &s.pl.groups[g]; w.df == 0 {
			s.page.Missing = append(s.page.Missing, w.terms...)
		}
	}
	return nil
}

// explain says why nothing matches; where the folder is written otherwise, it searches that one.
func (s *run) explain(ctx context.Context, st *state) error {
	asked := s.q.PathPrefix
	if asked != "" {
		switch same, near := s.folder(asked); {
		case same == "":
			s.page.Unmet = append(s.page.Unmet, Unmet{Kind: "folder", Name: string(asked), Near: string(near)})
		case same != asked:
			s.page.Folder, s.q.PathPrefix = same, same
			s.page.Corrections, s.page.Missing = nil, nil
			for g := range s.page.Parsed.groups {
				s.page.Parsed.groups[g].typos = nil
			}
			if err := s.match(ctx, st); err != nil || len(s.found) > 0 {
				return err
			}
		}
	}
	s.page.Unmet = append(s.page.Unmet, s.unmet()...)
	return nil
}

// fill puts the hits that were asked for on the page.
func (s *run) fill() {
	top := s.best(s.found, s.q.Offset+s.q.Limit)
	for _, c := range top[min(s.q.Offset, len(top)):] {
		p := &s.pl.st.parts[c.part]
		h := Hit{
			Path: p.path(c.doc), Title: p.title(c.doc), Tags: p.tags(c.doc), Problems: p.problems(c.doc),
			Modified: p.modified[c.doc], Created: p.created[c.doc], Partial: c.partial,
			Attachment: p.flags[c.doc]&flagAttachment != 0, Encrypted: p.flags[c.doc]&flagEncrypted != 0,
		}
		if !s.page.Parsed.Empty() {
			h.Score = float64(c.score)
		}
		s.page.Hits = append(s.page.Hits, h)
	}
}
