package vault

// Precondition is what must hold at the moment of a write. The zero Precondition is refused by every driver: no write is blind.
type Precondition struct {
	kind     uint8
	revision Revision
}

const (
	preNone uint8 = iota
	preAbsent
	preRevision
)

// MustBeAbsent holds when no file is at the path (nor one that differs only by case or Unicode form).
func MustBeAbsent() Precondition { return Precondition{kind: preAbsent} }

// MustBe holds when the file at the path has the revision.
func MustBe(r Revision) Precondition {
	if r == "" {
		return Precondition{}
	}
	return Precondition{kind: preRevision, revision: r}
}

// IsZero reports whether p demands nothing, and so must be refused.
func (p Precondition) IsZero() bool { return p.kind == preNone }

// Absent reports whether p demands that there is no file.
func (p Precondition) Absent() bool { return p.kind == preAbsent }

// Revision is the revision that p demands, or "".
func (p Precondition) Revision() Revision { return p.revision }
