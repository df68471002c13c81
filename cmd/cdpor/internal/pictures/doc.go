// Package pictures records the exploration tree of a search.
//
//	tree.go      the tree, as an explore.Observer records it
//	outcomes.go  the number that the end of an execution has among the outcomes
package pictures
