// Package gateway is the server's HTTP face: which path leads to which door, and the few pages that need none. Doors translate; what a
// call may do and does is decided behind tools.Inventory.
package gateway
