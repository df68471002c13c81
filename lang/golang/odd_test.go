package golang_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/explore/simulate"
	"cdpor/lang/golang"
)

var mentioned = regexp.MustCompile(`\b(atomic|context|errors|fmt|heap|iter|list|os|runtime|slices|sync|time|unsafe)\.`)

// TestOdd: a valid program is explored or refused, whatever its types are; cdpor never fails on it.
func TestOdd(t *testing.T) { exploredOrRefused(t, oddPrograms) }

// exploredOrRefused fails for programs on which cdpor itself fails.
func exploredOrRefused(t *testing.T, programs []string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module odd\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"atomic": "sync/atomic", "heap": "container/heap", "list": "container/list"}
	for k, body := range programs {
		text := "package odd\n\nimport \"testing\"\n"
		seen := map[string]bool{}
		for _, m := range mentioned.FindAllStringSubmatch(body, -1) {
			if path := m[1]; !seen[path] {
				seen[path] = true
				if long := paths[path]; long != "" {
					path = long
				}
				text += fmt.Sprintf("import %q\n", path)
			}
		}
		dir := filepath.Join(root, fmt.Sprint("p", k))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(text+body+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := golang.Open(t.Context(), root+"/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Refused() {
		t.Errorf("not valid: %v", r)
	}
	for k, body := range programs {
		p, err := set.Program(t.Context(), golang.Options{Path: filepath.Join(root, fmt.Sprint("p", k)), Func: "TestX"})
		switch {
		case err == nil:
			_, err := simulate.Run(t.Context(), machine(t, p), simulate.Options{Schedules: 20, Seed: 1})
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
		case strings.Contains(err.Error(), "fault of its own"), strings.Contains(err.Error(), "bug of cdpor"):
			t.Errorf("%s\n\t%v", body, err)
		}
	}
}

// TestLoadingStops: no phase of loading goes on when its context has ended.
func TestLoadingStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	path := write(t, "c := make(chan int, 1)\nc <- 1\nx = <-c")
	set, err := golang.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Load(ctx, golang.Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	cancel(enough)
	if _, err := golang.Open(ctx, path); !errors.Is(err, enough) {
		t.Errorf("open: error %v", err)
	}
	if _, err := set.Load(ctx, golang.Options{Path: path}); !errors.Is(err, enough) {
		t.Errorf("load: error %v", err)
	}
	if _, _, err := set.Vet(ctx, golang.Options{Path: path}); !errors.Is(err, enough) {
		t.Errorf("vet: error %v", err)
	}
}

// oddPrograms are valid programs with types that have few values, or are made in unusual ways: each declares TestX.
var oddPrograms = []string{
	`type P struct{}; func TestX(t *testing.T) { c := make(chan P, 1); go func() { c <- P{} }(); <-c }`,
	`type P struct{}; func TestX(t *testing.T) { c := make(chan P); go func() { c <- P{} }(); v := <-c; if v != (P{}) { t.Fatal() } }`,
	`type P struct{}; func TestX(t *testing.T) { var x any = P{}; if x != (P{}) { t.Fatal("no") } }`,
	`type P struct{}; func TestX(t *testing.T) { var x any = P{}; if x != any(P{}) { t.Fatal("no") } }`,
	`type P struct{}; func TestX(t *testing.T) { var x any = P{}; _, ok := x.(P); if !ok { t.Fatal("no") }; y := x.(P); _ = y }`,
	`type P struct{}; func TestX(t *testing.T) { m := map[P]int{}; m[P{}]++; for k, v := range m { _, _ = k, v }; delete(m, P{}) }`,
	`type P struct{}; func TestX(t *testing.T) { m := map[string]P{}; m["a"] = P{}; _, ok := m["a"]; if !ok { t.Fatal() } }`,
	`type P struct{}; func TestX(t *testing.T) { m := map[any]P{}; m[1] = P{}; m[P{}] = P{}; _, ok := m[P{}]; if !ok { t.Fatal() } }`,
	`type P struct{}; func TestX(t *testing.T) { s := []P{{}, {}}; s = append(s, P{}); for i, v := range s { _, _ = i, v }; if s[0] != s[1] { t.Fatal() } }`,
	`type P struct{}; func TestX(t *testing.T) { s := make([]P, 3); go func() { s[0] = P{} }(); _ = s[1] }`,
	`type P struct{}; func TestX(t *testing.T) { a := [3]P{}; p := &a[1]; *p = P{}; if a != [3]P{} { t.Fatal() } }`,
	`type P struct{}; func TestX(t *testing.T) { p, q := new(P), new(P); _ = p == q; *p = *q }`,
	`type P struct{}; func (P) M() int { return 1 }; func TestX(t *testing.T) { var x interface{ M() int } = P{}; f := x.M; if f() != 1 { t.Fatal() }; g := P.M; _ = g(P{}) }`,
	`type P struct{}; func (*P) M() int { return 1 }; func TestX(t *testing.T) { var x interface{ M() int } = &P{}; go x.M(); defer x.M() }`,
	`type P [0]func(); func TestX(t *testing.T) { var p P; c := make(chan P, 1); c <- p; p = <-c; for range p { } ; _ = len(p) }`,
	`type P [0]int; func TestX(t *testing.T) { var p P; for i, v := range p { t.Log(i, v) }; var x any = p; if x != any(p) { t.Fatal() } }`,
	`type P [0]int; func TestX(t *testing.T) { var p P; s := p[:]; s = append(s, 1); i := len(s); defer func() { recover() }(); _ = p[i-1:]; q := &p; _ = q[i] }`,
	`type P struct{ _ [0]int; n int }; func TestX(t *testing.T) { p := P{n: 1}; q := P{n: 1}; if p != q { t.Fatal() }; c := make(chan P, 1); c <- p; p = <-c }`,
	`type P struct{ _ [0]func(); n int }; func TestX(t *testing.T) { p := P{n: 1}; p.n++; var x any = &p; _ = x; var y any = p; z := y.(P); _ = z.n }`,
	`type P struct{ _ int; _ string }; func TestX(t *testing.T) { var p, q P; if p != q { t.Fatal() }; m := map[P]int{p: 1}; if m[q] != 1 { t.Fatal() } }`,
	`type P struct{ _ struct{}; _ P2 }; type P2 struct{ _, _ int; a int }; func TestX(t *testing.T) { var p, q P; if p != q { t.Fatal() }; x := any(p); _ = x == any(q) }`,
	`type P struct{ _ *P; next *P }; func TestX(t *testing.T) { p := &P{}; p.next = p; p = p.next.next; _ = p.next == p }`,
	`type noCopy struct{}; func (*noCopy) Lock() {}; func (*noCopy) Unlock() {}; type P struct { _ noCopy; mu sync.Mutex; n int }; func TestX(t *testing.T) { var p P; go func() { p.mu.Lock(); p.n++; p.mu.Unlock() }(); p.mu.Lock(); p.n++; p.mu.Unlock() }`,
	`func f[T any](_ T, n int) int { return n }; func TestX(t *testing.T) { _ = f(struct{}{}, 1) + f([0]int{}, 2) + f(any(nil), 3) + f(f[int], 4) }`,
	`func f(_ int, _ struct{}, s ...struct{}) (_ struct{}, n int) { return struct{}{}, len(s) }; func TestX(t *testing.T) { a, n := f(1, struct{}{}, struct{}{}); _ = a; t.Log(n); go f(1, a); defer f(2, a, a, a) }`,
	`type G[T any] struct{ _ T; v T }; func (g *G[_]) M() {}; func (g G[T]) V() T { return g.v }; func TestX(t *testing.T) { g := G[struct{}]{}; g.M(); _ = g.V(); h := G[G[int]]{}; h.M(); _ = h.V().V() }`,
	`type A = struct{}; type B[T any] = map[A]T; func TestX(t *testing.T) { b := B[A]{}; b[A{}] = A{}; _, ok := b[A{}]; if !ok { t.Fatal() } }`,
	`type L[T any] struct{ next *L[T]; v T }; func (l *L[T]) push(v T) *L[T] { return &L[T]{l, v} }; func TestX(t *testing.T) { var l *L[struct{}]; l = l.push(struct{}{}); l = l.push(struct{}{}); for ; l != nil; l = l.next { _ = l.v } }`,
	`type S[T comparable] map[T]struct{}; func (s S[T]) Add(v T) { s[v] = struct{}{} }; func TestX(t *testing.T) { s := S[struct{}]{}; s.Add(struct{}{}); q := S[any]{}; q.Add(1); q.Add(struct{}{}); r := S[[0]int]{}; r.Add([0]int{}) }`,
	`type Num interface{ ~int | ~int8 | ~uint }; func add[T Num](x ...T) (s T) { for _, v := range x { s += v }; return }; type my int; func TestX(t *testing.T) { _ = add[my](1, 2); _ = add[int8](100, 100); _ = add[uint]() }`,
	`type T1 interface{ T1() T1 }; type r struct{ t T1 }; func (x r) T1() T1 { return x.t }; func TestX(t *testing.T) { x := r{}; x.t = x; _ = x.T1().T1() }`,
	`type F func(F) F; func TestX(t *testing.T) { var f F; f = func(g F) F { return g }; _ = f(f)(f) }`,
	`type M map[string]M; func TestX(t *testing.T) { m := M{}; m["x"] = m; _ = len(m["x"]["x"]["y"]) }`,
	`type C chan C; func TestX(t *testing.T) { c := make(C, 1); c <- c; c = <-c; close(c); <-c }`,
	`type Sl []Sl; func TestX(t *testing.T) { s := Sl{nil, {}}; s[0] = s; _ = len(s[0][1]) }`,
	`type I interface{}; type E struct { I; error }; func TestX(t *testing.T) { var e E; _ = e == E{}; defer func() { recover() }(); _ = e.Error() }`,
	`func TestX(t *testing.T) { var p struct{}; var q struct{ a, b struct{} }; q.a = p; x := &q.b; *x = q.a; var y interface{} = q; switch v := y.(type) { case struct{}: t.Fatal(v); case struct{ a, b struct{} }: _ = v.a; default: t.Fatal() } }`,
	`func TestX(t *testing.T) { var i interface{ Error() string }; switch i.(type) { case nil: case error: t.Fatal() } ; switch x := any(i).(type) { case error: _ = x.Error() } }`,
	`func TestX(t *testing.T) { var e error; var x any = e; if x != nil { t.Fatal() }; _ = e == x; _ = x == e; var p *int; x = p; if x == nil { t.Fatal() } }`,
	`func f() (struct{}, [0]int, error) { return struct{}{}, [0]int{}, nil }; func g(struct{}, [0]int, error) {}; func TestX(t *testing.T) { g(f()); go g(f()); defer g(f()); a, b, _ := f(); _, _ = a, b }`,
	`func f() (_ int, _ error) { defer func() { recover() }(); panic(struct{}{}) }; func TestX(t *testing.T) { a, b := f(); _, _ = a, b }`,
	`func TestX(t *testing.T) { defer func() { v := recover(); if v != any([0]int{}) { t.Fatal(v) } }(); panic([0]int{}) }`,
	`func TestX(t *testing.T) { defer func() { if recover() == nil { t.Fatal() } }(); var m map[struct{}]struct{}; m[struct{}{}] = struct{}{} }`,
	`func TestX(t *testing.T) { var c chan struct{}; select { case c <- struct{}{}: case v, ok := <-c: _, _ = v, ok; default: } ; select { case <-c: default: } }`,
	`func TestX(t *testing.T) { c := make(chan [0]int); d := make(chan struct{ _ int }); go func() { select { case c <- [0]int{}: case d <- struct{ _ int }{}: } }(); select { case x := <-c: _ = x; case y := <-d: _ = y } }`,
	`func TestX(t *testing.T) { var wg sync.WaitGroup; var m sync.Map; wg.Add(2); for i := range 2 { go func() { defer wg.Done(); m.Store(struct{}{}, i); m.LoadOrStore(i, struct{}{}); m.Range(func(_, _ any) bool { return true }) }() }; wg.Wait() }`,
	`func TestX(t *testing.T) { var v atomic.Value; v.Store(struct{}{}); _ = v.Load().(struct{}); var p atomic.Pointer[struct{}]; p.Store(&struct{}{}); _ = *p.Load(); var b atomic.Pointer[[0]int]; _ = b.Load() == nil }`,
	`func TestX(t *testing.T) { p := sync.Pool{New: func() any { return struct{}{} }}; x := p.Get().(struct{}); p.Put(x) }`,
	`func TestX(t *testing.T) { o := sync.OnceValue(func() struct{} { return struct{}{} }); _ = o(); a, b := sync.OnceValues(func() ([0]int, error) { return [0]int{}, nil })(); _, _ = a, b }`,
	`func TestX(t *testing.T) { ctx := context.WithValue(context.Background(), struct{}{}, struct{}{}); _ = ctx.Value(struct{}{}); _ = ctx.Value(1); type k struct{ _ int }; ctx = context.WithValue(ctx, k{}, [0]int{}); if ctx.Value(k{}) == nil { t.Fatal() } }`,
	`func TestX(t *testing.T) { for range 0 { t.Fatal() }; for i := range 3 { _ = i }; for range [0]int{} { t.Fatal() }; var a *[3]struct{}; for i := range a { _ = i }; for i, r := range "héł" { _, _ = i, r }; for range func(yield func(struct{}) bool) { _ = yield(struct{}{}) && yield(struct{}{}) } { } }`,
	`func it[T any](xs ...T) iter.Seq2[int, T] { return func(yield func(int, T) bool) { for i, x := range xs { if !yield(i, x) { return } } } }; func TestX(t *testing.T) { for i, x := range it(struct{}{}, struct{}{}) { _, _ = i, x; if i == 0 { continue }; break }; next, stop := iter.Pull2(it(1)); defer stop(); _, _, _ = next() }`,
	`const big = 1 << 70; func TestX(t *testing.T) { _ = uint64(big >> 7); x := uint64(1<<63); _ = x; var y any = x; _ = y == any(x); c := 'x'; _ = c; var z complex128; _ = z }`,
	`func TestX(t *testing.T) { s := []int{1, 2, 3}; a := (*[2]int)(s); a[0] = 4; b := [2]int(s); _ = b; z := (*[0]int)(s); _ = z; q := [0]int(s); _ = q; c := s[:0:1]; c = append(c, s...); clear(c); _ = min(1, 2) + max(len(s), cap(c)); copy(s, c) }`,
	`func TestX(t *testing.T) { var s []struct{}; s = append(s, make([]struct{}, 5)...); copy(s, s[1:]); clear(s); s = s[2:4:5]; n := copy([]byte("abc"), "xyz"); _ = n; s = slices.Clone(s); _ = slices.Index(s, struct{}{}); a := (*[0]struct{})(s); _ = a }`,
	`func TestX(t *testing.T) { var x struct { a [2][0]int; b [0][2]string; c map[[0]int]struct{} }; x.c = map[[0]int]struct{}{}; x.c[[0]int{}] = struct{}{}; y := x.a; z := &x.a[1]; _ = len(z); _ = y[0]; i := 1; _ = x.a[i] == [0]int{}; x.a[i] = [0]int{} }`,
	`type e1 struct{}; func (e1) Error() string { return "e1" }; func TestX(t *testing.T) { var err error = e1{}; if err != (e1{}) { t.Fatal() }; if !errors.Is(err, e1{}) { t.Fatal() }; w := fmt.Errorf("w: %w", err); _ = errors.Unwrap(w); if !errors.Is(w, e1{}) { t.Fatal() } }`,
	`type e2 struct{ _ int; s string }; func (e e2) Error() string { return e.s }; func TestX(t *testing.T) { var err error = e2{s: "x"}; if err != (e2{s: "x"}) { t.Fatal() }; if !errors.Is(err, e2{s: "x"}) { t.Fatal() }; panic(err) }`,
	`type placeholder struct{}; type set map[int]placeholder; var none placeholder; var all = set{1: none}; func TestX(t *testing.T) { all[2] = none; for k := range all { delete(all, k) }; go func() { all[3] = placeholder{} }() }`,
	`type placeholder = struct{}; var c = make(chan placeholder, 2); func TestX(t *testing.T) { go func() { c <- placeholder{} }(); x, ok := <-c; _, _ = x, ok; var y interface{} = x; _ = y == placeholder{}; _ = placeholder{} == y }`,
	`type placeholder struct{}; func (placeholder) Done() <-chan placeholder { return nil }; type D interface{ Done() <-chan placeholder }; func TestX(t *testing.T) { var d D = placeholder{}; select { case <-d.Done(): default: }; e := d; _ = e == d }`,
	`type w struct{ p placeholder; n int }; type placeholder struct{}; func TestX(t *testing.T) { a := w{n: 1}; b := a; b.p = a.p; pp := &b.p; *pp = placeholder{}; var i any = a.p; _ = i; c := struct{ w }{a}; c.p = placeholder{}; go func(placeholder, int) {}(c.p, c.n) }`,
	`func TestX(t *testing.T) { f := func() {}; g := f; _ = g; m := map[string]func(struct{}) struct{}{"x": func(s struct{}) struct{} { return s }}; _ = m["x"](struct{}{}); var h func(); defer func() { recover() }(); h() }`,
	`func TestX(t *testing.T) { var x any; switch x := x.(type) { case int, string: _ = x; case []int: _ = x[0]; case map[struct{}]int: _ = x[struct{}{}]; case func(): x(); case chan struct{}: <-x; case *struct{}: _ = *x; case nil: } }`,
	`func TestX(t *testing.T) { goto end; end: for i := 0; ; i++ { switch { case i > 2: break end; case i == 1: fallthrough; default: continue } } }`,
	`func TestX(t *testing.T) { type R struct{ *testing.T; sync.Locker }; r := R{T: t, Locker: &sync.Mutex{}}; r.Lock(); r.Unlock(); r.Helper(); x := r.Logf; x("%v", r == R{}) }`,
	`func TestX(t *testing.T) { var a [2]struct{ m sync.Mutex; _ int; c chan struct{} }; i := len(os.Args) % 2; a[i].m.Lock(); a[i].m.Unlock(); p := &a[i]; p.m.Lock(); defer p.m.Unlock(); go func() { close(p.c) }() }`,
	`func TestX(t *testing.T) { var l list.List; l.PushBack(struct{}{}); for e := l.Front(); e != nil; e = e.Next() { _ = e.Value.(struct{}) }; h := &hp{3, 1}; heap.Init(h); heap.Push(h, 2); _ = heap.Pop(h) }; type hp []int; func (h hp) Len() int { return len(h) }; func (h hp) Less(i, j int) bool { return h[i] < h[j] }; func (h hp) Swap(i, j int) { h[i], h[j] = h[j], h[i] }; func (h *hp) Push(x any) { *h = append(*h, x.(int)) }; func (h *hp) Pop() any { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }`,
	`func r(n int) struct{} { if n == 0 { return struct{}{} }; return r(n - 1) }; func TestX(t *testing.T) { _ = r(2); go r(1); var f func(int) [0]int; f = func(n int) [0]int { if n > 0 { return f(n - 1) }; return [0]int{} }; _ = f(2) }`,
	`type O[T any] struct{ v T; ok bool }; func Some[T any](v T) O[T] { return O[T]{v, true} }; func Map[T, U any](o O[T], f func(T) U) (_ O[U]) { if o.ok { return Some(f(o.v)) }; return }; func TestX(t *testing.T) { o := Map(Some(struct{}{}), func(struct{}) [0]int { return [0]int{} }); _ = o.v; _ = Map(O[error]{}, func(e error) any { return e }) }`,
	`type K interface{ comparable; ~int | ~string }; func keys[M ~map[k]v, k K, v any](m M) (r []k) { for x := range m { r = append(r, x) }; return }; func TestX(t *testing.T) { _ = keys(map[string]struct{}{"a": {}}); _ = keys(map[int][0]int{}) }`,
	`type P[T any, PT interface { *T; Set(int) }] struct{ v T }; func (p *P[T, PT]) Do() { PT(&p.v).Set(1) }; type V struct{ _ struct{}; n int }; func (v *V) Set(n int) { v.n = n }; func TestX(t *testing.T) { var p P[V, *V]; p.Do(); if p.v.n != 1 { t.Fatal() } }`,
	`func conv[T ~[]byte | ~string](x T) int { n := 0; for i := 0; i < len(x); i++ { n += int(x[i]) }; return n }; func TestX(t *testing.T) { _ = conv("ab"); _ = conv([]byte{1}); _ = []byte("xy"); _ = string([]byte{65}); _ = []rune("z"); _ = string(rune(66)) }`,
	`func mc[T ~[]byte | ~string](x T) string { return string(x) }; func ar[T [2]int | [3]int](x T) int { return len(x) }; func cp[T any](x *T) T { return *x }; func TestX(t *testing.T) { _ = mc("a"); _ = mc([]byte{1}); _ = ar([2]int{}); _ = cp(&struct{}{}) }`,
	`func TestX(t *testing.T) { t.Run("a", func(t *testing.T) { t.Parallel(); t.Cleanup(func() {}) }); t.Run("", func(*testing.T) {}); for _, tt := range []struct{ _ int; n string }{{n: "x"}} { t.Run(tt.n, func(t *testing.T) { t.Skip() }) } }`,
	`func TestX(t *testing.T) { var x [1]struct { a any; e error; f func(); c chan int; m map[int]int; s []int; p *int }; y := x; y[0].s = append(y[0].s, 1); z := &y[0]; z.m = map[int]int{}; z.m[0]++; _ = z.a == nil && z.e == nil && z.f == nil && z.c == nil && z.p == nil }`,
	`var ( _ = f1(); a, b = f2(); _, c = f2(); _ struct{} ); func f1() int { return 1 }; func f2() (struct{}, int) { return struct{}{}, 2 }; func init() { _, b = f2() }; func init() {}; func TestX(t *testing.T) { _, _, _ = a, b, c }`,
	`type T0 struct{ T1 }; type T1 struct{ *T2 }; type T2 struct{ n int; _ [0]T0 }; func (t *T2) Inc() { t.n++ }; func TestX(t *testing.T) { x := T0{T1{&T2{}}}; f := x.Inc; go f(); x.Inc(); g := (*T2).Inc; g(x.T2); h := T0.Inc; h(x) }`,
	`func TestX(t *testing.T) { tk := time.NewTicker(time.Second); defer tk.Stop(); tm := time.AfterFunc(0, func() {}); tm.Stop(); select { case <-tk.C: case <-time.After(0): }; var d time.Duration; time.Sleep(d); _ = time.Time{} == time.Time{} }`,
	`func TestX(t *testing.T) { c := sync.NewCond(&sync.Mutex{}); var rw sync.RWMutex; l := rw.RLocker(); l.Lock(); l.Unlock(); go func() { c.L.Lock(); c.Signal(); c.L.Unlock() }(); f := rw.Lock; f(); defer rw.Unlock(); g := (*sync.RWMutex).TryLock; _ = g }`,
	`func TestX(t *testing.T) { x := 5; p := &x; pp := &p; **pp = 6; q := &struct{ a [3]*int; b struct{} }{}; q.a[x%3] = *pp; *q.a[x%3]++; r := &q.b; s := &r; **s = struct{}{}; u := [...]struct{}{9: {}}; _ = len(u) }`,
	`type big [5000]int; func TestX(t *testing.T) { var b big; b[1] = 2; x := new([1 << 40]struct{}); _ = x; y := make([]int, 1<<20); _ = y; var z [64][64][64]int; _ = z }`,
	`func TestX(t *testing.T) { var i8 int8 = -128; _ = i8 / -1; _ = -i8; var u uint8 = 255; u++; s := 70; _ = 1 << s; _ = uint8(1) << u; _ = i8 >> s; _ = ^u &^ 3; var up uintptr = 1; _ = up; _ = u == 0 != (i8 < 0) }`,
	`func TestX(t *testing.T) { runtime.Gosched(); runtime.GC(); _ = runtime.NumCPU(); runtime.Goexit() }`,
	`func TestX(t *testing.T) { type L struct { n int; l *L }; var x = L{1, &L{2, nil}}; y := *x.l; _ = y == L{2, nil}; type I interface{ m() }; var i, j I; _ = i == j; print(1, "x", true); println() }`,
	`func TestX(t *testing.T) { m := map[any]any{nil: nil, 1: "a", "b": 2, struct{}{}: struct{}{}, [0]int{}: 1, [1]int{1}: 2}; delete(m, nil); _ = m[[1]int{1}]; _ = m[1.5]; for k, v := range m { _, _ = k, v }; clear(m) }`,
	`func TestX(t *testing.T) { a := []any{nil, 1, "x", struct{}{}, []int(nil), map[int]int(nil), func() {}, t}; for _, x := range a { _ = x == nil; if s, ok := x.(fmt.Stringer); ok { _ = s.String() } }; fmt.Sprint(a...); t.Log(a...) }`,
	`type P struct{}; func (P) M() {}; type I interface{ M() }; var _ I = P{}; var v I = P{}; var _ any = [0]int{}; func TestX(t *testing.T) { go v.M(); f := v.M; go f(); go P.M(P{}); go P{}.M(); defer v.M(); g := P.M; go g(P{}); go I.M(v) }`,
	`type P struct{ a, b int }; func (p P) M() int { return p.a + p.b }; type I interface{ M() int }; var v I = P{1, 2}; func TestX(t *testing.T) { go v.M(); f := v.M; go f(); defer v.M(); go I.M(v); var w I = Q(3); if t.Name() == "" { w = v }; go w.M(); _ = w.M() }; type Q int; func (q Q) M() int { return int(q) }`,
	`type P [0]func(); func (P) M() {}; type I interface{ M() }; func TestX(t *testing.T) { var v I = P{}; go v.M(); var w any = v; u, ok := w.(I); _ = ok; u.M(); z := w.(P); z.M() }`,
	`type P struct{}; func TestX(t *testing.T) { x := P{}; if len(t.Name()) > 3 { x = *new(P) }; y := [2]P{x, x}; z := y; i := 1; z[i] = x; p := &z; for _, v := range p { x = v }; c := make(chan [2]P, 1); c <- *p; _ = x }`,
	`type P = interface{}; type Q interface { P; M() }; type R interface{ Q }; func f[T any](x T) P { return x }; func TestX(t *testing.T) { var r R; _, ok := f(r).(Q); _ = ok; _ = f[P](nil) == nil; _ = f[error](nil) == f[R](nil) }`,
	`type C[T any] interface{ ~chan T }; func recv[T any, X C[T]](c X) (v T) { v = <-c; return }; func send[X ~chan T, T any](c X, v T) { c <- v }; type CC chan struct{}; func TestX(t *testing.T) { c := make(CC, 1); send(c, struct{}{}); _ = recv[struct{}](c); close(c); for range c { } }`,
	`func z[T any]() (t T) { return }; func n[T any]() *T { return new(T) }; func TestX(t *testing.T) { _ = z[struct{}](); _ = z[[0]int](); _ = z[error](); _ = z[func()](); _ = z[chan int]() == nil; p := n[sync.Mutex](); p.Lock(); q := n[map[struct{}]int](); _ = (*q)[struct{}{}]; _ = z[[2]struct{}]() == [2]struct{}{} }`,
	`func cleanup(t *testing.T) { t.Cleanup(func() { t.FailNow() }) }; func TestX(t *testing.T) { cleanup(t); defer t.FailNow(); defer func() { for range 3 { defer runtime.Goexit() } }(); for i := range 2 { defer func() { if i == 1 { t.SkipNow() } }() }; t.FailNow() }`,
	`func TestX(t *testing.T) { defer func() { defer func() { recover(); runtime.Goexit() }(); panic(1) }(); defer panic(2); go func() { defer runtime.Goexit(); defer func() { _ = recover() }(); var m map[int]int; m[1] = 1 }() }`,
	`func TestX(t *testing.T) { var p *struct{ a [4]struct{}; n struct{ _ int } }; defer func() { recover() }(); _ = p.a[3]; _ = len(p.a); q := &p.n; _ = *q }`,
	`type V struct{}; type W struct{ V }; func (V) A() W { return W{} }; func (w *W) B() V { return w.V }; func TestX(t *testing.T) { w := W{}; _ = w.A().V.A(); f := w.B; _ = f(); h := func(xs ...V) int { return len(xs) }; _ = h([]V{{}, {}}...); m := map[W][]V{{}: {{}}}; m[W{}] = append(m[W{}], f()) }`,
	`type e struct{}; func (e) Error() string { return "" }; func f() (err error) { defer func() { if r := recover(); r != nil { err, _ = r.(error) } }(); panic(e{}) }; func TestX(t *testing.T) { if f() == nil { t.Fatal() }; var x e; if !errors.As(f(), &x) { t.Fatal() } ; errs := []error{e{}, nil}; for _, err := range errs { switch err { case nil: case e{}: case context.Canceled: } } }`,
	`type key struct{}; func TestX(t *testing.T) { ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, key{})); cancel(nil); v, ok := ctx.Value(key{}).(key); _, _ = v, ok; switch ctx.Value(key{}) { case nil: t.Fatal(); case key{}: default: t.Fatal() } }`,
	`type P struct{ a int; f float64 }; func TestX(t *testing.T) { p := P{a: 1}; go func(p P) { if p.a > 0 { t.Log(1) } }(p); go func() { _ = p.a }(); q := []P{p}; q[0].a++; m := map[string]P{}; m["x"] = p; _ = m["x"].a }`,
	`type P struct{ a [2]int; f [2]float64; g func(float64) float64 }; func TestX(t *testing.T) { c := make(chan P, 1); go func(c chan P, p *P, q P, i int) { c <- q; x := p.a[i]; y := q.f[i]; z := q.a[i]; _, _, _ = x, y, z; for _, v := range q.a { _ = v }; if x > 0 { t.Log(z) } }(c, &P{}, P{}, 1); p := <-c; _ = p.g(1.5) }`,
	`type C complex128; type P struct{ C; n int }; func (p P) M() int { return p.n }; func (p *P) N() C { return p.C }; type I interface { M() int; N() C }; func TestX(t *testing.T) { p := &P{}; go P.M(*p); go p.M(); go p.N(); var i I = p; go i.N(); defer i.M(); var a any = *p; b := a.(P); _ = b.n; var e any = p.C; _ = e == any(C(1i)); defer func(p P) { _ = p.n }(*p) }`,
	`type U unsafe.Pointer; type P struct{ p U; q unsafe.Pointer; n int }; func f(p P) (P, error) { return p, nil }; func TestX(t *testing.T) { x, err := f(P{}); _ = err; _ = x.n; go f(x); m := map[P]P{}; m[x] = x; _ = m[x].n; p := &x; p.n++; _ = (*int)(p.q); _ = sync.OnceValue(func() P { return x })().n }`,
	`type G[T any] struct{ v T; n int }; func (g G[T]) Get() (T, int) { return g.v, g.n }; func run[T any](g G[T], c chan<- T) { v, n := g.Get(); _ = n; c <- v }; func TestX(t *testing.T) { c := make(chan float64); go run(G[float64]{}, c); select { case v := <-c: _ = v > 1; case v, ok := <-c: _, _ = v, ok } }`,
	`type big [5000]int; type P struct{ b big; n int }; func TestX(t *testing.T) { var p P; go func(p P, b big) { i := p.n; if p.b[i] > b[i] || p.n > 0 { t.Log(i) } }(p, p.b); go func() { p.n++ }(); s := p.b[1:]; _ = s[0] }`,
	`type V struct{ n int; f float64 }; func (v V) M() int { return v.n }; type X struct{ g float64; V }; type W struct{ X; *Y }; type Y struct{ h float64; m int }; func (y Y) N() int { return y.m }; func TestX(t *testing.T) { w := W{Y: &Y{}}; go W.M(w); f := W.M; go f(w); g := W.N; go g(w); h := (*W).M; go h(&w); defer W.M(w); go w.M(); var i interface{ M() int; N() int } = w; go i.M(); i = &w; go i.N(); k := i.M; go k() }`,
	`type V struct{ n [3]int; f float64 }; func get() V { return V{} }; func TestX(t *testing.T) { i := get().n[1]; t.Log(get().n[i], get().f); go func(v V) { w := func() V { return v }; t.Log(w().n[i]) }(get()); c := make(chan [2]V, 1); c <- [2]V{}; t.Log((<-c)[i].n[i]); m := map[int][2]V{}; t.Log(m[1][i].n) }`,
}
