package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// meta is what the file system tells of a file without opening it.
type meta struct {
	mode    fs.FileMode
	size    int64
	changed time.Time // of the bytes
	touched time.Time // of bytes, name or mode, where the system tells; else changed
	inode   uint64    // 0 where the system does not tell
	links   uint64
}

// stamp changes whenever the bytes may have.
func (m meta) stamp() string {
	if !m.mode.IsRegular() {
		return providers.Unreadable + kind(m.mode)
	}
	b := make([]byte, 0, 48)
	for i, n := range [...]int64{m.size, m.changed.UnixNano(), m.touched.UnixNano(), int64(m.inode)} {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, n, 36)
	}
	return string(b)
}

// same reports whether nothing touched the bytes between a and m.
func (m meta) same(a meta) bool {
	return m.inode == a.inode && m.size == a.size && m.changed.Equal(a.changed)
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// entry is what a listing says of the file.
func (d *Driver) entry(p vault.Path, m meta) vault.Entry {
	return vault.Entry{Path: p, Stamp: m.stamp() + d.feed.bumped(p), Size: m.size, ModifiedAt: m.changed}
}

// join is the path of name in dir. A name that cannot be a vault's path (it is not UTF-8, or holds a backslash) is shown with what is
// wrong replaced, and a mark of its own so that two such names stay two.
func join(dir vault.Path, name string) (p vault.Path, ok bool) {
	p = vault.Path(name)
	if dir != "" {
		p = dir + "/" + p
	}
	if plain(name) && len(p) <= vault.MaxPath {
		return p, true
	}
	if _, err := vault.ParsePath(string(p)); err == nil {
		return p, true
	}
	sum := sha256.Sum256([]byte(name))
	shown := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\\' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	ext := path.Ext(shown) // stays last: a note is listed as a note
	p = vault.Path(strings.TrimSuffix(shown, ext) + "~" + hex.EncodeToString(sum[:3]) + ext)
	if dir != "" {
		p = dir + "/" + p
	}
	return p, false
}

// plain reports whether name is printable ASCII without a backslash: nearly every name, told quickly.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return len(name) <= vault.MaxSegment
}
