// Package folder is a vault in a directory of the server, which its owner edits with other programs at the same time.
//
// What that asks for:
//
//   - Nothing outside the directory is reached. Every folder on the way to a file is opened by its name in the one above it, and
//     symbolic links are listed as unreadable and never followed.
//   - Nobody's save is lost. A note is replaced by exchanging it with a finished temporary file. What came out is looked at when no
//     program has it open for writing any more: is it not the expected revision, the two are exchanged back, and it is a conflict.
//     What still cannot be put back, because yet another save is in its place, is kept as a conflict copy beside the note.
//   - A change is told once it is finished: one inotify instance watches all folders, and a cookie file outside of the vault, whose
//     event has to come back before an answer is given. Where inotify cannot be trusted the tree is compared at each call.
//
// After a crash the temporary file tells how far an attempt came: see Landed.
package folder
