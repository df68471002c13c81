/* testdata/programs/many-producers.yaml: one transition for one step. */
chan c = [SIZE] of { byte };
byte got[2 * PRODUCERS];
byte size;

active [PRODUCERS] proctype producer() {
	c ! 10 * _pid + 1;
	c ! 10 * _pid + 2;
end:	false
}

active proctype consumer() {
	do
	:: d_step { size < 2 * PRODUCERS - 1 && len(c) > 0 -> c ? got[size]; size++ }
	:: d_step { size == 2 * PRODUCERS - 1 && len(c) > 0 -> c ? got[size]; size++ }; break
	od;
end:	false
}
