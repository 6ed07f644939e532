package plan

import "github.com/notelatch/notelatch/vault"

// Links is what a plan asks of a vault beyond the notes that it reads. Names are the last segment of a path or of a link's target, folded by
// vault.Fold, with or without ".md".
type Links interface {
	// Named are the files that a link may mean by a name.
	Named(name string) []vault.Path

	// Linking are the files that hold a link whose target ends with a name; more may be among them.
	Linking(name string) []vault.Path

	// Files are the files in a folder and below it, or the one file at that path.
	Files(folder vault.Path) []vault.Path

	// Tagged are the notes in a folder that have a tag, or one below it; more may be among them.
	Tagged(tag string, folder vault.Path) []vault.Path
}
