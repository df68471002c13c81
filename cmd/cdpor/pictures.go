package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/pictures"
	"cdpor/cmd/cdpor/internal/report"
)

// pictureFlags write the exploration tree to files, to be looked at.
type pictureFlags struct {
	HTML      string `name:"html" predictor:"file" placeholder:"FILE" help:"Write a page to look at in a browser: results, constraints, the exploration tree and schedules. It needs no network."`
	Tree      string `predictor:"file" placeholder:"FILE" help:"Write the exploration tree for Graphviz (FILE.dot) or as a Mermaid flowchart (FILE.mmd)."`
	TreeNodes int    `placeholder:"N" help:"How many nodes of the exploration tree such a file shows at most. Default: ${treenodes}."`
}

// How many nodes are shown if the user does not say: as many as the tools that draw them can take.
const (
	htmlNodes    = 20_000
	dotNodes     = 2_000
	mermaidNodes = 200
)

// A drawing is a language for trees, by the end of a file's name.
type drawing struct {
	most int
	in   func(*pictures.Graph) string
}

var drawings = map[string]drawing{".dot": {dotNodes, pictures.Dot}, ".gv": {dotNodes, pictures.Dot},
	".mmd": {mermaidNodes, pictures.Mermaid}, ".mermaid": {mermaidNodes, pictures.Mermaid}}

// check looks at the flags; schedule is that of --schedule, workers how many explore.
func (f *pictureFlags) check(schedule *string, workers int) error {
	if f.TreeNodes < 0 {
		return fault.Inputf("--tree-nodes cannot be negative")
	}
	wanted := f.HTML != "" || f.Tree != ""
	if f.Tree != "" && drawings[filepath.Ext(f.Tree)].in == nil {
		return fault.Inputf("--tree %s: write FILE.dot for Graphviz or FILE.mmd for Mermaid", f.Tree)
	}
	if f.TreeNodes > 0 && !wanted {
		return fault.Inputf("--tree-nodes is about the files of --html and --tree")
	}
	if wanted && schedule != nil {
		return fault.Inputf("--html and --tree show a search, and --schedule runs a single execution")
	}
	if wanted && workers > 1 {
		return fault.Inputf("--html and --tree show the tree in the order in which one worker explores it: " +
			"use them with --workers 1")
	}
	return nil
}

// observer returns what records the tree of a search, nil if no file is to show it.
func (f *pictureFlags) observer() *pictures.Tree {
	switch {
	case f.HTML != "":
		return pictures.NewTree(cmp.Or(f.TreeNodes, htmlNodes))
	case f.Tree != "":
		return pictures.NewTree(cmp.Or(f.TreeNodes, drawings[filepath.Ext(f.Tree)].most))
	}
	return nil
}

// draw writes the files.
func (f *pictureFlags) draw(messages io.Writer, r *report.Report) error {
	written := func(path string, most int, err error) error {
		if err == nil && r.Tree != nil {
			if left := r.Tree.Extent(r.Result, most); left != "" {
				fmt.Fprintf(messages, "cdpor: note: %s shows %s; --tree-nodes N shows more\n", path, left)
			}
		}
		return err
	}
	var page, tree error
	if f.HTML != "" {
		page = written(f.HTML, cmp.Or(f.TreeNodes, htmlNodes), r.WritePage(f.HTML))
	}
	if f.Tree != "" {
		d := drawings[filepath.Ext(f.Tree)]
		most := cmp.Or(f.TreeNodes, d.most)
		tree = written(f.Tree, most, r.WriteDrawing(f.Tree, most, d.in))
	}
	return cmp.Or(page, tree)
}
