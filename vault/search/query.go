package search

import "github.com/notelatch/notelatch/vault"

// Sort is the order of results.
type Sort uint8

// Orders. Ties are broken by path.
const (
	ByRelevance Sort = iota // without text: ByModified
	ByModified              // newest first
	ByCreated               // newest first
	ByPath
	ByTitle
)

// Query asks for notes. All that is set must hold.
type Query struct {
	Text          string            // see Parse
	PathPrefix    vault.Path        // of a folder; "a" and "a/" are the same
	Tags          []string          // each, or one nested in it
	Properties    map[string]string // "" asks for the key alone
	ModifiedAfter int64             // Unix milliseconds; 0 is any time
	Sort          Sort
	Limit         int // 10 when 0
	Offset        int
	MaxReads      int // calls of Source; 200 when 0
}

// Page is a part of the answer to a query.
type Page struct {
	Hits         []Hit
	Total        int         // notes that match, in full or in part
	TotalIsExact bool        // false: at least Total match
	Full         int         // of Total: notes that match in full
	Parsed       Parsed      // the text as understood; for Snippets
	Corrections  []Corrected // words that were found with one edit, because hits were few
	DidYouMean   string      // the text with these words corrected, if no note matches in full and some would then
	Missing      []string    // words that no note holds, not even with one edit; only if no note matches in full
	Folder       vault.Path  // the folder that was searched, if it differs from PathPrefix in case or Unicode form
	Unmet        []Unmet     // if nothing matches: what no note of the vault meets
	Unchecked    int         // candidates that were left out because MaxReads was used up
	Unread       int         // candidates that were left out because Source failed
}

// Corrected is a word of the query and what was searched in its place as well.
type Corrected struct {
	From string
	To   []string
}

// Hit is one result. Its strings are parts of the index: what is kept for long should be cloned.
type Hit struct {
	Path       vault.Path
	Title      string
	Tags       []string
	Score      float64 // 0 when the query has no words
	Partial    bool    // some telling word of the query is missing, or is there with one edit only
	Modified   int64
	Created    int64
	Attachment bool
	Encrypted  bool
	Problems   []string
}
