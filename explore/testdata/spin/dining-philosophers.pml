/* testdata/programs/dining-philosophers.yaml without ORDERED: one transition for one step. */
byte fork[N];     /* 0: free, else 1 + the number of who holds it */
bool ate[N];

active [N] proctype philosopher() {
	byte first = _pid;
	byte second = (_pid + 1) % N;
	d_step { fork[first] == 0 -> fork[first] = 1 + _pid }
	d_step { fork[second] == 0 -> fork[second] = 1 + _pid; ate[_pid] = true }
	fork[second] = 0;
	fork[first] = 0;
end:	false     /* instead of the transition with which a process of Spin disappears */
}
