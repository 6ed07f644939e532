package backend

import (
	"context"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance/events"
)

func (o *open) Events(ctx context.Context, r tools.EventsRequest) (tools.EventsAnswer, error) {
	asOf := o.now().UTC()
	kinds := make([]events.Kind, len(r.Kinds))
	for i, k := range r.Kinds {
		kinds[i] = events.Kind(k)
	}
	list, err := o.events.List(ctx, o.access.Mapping.Account, o.ID(), events.Filter{
		Path: r.Path, Since: r.Since, Kinds: kinds, Before: r.Before, Limit: r.Limit + 1,
	})
	if err != nil {
		return tools.EventsAnswer{}, err
	}
	a := tools.EventsAnswer{More: len(list) > r.Limit, Freshness: tools.Freshness{Source: "live", AsOf: asOf}}
	for _, e := range list[:min(len(list), r.Limit)] {
		a.Events = append(a.Events, tools.Event{
			Sequence: e.Sequence, ID: e.ID, At: e.At.UTC(), Kind: string(e.Kind), Path: e.Path,
			Account: e.Account, Client: e.Client, Tool: e.Tool, Door: e.Door, Transaction: e.Transaction,
			Before: e.Before, After: e.After, TrashID: e.TrashID, Reason: e.Reason, Hash: e.Hash, PreviousHash: e.PreviousHash,
		})
	}
	return a, nil
}
