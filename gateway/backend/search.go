package backend

import (
	"context"
	"strings"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/search"
)

// snippetsPerHit is how many passages of one note an answer shows.
const snippetsPerHit = 2

var orders = map[string]search.Sort{
	"": search.ByRelevance, "relevance": search.ByRelevance, "modified": search.ByModified,
	"created": search.ByCreated, "path": search.ByPath, "title": search.ByTitle,
}

func (o *open) Search(ctx context.Context, r tools.SearchRequest) (tools.SearchAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, wallTime)
	defer cancel()
	fresh, err := o.check(ctx)
	if err != nil {
		return tools.SearchAnswer{}, err
	}
	q := search.Query{
		Text: r.Text, PathPrefix: r.PathPrefix, Tags: r.Tags, Properties: r.Properties,
		Sort: orders[r.Sort], Limit: r.Limit, Offset: r.Offset,
	}
	if !r.ModifiedAfter.IsZero() {
		q.ModifiedAfter = r.ModifiedAfter.UnixMilli()
	}
	cover := o.coverage() // first: what is read meanwhile may be found and not counted, and never the other way round
	page, err := o.index.Search().Search(ctx, q, func(p vault.Path) ([]byte, error) {
		f, err := o.index.Read(ctx, p)
		return f.Body, err
	})
	if err != nil {
		return tools.SearchAnswer{}, err
	}
	a := tools.SearchAnswer{
		Total: page.Total, Full: page.Full, TotalIsExact: page.TotalIsExact && cover.Searched+cover.Encrypted+cover.Unreadable == cover.Of,
		More: r.Offset+len(page.Hits) < page.Total, Coverage: cover, Freshness: fresh,
		DidYouMean: page.DidYouMean, Missing: page.Missing, NoFilters: page.Parsed.Unknown, Folder: page.Folder,
		Blank: page.Parsed.Blank() && strings.TrimSpace(q.Text) != "",
	}
	for _, u := range page.Unmet {
		a.Unmet = append(a.Unmet, tools.Unmet(u))
	}
	if page.Unchecked > 0 {
		a.Bounds = append(a.Bounds, tools.Bound{Limit: "notes read for phrases", Value: maxPhraseReads})
	}
	for _, h := range page.Hits {
		a.Hits = append(a.Hits, o.hit(ctx, h, page.Parsed))
	}
	return a, nil
}

// maxPhraseReads is the bound that vault/search puts on Query.MaxReads by itself.
const maxPhraseReads = 200

// hit adds what the index knows, and passages from the note as it was stored at the check, or later.
func (o *open) hit(ctx context.Context, h search.Hit, q search.Parsed) tools.Hit {
	out := tools.Hit{Path: h.Path, Title: vault.EscapeHidden(h.Title), Score: h.Score, Partial: h.Partial, Tags: h.Tags, Problems: h.Problems}
	f, known := o.index.Fact(h.Path)
	if known {
		out.ModifiedAt, out.SizeBytes, out.Revision = f.Entry.ModifiedAt.UTC(), f.Entry.Size, f.Entry.Revision
		out.Title = f.Title
	}
	if h.Attachment || h.Encrypted || !known || f.Unread || q.Empty() {
		return out
	}
	file, err := o.index.Read(ctx, h.Path)
	if err != nil {
		return out // it went away since the check: the hit stands as of then, without a passage
	}
	out.Revision, out.ModifiedAt, out.SizeBytes = file.Revision, file.ModifiedAt.UTC(), file.Size
	for _, s := range search.Snippets(file.Body, q, snippetsPerHit) {
		out.Snippets = append(out.Snippets, tools.Snippet{Text: s.Text, Heading: s.Heading, StartLine: s.StartLine, EndLine: s.EndLine})
	}
	return out
}
