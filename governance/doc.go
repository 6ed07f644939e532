// Package governance decides who may do what. Authority.Access is the one way to a note: it joins account, mapping, connection and
// policy on every call, and hands out a vault that is already held to them.
package governance
