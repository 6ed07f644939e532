package search

import "math"

// field is a part of a note that weighs on its own.
type field struct {
	weight float32 // of one occurrence, body being 1
	b      float32 // how much length counts, from 0 to 1
	usual  float32 // usual length, in terms
}

// The fields of BM25F. The usual lengths are those of real vaults; they are constants so that a posting depends on its note alone.
var (
	nameField     = field{weight: 8, b: 0.6, usual: 4}
	titleField    = field{weight: 8, b: 0.6, usual: 4}
	aliasField    = field{weight: 8, b: 0.4, usual: 4}
	folderField   = field{weight: 1.5, b: 0.5, usual: 4}
	headingField  = field{weight: 2, b: 0.5, usual: 20}
	tagField      = field{weight: 3, b: 0.3, usual: 4}
	linkField     = field{weight: 3, b: 0.3, usual: 8}
	propertyField = field{weight: 1, b: 0.5, usual: 12}
	bodyField     = field{weight: 1, b: 0.6, usual: 200}
)

const (
	saturation = 1.2 // BM25's k1

	// What a word in a title is worth beyond its weight, in parts of its idf; and a query that is a whole title, once.
	titleBonus = 0.6
	exactBonus = 12

	prefixDamp = 0.5 // impact of a longer word that the last word begins
	typoDamp   = 0.6 // impact of a word that differs by one edit
)

// impact maps the weighted frequency of a term to a byte.
func impact(w float32) uint8 {
	v := math.Round(255 * float64(w) / (saturation + float64(w)))
	return uint8(min(max(v, 1), 255))
}

// idf is BM25's, of a term that stands in df of n notes.
func idf(df, n int) float32 {
	return float32(math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5)))
}

func (f field) times(tf int, length int) float32 {
	return f.weight * float32(tf) / (1 - f.b + f.b*float32(length)/f.usual)
}
