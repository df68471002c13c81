package main

import (
	"fmt"
	"io"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/pictures"
	"cdpor/cmd/cdpor/internal/report"
)

// pictureFlags write the exploration tree to files, to be looked at.
type pictureFlags struct {
	HTML      string `name:"html" predictor:"file" placeholder:"FILE" help:"Write a page to look at in a browser: results, constraints, the exploration tree and schedules. It needs no network."`
	Dot       string `predictor:"file" placeholder:"FILE" help:"Write the exploration tree for Graphviz."`
	Mermaid   string `predictor:"file" placeholder:"FILE" help:"Write the exploration tree as a Mermaid flowchart."`
	TreeNodes int    `placeholder:"N" help:"How many nodes of the exploration tree such a file shows at most. Default: ${treenodes}."`
}

// How many nodes are shown if the user does not say: as many as the tools that draw them can take.
const (
	htmlNodes    = 20_000
	dotNodes     = 2_000
	mermaidNodes = 200
)

// most is how many nodes the file of a flag may show.
func (f *pictureFlags) most(otherwise int) int {
	if f.TreeNodes > 0 {
		return f.TreeNodes
	}
	return otherwise
}

// check looks at the flags; schedule is that of --schedule, workers how many explore.
func (f *pictureFlags) check(schedule *string, workers int) error {
	if f.TreeNodes < 0 {
		return fault.Inputf("--tree-nodes cannot be negative")
	}
	wanted := f.HTML != "" || f.Dot != "" || f.Mermaid != ""
	if f.TreeNodes > 0 && !wanted {
		return fault.Inputf("--tree-nodes is about the files of --html, --dot and --mermaid")
	}
	if wanted && schedule != nil {
		return fault.Inputf("--html, --dot and --mermaid show a search, and --schedule runs a single execution")
	}
	if wanted && workers > 1 {
		return fault.Inputf("--html, --dot and --mermaid show the tree in the order in which one worker explores it: " +
			"use them with --workers 1")
	}
	return nil
}

// observer returns what records the tree of a search, nil if no file is to show it.
func (f *pictureFlags) observer() *pictures.Tree {
	switch {
	case f.HTML != "":
		return pictures.NewTree(f.most(htmlNodes))
	case f.Dot != "":
		return pictures.NewTree(f.most(dotNodes))
	case f.Mermaid != "":
		return pictures.NewTree(f.most(mermaidNodes))
	}
	return nil
}

// draw writes the files.
func (f *pictureFlags) draw(messages io.Writer, r *report.Report) error {
	for _, file := range []struct {
		path  string
		most  int
		write func(path string) error
	}{
		{f.HTML, f.most(htmlNodes), r.WritePage},
		{f.Dot, f.most(dotNodes), func(path string) error {
			return r.WriteDrawing(path, f.most(dotNodes), pictures.Dot)
		}},
		{f.Mermaid, f.most(mermaidNodes),
			func(path string) error { return r.WriteDrawing(path, f.most(mermaidNodes), pictures.Mermaid) }},
	} {
		if file.path == "" {
			continue
		}
		if err := file.write(file.path); err != nil {
			return err
		}
		if r.Tree == nil {
			continue
		}
		if left := r.Tree.Extent(r.Result, file.most); left != "" {
			fmt.Fprintf(messages, "cdpor: note: %s shows %s; --tree-nodes N shows more\n", file.path, left)
		}
	}
	return nil
}
