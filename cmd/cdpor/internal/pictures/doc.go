// Package pictures records the exploration tree of a search and writes it for programs that draw graphs.
//
//	tree.go      the tree, as an explore.Observer records it
//	outcomes.go  the number that the end of an execution has among the outcomes
//	graph.go     a graph, in the languages of Graphviz and Mermaid
package pictures
