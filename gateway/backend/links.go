package backend

import (
	"context"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/plan"
)

// links makes the index current, and is what plans ask of it. A vault that is not indexed whole is refused: a link that nobody knows of would
// be left behind.
func (o *open) links(ctx context.Context) (plan.Links, error) {
	if _, err := o.check(ctx); err != nil {
		return nil, err
	}
	if s := o.index.State(); s.State != index.Ready {
		return nil, vault.Errorf(vault.FreshnessUnavailable, "the vault's links are not all known yet: %d%% of it is indexed", s.Percent).
			Next("Send the same call again in a little while.").With("retryAfterSeconds", 5)
	}
	return vaultLinks{o.index.Graph(), o.index}, nil
}

// vaultLinks implements plan.Links.
type vaultLinks struct {
	*graph.Graph
	index *index.Index
}

// Tagged implements plan.Links.
func (l vaultLinks) Tagged(tag string, folder vault.Path) []vault.Path {
	var list []vault.Path
	for _, p := range l.Files(folder) {
		if f, ok := l.index.Fact(p); ok && vault.HasTag(f.Tags, tag) {
			list = append(list, p)
		}
	}
	return list
}
