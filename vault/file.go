package vault

import "time"

// Revision names one stored state of one file. It is opaque, at most 24 characters, and compared for equality only.
// The zero Revision means unknown or absent.
type Revision string

// Entry is what a listing tells of a file without reading it.
type Entry struct {
	Path  Path
	Stamp string // changes whenever the bytes may have changed; cheap to get; compared for equality only

	// Revision is filled where the provider knows it without reading the body, and always in what Read, Write and Commit return.
	Revision   Revision
	Size       int64 // bytes
	ModifiedAt time.Time
	CreatedAt  time.Time // zero where the provider does not tell
}

// File is an entry with its bytes.
type File struct {
	Entry
	Body []byte
}
