package txn

import (
	"context"
	"errors"
	"slices"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// Incoming is one file to bring into a vault: a note or an attachment, as bytes.
type Incoming struct {
	Path vault.Path
	Body []byte
}

// Imported says what became of the files of one Import.
type Imported struct {
	Stored []vault.Path
	Same   []vault.Path // were there already, byte for byte
	Kept   []vault.Path // are there with other content, or under a name that differs by case or Unicode form alone: left as they are
}

// ImportBytes is the most that one Import may hold in all.
const ImportBytes = plan.MaxBytes

// Import stores files that the vault does not have yet, as one transaction with its events, and changes none that is there. It is for
// the owner, who moves a vault: previews and keys are for agents, and an import that was cut short is run again. It takes as many files
// as the provider takes at once, with ImportBytes in all.
func (s *Service) Import(ctx context.Context, a governance.Access, files []Incoming) (Imported, error) {
	t := targetOf(a, plan.Request{})
	if err := t.mayApply(); err != nil {
		return Imported{}, err
	}
	paths := make([]vault.Path, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	unlock, err := s.notes.lock(ctx, t.mapping, paths)
	if err != nil {
		return Imported{}, err
	}
	defer unlock()
	done, p, err := t.missing(ctx, files)
	if err != nil || len(p.Changes) == 0 {
		return done, err
	}
	id, err := newID(s.random)
	if err != nil {
		return Imported{}, err
	}
	rec, err := s.newRecord(t, plan.Request{Key: "import-" + id, Tool: "import"}, id)
	if err != nil {
		return Imported{}, err
	}
	rec, _, err = s.journal.Reserve(ctx, rec)
	if err != nil {
		return Imported{}, err
	}
	rec.Plan, rec.State = p, Applying
	if rec, err = s.save(ctx, rec); err != nil {
		return Imported{}, err
	}
	if _, err = s.carryOut(context.WithoutCancel(ctx), t, rec, fresh); err != nil {
		return Imported{}, err
	}
	for _, c := range p.Changes {
		done.Stored = append(done.Stored, c.Path)
	}
	return done, nil
}

// missing plans the files that are not there yet.
func (t target) missing(ctx context.Context, files []Incoming) (Imported, plan.Plan, error) {
	var done Imported
	var p plan.Plan
	for _, f := range files {
		stored, err := t.read(ctx, f.Path)
		switch {
		case errors.Is(err, vault.NotFound):
			p.Changes = append(p.Changes, plan.Change{Path: f.Path, Body: f.Body, Hash: plan.Hash(f.Body)})
			p.Steps = append(p.Steps, plan.ActionOutcome{
				Index: len(p.Steps), Kind: plan.Create, Path: f.Path, Effect: plan.EffectCreated, After: &plan.State{SizeBytes: len(f.Body)},
			})
		case err != nil:
			return Imported{}, plan.Plan{}, err
		case stored.Path == f.Path && slices.Equal(stored.Body, f.Body):
			done.Same = append(done.Same, f.Path)
		default:
			done.Kept = append(done.Kept, f.Path)
		}
	}
	return done, p, nil
}
