// Package build makes templates of the step form node by node: what a front end needs to lower control flow and steps.
//
//	builder.go  nodes with open ends, branches, locals; what is one step; labels; the finished template
//	code.go     expressions at a place of the program, and the nodes that are made of them
//
// It knows no language: neither names nor types beyond those of the step form.
package build
