package run

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
)

// HTMLNodes is the number of nodes that are shown if the user does not say.
const HTMLNodes = 20_000

// check looks at the flags; schedule is that of --schedule, workers how many explore.
func (f *pictureFlags) check(schedule *string, workers int) error {
	switch {
	case f.TreeNodes < 0:
		return fault.Inputf("--tree-nodes cannot be negative")
	case f.TreeNodes > 0 && f.HTML == "":
		return fault.Inputf("--tree-nodes is about the page of --html")
	case f.HTML != "" && schedule != nil:
		return fault.Inputf("--html shows a search, and --schedule runs a single execution")
	case f.HTML != "" && workers > 1:
		return fault.Inputf("--html shows the tree in the order in which one worker explores it: " +
			"use it with --workers 1")
	}
	return nil
}

// observer returns what records the tree of a search, nil if no page is to show it.
func (f *pictureFlags) observer() *page.Tree {
	if f.HTML == "" {
		return nil
	}
	return page.NewTree(cmp.Or(f.TreeNodes, HTMLNodes))
}

// drawTree records the tree of a search that has chosen its way, for the page: it is that of a second one, which
// chooses nothing, for one that is recorded can try nothing that it gives up again.
func (f *pictureFlags) drawTree(ctx context.Context, r *report.Report, opt explore.Options) (err error) {
	if f.HTML == "" || r.Tree != nil || !r.Algorithm.Chooses || r.Simulation != nil {
		return nil
	}
	ctx, full := context.WithCancel(ctx)
	defer full()
	r.Tree = f.observer()
	r.Tree.Full, opt.Observer = full, r.Tree
	if set := r.Knowledge.Set; set != nil && r.Result.Constrained {
		opt.Conditions = set.Compile(r.Machine)
	}
	r.Drawn, err = explore.Run(ctx, r.Machine, r.Algorithm, opt)
	return err
}

// draw writes the page.
func (f *pictureFlags) draw(messages io.Writer, r *report.Report) error {
	if f.HTML == "" {
		return nil
	}
	if err := r.WritePage(f.HTML); err != nil {
		return err
	}
	r.Page = f.HTML
	if left := r.TreeExtent(); left != "" {
		fmt.Fprintf(messages, "cdpor: note: %s shows %s; --tree-nodes N shows more\n", f.HTML, left)
	}
	return nil
}
