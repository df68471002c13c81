// Package liveness decides on a finite state graph whether executions come to an end, and whether something happens in
// all of them: termination, eventually, leads to, each under a fairness of the scheduler. What it finds wrong is a
// lasso, a stem and a cycle.
//
//   - graph.go: the graph, as plain data;
//   - components.go: strongly connected components of a part of it (Tarjan, SIAM J. Comput. 1, 1972);
//   - fairness.go: components with a fair cycle. Weak fairness is a set of Büchi conditions, strong fairness of Streett
//     conditions, decided by taking a component apart (Emerson and Lei, Sci. Comput. Program. 8, 1987; Lichtenstein and
//     Pnueli, POPL'85);
//   - lasso.go: a short stem and a short fair cycle;
//   - verdicts.go: the questions;
//   - counting.go: programs whose loops count, which always end: no graph is needed.
//
// The states of a machine are explored, and numbered, by package explore.
package liveness
