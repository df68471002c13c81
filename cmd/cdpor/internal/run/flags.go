package run

// changedFlags leave out the tests that a change cannot touch.
type changedFlags struct {
	Changed bool   `help:"Of Go tests: only those that a change can touch: of packages that have a file, or depend on a package with one, that git says is not as in --since."`
	Since   string `placeholder:"REVISION" help:"What --changed compares with, such as origin/main. Default: HEAD, what was committed last."`
}

// estimateFlag asks for that in place of a search.
type estimateFlag struct {
	Estimate bool `help:"Explore nothing: say what each algorithm would cost, from random samples and the first ${tried} nodes of each, and what makes it much."`
}

// pictureFlags write a page to look at a search with.
type pictureFlags struct {
	HTML      string `name:"html" predictor:"file" placeholder:"FILE" help:"Write a page to look at in a browser: results, constraints, the exploration tree and schedules. It needs no network."`
	TreeNodes int    `placeholder:"N" help:"How many nodes of the exploration tree the page shows at most. Default: ${treenodes}."`
}

// simulateFlags say which random schedules are run: a few before the search, or nothing else.
type simulateFlags struct {
	Simulate *int `placeholder:"N" help:"Run N random schedules and explore nothing: for programs that are too large. Without the flag, a few are run before the search, to show early what they find; 0: none."`
	PCT      int  `name:"pct" placeholder:"D" help:"With --simulate: choose schedules by PCT (ASPLOS 2010) for bugs that take D ordering constraints. Without: each thread has the same chance at each step."`
}
