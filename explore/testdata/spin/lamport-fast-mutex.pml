/* testdata/programs/lamport-fast-mutex.yaml: one transition for one step. */
#define NOBODY -1
byte x;
short y = NOBODY;
bool trying[N];
byte inside;
byte entered;

active [N] proctype worker() {
	byte k;
again:	trying[_pid] = true;
	x = _pid;
	if
	:: y != NOBODY -> trying[_pid] = false; y == NOBODY; goto again
	:: else
	fi;
	y = _pid;
	if
	:: x != _pid ->
		trying[_pid] = false;
		do
		:: d_step { k < N - 1 && !trying[k] -> k++ }
		:: d_step { k == N - 1 && !trying[k] -> k = 0 }; break
		od;
		if
		:: y != _pid -> y == NOBODY; goto again
		:: else
		fi
	:: else
	fi;
	d_step { inside++; assert(inside == 1) }
	d_step { inside--; entered++ }
	y = NOBODY;
	trying[_pid] = false;
end:	false
}
