package tools

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// transactionOut is a previewed or applied transaction. Its summary comes first.
type transactionOut struct {
	plan.Outcome
	Freshness Freshness `json:"freshness"`
	Answer
}

// change previews or applies r, and makes the answer that all tools give for it.
func change(ctx context.Context, c *Call, mappingID string, r plan.Request, dryRun bool) (transactionOut, error) {
	need := vault.NeedPropose
	if !dryRun {
		need = vault.NeedApply
	}
	v, err := c.open(ctx, mappingID, need)
	if err != nil {
		return transactionOut{}, err
	}
	r.Tool = c.tool.Name
	if len(r.Actions) > plan.MaxActions {
		return transactionOut{}, vault.Errorf(vault.TooManyActions, "the transaction has %d actions; it may have %d", len(r.Actions), plan.MaxActions).
			With("limit", plan.MaxActions).Next("Send the actions in several transactions.")
	}
	var o plan.Outcome
	switch {
	case dryRun:
		o, err = v.Preview(ctx, r)
	case r.Transaction == "" && r.Key == "":
		return transactionOut{}, c.keyRequired()
	default:
		o, err = v.Apply(ctx, r)
	}
	if err != nil {
		return transactionOut{}, trimPreview(err)
	}
	out := transactionOut{Outcome: o, Freshness: Freshness{Source: "live", AsOf: utc(c.Now())}}
	out.Actions = nonNil(out.Actions)
	if o.DryRun && o.Allowed && o.Next == nil && changesAny(o) {
		out.Next = applies(v.ID(), o)
	}
	out.trim()
	return out, nil
}

// keyRequired shows the call that would be accepted: the previewed one is better, so that it comes first.
func (c *Call) keyRequired() error {
	const most = 1 << 10 // bytes of arguments that are worth repeating
	next := "Preview first: send the same call with dryRun true, show it to the person, then apply by its transactionId. " +
		"For a direct apply add idempotencyKey, 8 to 128 visible characters that stay the same when you repeat this call"
	args := make(map[string]any, len(c.args)+1)
	for name, value := range c.args {
		args[name] = value
	}
	args["idempotencyKey"] = "a-key-of-your-own"
	if text := encode(args); len(text) <= most {
		next += ": " + c.tool.Name + " " + string(text)
	}
	return vault.Errorf(vault.KeyRequired, "a direct apply needs an idempotencyKey, so that repeating it cannot write twice").
		With("field", "idempotencyKey").Next(next)
}

func changesAny(o plan.Outcome) bool {
	return slices.ContainsFunc(o.Actions, func(a plan.ActionOutcome) bool { return a.Effect != plan.EffectUnchanged })
}

// applies is the call that applies a preview.
func applies(mappingID string, o plan.Outcome) *plan.NextCall {
	var paths []vault.Path
	seen := make(map[vault.Path]bool, len(o.Actions))
	for _, a := range o.Actions {
		if !seen[a.Path] {
			seen[a.Path] = true
			paths = append(paths, a.Path)
		}
	}
	return &plan.NextCall{Tool: "apply_note_transaction", Arguments: map[string]any{
		"mappingId": mappingID, "transactionId": o.Transaction, "paths": paths, "dryRun": false,
	}}
}

// trim shares the usual size among the diffs: each keeps its beginning, and says so.
func (out *transactionOut) trim() {
	room := usualAnswer - 1200
	for i := range out.Actions {
		room -= 150 + 2*len(out.Actions[i].Path) // the path stands in next again
	}
	room = max(room, 1<<10)
	actions := append([]plan.ActionOutcome(nil), out.Actions...) // the outcome may be shared with whoever made it
	for i := range actions {
		a := &actions[i]
		share := room / (len(actions) - i)
		size := textSize(a.Diff)
		if size > share {
			a.Diff = cutLines(a.Diff, len(a.Diff)*share/size)
			a.DiffTruncated = true
			size = textSize(a.Diff)
			out.Truncated = true
		}
		room -= size
	}
	out.Actions = actions
	if out.Truncated {
		out.bound(Bound{"answerBytes", usualAnswer})
	}
}

// trimPreview does the same for the fresh preview that a conflict holds.
func trimPreview(err error) error {
	var e *vault.Error
	if !errors.As(err, &e) {
		return err
	}
	o, ok := e.Details["preview"].(plan.Outcome)
	if !ok {
		return err
	}
	out := transactionOut{Outcome: o}
	out.trim()
	return e.With("preview", out.Outcome)
}

// textSize is how many bytes s takes in JSON.
func textSize(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}

// cutLines is the beginning of s, at most n bytes, up to the end of a line where there is one.
func cutLines(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for i := n; i > n/2; i-- {
		if s[i-1] == '\n' {
			return s[:i]
		}
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
