// Package folder is a vault in a directory of the server, which its owner edits with other programs at the same time.
//
// What that asks for:
//
//   - Nothing outside the directory is reached. Every folder on the way to a file is opened by its name in the one above it, and
//     symbolic links are listed as unreadable and never followed. A hard link is no such thing: it is a name of the file itself, like
//     any other, so that a note which the owner links into the vault is read there, whatever names it has elsewhere. A write puts a new
//     file under the name in the vault, and leaves the other names with the old one.
//   - Nobody's save is lost. A note is replaced by exchanging it with a finished temporary file, at a moment when no program has it open
//     for writing. Leases of the kernel keep other programs from both files while they are exchanged and what came out is looked at.
//     A line that a program adds in place just then is put at the end of ours, once. If anything else was saved, the two are exchanged
//     back, and it is a conflict. What cannot be put back, because yet another save is in its place, is kept as a conflict copy beside
//     the note.
//   - Where the kernel gives no leases (files of another user, for a server that is not root, and some file systems), a program that had
//     the note open before the exchange and saves in place milliseconds later writes into a file that is gone. The capabilities say
//     so: the replacement is "exchange-unleased" there.
//   - A change is told once it is finished: one inotify instance watches all folders, and a cookie file outside of the vault, whose
//     event has to come back before an answer is given. Where inotify cannot be trusted the tree is compared at each call.
//
// After a crash the temporary file tells how far an attempt came: see Landed.
package folder
