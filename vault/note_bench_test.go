package vault_test

import (
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

func BenchmarkParse(b *testing.B) {
	sets := []struct {
		name  string
		files []vaulttest.File
	}{{"small", vaulttest.Notes(b, vaulttest.Corpus(b), ".")}, {"made", vaulttest.Big(b, 2000)}}
	if big, ok := vaulttest.BigCorpus(b); ok {
		sets = append(sets, struct {
			name  string
			files []vaulttest.File
		}{"garden", vaulttest.Notes(b, big, "flancian-garden")}, struct {
			name  string
			files []vaulttest.File
		}{"docs", vaulttest.Notes(b, big, "powershell-docs")})
	}
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			var size int64
			for _, f := range set.files {
				size += int64(len(f.Body))
			}
			b.SetBytes(size)
			b.ReportAllocs()
			links := 0
			for b.Loop() {
				links = 0
				for _, f := range set.files {
					links += len(vault.Parse(vault.Path(f.Path), f.Body).Links)
				}
			}
			b.ReportMetric(float64(len(set.files)), "notes/op")
			b.ReportMetric(float64(links), "links/op")
		})
	}
}
