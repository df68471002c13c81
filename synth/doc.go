// Package synth finds and proves constraints: for two steps, the states in which they commute, and for the family of
// all pairs, the uniform part of that. It is the only package that links Z3.
//
// Everything is a question about runs of steps from one unknown state. The words of that state are symbols; the steps
// run on linear forms over them. Where a run needs to know the truth of an atom, such as x - y == 0, the exploration
// goes on with both answers, so each leaf of its decision tree is a cube of atoms in which the run is a straight line.
// Nothing is ever encoded with case distinctions inside terms.
//
// Packages in internal: term has what questions are made of (symbols, linear forms, literals, tables), reachable finds
// ranges of variables by abstract interpretation, span has intervals, expr makes expressions of the language,
// unsupported ends the work on a question that cannot be answered.
//
// Synthesize and what it may cost:
//
//	synth.go           Options and Synthesize; noz3.go stands for the package where there is no solver
//	budget.go          what a synthesis may cost: questions and units of work, shared among the pairs
//	progress.go        what a caller hears meanwhile
//	workers.go         several solvers at once
//	cache.go           answers of earlier runs; cachekey.go says what an answer depends on
//
// What is known of reachable states:
//
//	facts.go           what questions may assume, from the ranges; listed in the file as "assuming"
//	assume.go          what a question assumes of its words
//	locks.go           such a fact: which mutexes a process holds at a step (lang/slice/locks.go)
//	ownfacts.go        another one: what a variable or an element holds at a step whose process alone writes it
//	invariant.go       which declared invariants are inductive, hence may be assumed, and which are false
//
// A step on symbols:
//
//	symbolic.go        a step, node by node; store.go memory, eval.go expressions, call.go functions
//	explore.go         one path for each combination of answers; commute.go both orders of two steps
//	collections.go     sets, bags and maps: how often a key is there, and with which value
//	spawn.go           processes that are started, waited for and asked for
//	sums.go            sums over arrays and numbers of votes, whichever element was assigned
//
// Whether a cube is satisfiable:
//
//	satisfiable.go     Z3 says so, and for most of the questions what is faster
//	models.go          states that earlier questions have found
//	differences.go     difference constraints over words of the state and elements of arrays
//	prefix.go          the same, when one question has the first literals of another
//	chain.go           the same, in a search that adds one literal at a time
//	z3.go              the solver; solver.go what the rest sees of it, z3library.go what the library says of itself
//	dump.go            what a question is about, for people
//
// The condition of a pair:
//
//	relevance.go       what the leaves do not depend on
//	partition.go       the leaves as a Boolean function over cells: intervals of the linear forms that occur
//	guard.go           when it is safe to evaluate a form (indices in range)
//	minimise.go        two-level minimisation of such a function, readable literals first
//	shorten.go         what is printed of that: common parts in front, ranges, nothing that the rest implies
//	compound.go        conditions that the cells know case by case, such as flag[p.self] == 1 and p.k == q.self
//	print.go           linear forms as expressions of the language; printsized.go those that wrap around
//
// Its uniform part:
//
//	triples.go         what a third step does to a pair, explored once, as a table over the cells of the three pairs
//	uniform.go         the greatest family that the repairs of forward and backward violations leave
//	maywrite.go        whether a step may write what was read
//	harmless.go        whether there is anything to repair, before such a table is made
//	repairs.go         which of two repairs is made; sample.go has the first states, which decide that
//
// Proofs and explanations:
//
//	check.go           proofs and counterexamples for a given constraint set
//	explain.go         why the uniform part of a pair is smaller than its commuting part
//	diff.go            what two constraint sets say differently
//	merge.go           proves what people did to a file, so that it stays
//	witness.go         concrete states that show what fails; witnesssearch.go looks for one that can be reached
//
// Pairs of steps that two processes never stand at in one state (slice.Parallel) are not worked on: they are listed as
// ordered, and count as dependent, for third steps too. Nothing is derived from their never meeting but that, so a
// violation of uniformity through such a pair, which no execution could show, takes nothing from the others.
//
// A step that takes one of several alternatives is analysed with the alternative as an unknown, so its conditions
// hold for all of them. Conditions are about the reachable states of the given program with its parameters: facts
// come from its threads, how many there are, and where they start. In other states they may be wrong;
// Options.AnyState asks about all states that the two steps by themselves allow, as testdata/tables/pairs.md and
// classics.md do for common blocks. See facts.go. Operations on whole sets, bags and maps, loops that do not end
// within some hundred nodes, values of more than 256 words and explorations of more than 3000 cases (120 of a pair
// that starts processes) give "unknown", never a guess. testdata/tables/synthesis.md shows what that takes for
// programs of many threads.
//
// When the context of a call ends, the call returns within milliseconds; a question that Z3 is working on is
// interrupted, and the solver that was interrupted is not used again. Options.RLimit, Options.MaxQueries and
// Options.MaxWork bound the work reproducibly. No result depends on a clock. Questions about products, quotients or
// remainders of unknowns take Z3 the longest for each unit; Options.Short does not ask them.
//
// Options.Pairs chooses pairs, for a search that needs only some. The others are taken for dependent, also where they
// stand in the premises of uniformity, so what is found for the chosen ones can be used with nothing else. Where the
// budget ends, a pair is unknown, or its uniform part false: of that every family remains uniform, as R only shrinks
// in the premises of the others.
//
// Integers are mathematical here, those with a number of bits wrap around. The result depends on yes and no of
// satisfiability only, never on a model, nor on what a session has been asked before (see z3.go), so it is the same on
// every run.
package synth
