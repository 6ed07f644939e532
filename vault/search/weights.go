package search

import "math"

// field is a part of a note that weighs on its own.
type field struct {
	weight float32 // of one occurrence, body being 1
	b      float32 // how much length counts, from 0 to 1
	usual  float32 // usual length, in terms
}

// The fields of BM25F. The lengths are constants so that a posting depends on its note alone. The figures, and those below, were found
// by searching real vaults for the texts of their links; none is critical.
var (
	nameField     = field{weight: 8, b: 0.4, usual: 4}
	titleField    = field{weight: 4, b: 0.6, usual: 4} // most titles are the name or a heading as well
	aliasField    = field{weight: 8, b: 0.4, usual: 4}
	folderField   = field{weight: 0.5, b: 0.5, usual: 4}
	headingField  = field{weight: 4, b: 0.2, usual: 20}
	tagField      = field{weight: 3, b: 0.3, usual: 4}
	linkField     = field{weight: 3, b: 0.3, usual: 8}
	propertyField = field{weight: 1, b: 0.5, usual: 12}
	bodyField     = field{weight: 1, b: 0.75, usual: 100}
)

const (
	saturation = 8 // BM25's k1; high, because the weights of fields are in it

	// What all words standing in titles is worth, and their being a whole title: in parts of their idf.
	titleBonus = 0.5
	exactBonus = 3

	allBonus    = 1.8  // what holding all words is worth, in parts of their idf; much less without some of them
	commonShare = 0.25 // a word with less idf than this part of the query's most telling one is common: no note needs it
	partialMass = 0.2  // how much of the telling words' idf a partial match must hold
	nearMass    = 0.7  // how much of a word that is which differs from it by one edit

	pairBonus  = 2   // two neighbours of the query that are neighbours in a title or a heading, in parts of the pair's idf
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
