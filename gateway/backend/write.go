package backend

import (
	"context"
	"errors"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

func (o *open) Preview(ctx context.Context, r plan.Request) (plan.Outcome, error) {
	r.Links = o.links
	out, err := o.txn.Preview(ctx, o.access, r)
	if err != nil {
		return plan.Outcome{}, o.nearer(ctx, err)
	}
	o.warnNamesakes(ctx, out.Actions)
	return out, nil
}

func (o *open) Apply(ctx context.Context, r plan.Request) (plan.Outcome, error) {
	r.Links = o.links
	out, err := o.txn.Apply(ctx, o.access, r)
	return out, o.nearer(ctx, err)
}

// nearer adds to the answer that a note is missing the notes that may have been meant. A write takes paths alone: a wrong one must not
// be guessed at, and must not end as a second note beside the right one.
func (o *open) nearer(ctx context.Context, err error) error {
	var e *vault.Error
	if !errors.As(err, &e) || e.Code != vault.NotFound || e.Details["near"] != nil {
		return err
	}
	path, ok := e.Details["path"].(string)
	if !ok {
		return err
	}
	if _, failed := o.check(ctx); failed != nil {
		return err
	}
	near := o.index.Graph().Near(path, nearNames)
	if found, _, ok := o.index.Graph().Find(vault.Path(path).Name()); ok {
		near = append([]vault.Path{found}, near...)
	}
	if len(near) == 0 {
		return err
	}
	return e.With("near", near[:min(len(near), nearNames)]).Next("Did you mean " + string(near[0]) + "? Otherwise create the note first.")
}

// warnNamesakes says of each note that a preview would make that there is one of its name in another folder.
func (o *open) warnNamesakes(ctx context.Context, actions []plan.ActionOutcome) {
	for i := range actions {
		a := &actions[i]
		if a.Effect != plan.EffectCreated {
			continue
		}
		if _, err := o.check(ctx); err != nil {
			return // the preview stands without the hint
		}
		found, _, ok := o.index.Graph().Find(a.Path.Name())
		if ok && found != a.Path && vault.Fold(found.Name()) == vault.Fold(a.Path.Name()) {
			a.Warnings = append(a.Warnings, "there is a note of this name already: "+string(found))
		}
	}
}
