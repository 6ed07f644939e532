package events

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Head is the end of an account's chain. Kept elsewhere, it proves later that nothing before it was changed or cut off.
type Head struct {
	Sequence int64
	Hash     string
}

// Head returns the end of the chain; of an account without events, sequence 0 and FirstHash.
func (l *Log) Head(ctx context.Context, account string) (Head, error) {
	h := Head{Hash: FirstHash}
	err := l.db.QueryRow(ctx, `
		SELECT sequence, hash
		FROM event_heads
		WHERE account_id = ?`, account).Scan(&h.Sequence, &h.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Head{}, fmt.Errorf("read the head of the events: %w", err)
	}
	return h, nil
}

// BrokenLink is the first place where a chain does not hold.
type BrokenLink struct {
	Sequence int64  // of the event that is wrong or missing
	ID       string // its id, as far as there is one
	Why      string
}

func (b *BrokenLink) Error() string {
	if b.ID == "" {
		return fmt.Sprintf("event %d: %s", b.Sequence, b.Why)
	}
	return fmt.Sprintf("event %d (%s): %s", b.Sequence, b.ID, b.Why)
}

// verifyPage is how many events are looked at in one query.
const verifyPage = 1000

// Verify recomputes the chain of an account up to the head at the time of the call, and returns that head. The error is a
// *BrokenLink for the first event that was changed, removed or moved.
func (l *Log) Verify(ctx context.Context, account string) (Head, error) {
	head, err := l.Head(ctx, account)
	if err != nil {
		return Head{}, err
	}
	at := Head{Hash: FirstHash}
	for at.Sequence < head.Sequence {
		page, err := scan(l.db.Query(ctx, `
			SELECT `+columns+`
			FROM events
			WHERE account_id = ? AND sequence > ? AND sequence <= ?
			ORDER BY sequence
			LIMIT ?`, account, at.Sequence, head.Sequence, verifyPage))
		if err != nil {
			return Head{}, err
		}
		for _, e := range page {
			if at, err = follow(at, e); err != nil {
				return Head{}, err
			}
		}
		if len(page) == 0 {
			return Head{}, &BrokenLink{Sequence: at.Sequence + 1, Why: "it is missing"}
		}
	}
	if at.Hash != head.Hash {
		return Head{}, &BrokenLink{Sequence: head.Sequence, Why: "the head of the chain names another hash"}
	}
	return head, l.beyond(ctx, account, head)
}

// follow checks that e comes after at, and is what was hashed.
func follow(at Head, e Event) (Head, error) {
	switch {
	case e.Sequence != at.Sequence+1:
		return Head{}, &BrokenLink{Sequence: at.Sequence + 1, Why: "it is missing"}
	case e.PreviousHash != at.Hash:
		return Head{}, &BrokenLink{Sequence: e.Sequence, ID: e.ID, Why: "it does not follow the event before it"}
	case e.hash() != e.Hash:
		return Head{}, &BrokenLink{Sequence: e.Sequence, ID: e.ID, Why: "it was changed after it was stored"}
	}
	return Head{Sequence: e.Sequence, Hash: e.Hash}, nil
}

// beyond finds events after the head, unless the head has moved on meanwhile.
func (l *Log) beyond(ctx context.Context, account string, head Head) error {
	var e Event
	err := l.db.QueryRow(ctx, `
		SELECT e.sequence, e.id
		FROM events e
		LEFT JOIN event_heads h ON h.account_id = e.account_id
		WHERE e.account_id = ? AND e.sequence > COALESCE(h.sequence, 0)
		ORDER BY e.sequence
		LIMIT 1`, account).Scan(&e.Sequence, &e.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for events beyond the head: %w", err)
	}
	return &BrokenLink{Sequence: e.Sequence, ID: e.ID, Why: fmt.Sprintf("it lies beyond the head of the chain, %d", head.Sequence)}
}
