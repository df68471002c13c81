// Package pictures records the exploration tree of a search.
//
//	tree.go  the tree, as an explore.Observer records it, and the outcomes at its ends
package pictures
