package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// keep gives temp, which holds somebody's text, a name beside the note.
func (d *dir) keep(temp, name string) error {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; ; n++ {
		copied := fmt.Sprintf("%s (conflict %d)%s", shorten(stem, 220-len(ext)), n, ext)
		if err := d.place(temp, d, copied); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// shorten cuts s to at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= max(0, n) {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, n)], "")
}
