// Package synth finds and proves constraints: for two steps, the states in which they commute, and for the family of
// all pairs, the uniform part of that.
//
// Everything is a question about runs of steps from one unknown state. The words of that state are symbols; the steps
// run on linear forms over them. Where a run needs to know the truth of an atom, such as x - y == 0, the exploration
// goes on with both answers, so each leaf of its decision tree is a cube of atoms in which the run is a straight line.
// Nothing is ever encoded with case distinctions inside terms.
//
// Packages in internal, each of which may import only those above it:
//
//	span, expr         intervals; expressions of the language
//	reachable          ranges of variables, by abstract interpretation
//	unsupported        ends the work on a question that cannot be answered
//	term               symbols, linear forms, literals, and the table of a question, which everybody may import
//	facts              what holds in every reachable state, as questions assume it and as files list it
//	decide             whether a cube is satisfiable: Z3, and the fast path
//	symbolic           a step on symbols: both orders of two steps, one path a cube
//	partition          the leaves as a Boolean function over cells, and conjunctions that cover it
//	wording            such a function as an expression of the language
//	question           questions about the steps of one program; its helpers work ahead, each with a solver
//	commute            the weakest condition in which two steps commute
//	uniform            what a third step does to a pair, and the greatest family that the repairs leave
//	cachekey           what an answer that is kept depends on
//
// Synthesize and what it may cost:
//
//	options.go         Options; session.go a solver for many programs, and the work on one; report.go what it did
//	synth.go           Synthesize; workers.go works on pairs ahead of their turn
//	progress.go        what a caller hears meanwhile
//	cache.go           answers of earlier runs; cachefacts.go the facts that they used
//	invariant.go       which declared invariants are inductive, hence may be assumed, and which are false
//	strengthen.go      lemmas that make others inductive
//	dump.go            what a question is about, for people
//
// Proofs and explanations:
//
//	finding.go         a claim that is false, or not proved, in words
//	check.go           proofs and counterexamples for a given constraint set
//	explain.go         why the uniform part of a pair is smaller than its commuting part
//	examples.go        reachable states that show what an entry means
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
// classics.md do for common blocks. Operations on whole sets, bags and maps, loops that do not end
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
// satisfiability only, never on a model, nor on what a session has been asked before, so it is the same on
// every run.
package synth
