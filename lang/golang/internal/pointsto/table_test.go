package pointsto_test

import (
	"testing"
)

// Each program calls show(name, register); lines count from 2. An object is named by its variable or kind and line, and
// by the lines of the calls that lead to it; a line of what is wanted is the name, the lines of the calls that lead to
// show, and what the register may point to.
var programs = []struct{ name, source, want string }{
	{"fields", `
type inner struct { a, b *int }
type node struct { val int; in inner; next *node }
func main() {
	x := new(int); a := &node{}
	y := new(int)
	b := &node{next: a, in: inner{b: y}}
	b.in.a = x
	show("val", &b.val)
	show("next", b.next)
	show("in", &b.in)
	show("a", b.in.a)
	show("copied b", copied(*b).in.b)
	p := &b.in.a
	*p = y
	show("a again", b.in.a)
}
func copied(n node) node { m := n; return m }`, `
a: new:5 new:6
a again: new:5 new:6
copied b: new:6
in: complit:7.in
next: complit:5
val: complit:7.val`},

	{"contexts keep two sites apart", `
func make1() *int { return new(int) }
func id(p *int) *int { return p }
func main() {
	a := make1()
	b := make1()
	show("a", a)
	show("b", id(b))
	show("id a", id(a))
}`, `
a: new:2[5]
b: new:2[6]
id a: new:2[5]`},

	{"arrays have one element", `
func main() {
	var a [3]*int
	i, j := new(int), new(string)
	a[0] = i
	show("a1", a[1])
	show("addr", &a[2])
	show("slice", a[1:])
	show("elem", &a[1:][0])
	q := [2][2]*string{{j}}
	show("q", q[1][0])
	p := (*[2]*int)(a[:])
	show("p", p)
}`, `
a1: new:4
addr: a:3[]
elem: a:3[]
p: a:3
q: new:4
slice: a:3`},

	{"closures capture", `
func counter(p *int) func() *int {
	return func() *int { show("in", p); return p }
}
func main() {
	x, y := new(int), new(string)
	f, g := counter(x), counter(new(int))
	show("f", f)
	show("f()", f())
	show("g()", g())
	func() { show("y", y) }()
	h := f
	if *x == 0 { h = g }
	show("h()", h())
}`, `
f: makeclosure:3[7]
f(): new:6
g(): new:7
h(): new:6 new:7
in[10]: new:7
in[14]: new:6 new:7
in[9]: new:6
y[11]: new:6`},

	{"interfaces with two types", `
type shape interface{ area() *int }
type sq struct{ n *int }
type ci struct{ n *int }
func (s sq) area() *int { show("sq", s.n); return s.n }
func (c *ci) area() *int { show("ci", c); return c.n }
type both struct{ shape }
func main() {
	var s shape = sq{new(int)}
	show("one", s)
	if *s.area() == 0 { s = &ci{new(int)} }
	show("two", s.area())
	if c, ok := s.(*ci); ok { show("asserted", c) }
	var x any = s
	if q, ok := x.(sq); ok { show("q", q.n) }
	if h, ok := x.(interface{ hole() }); ok { show("none", h) }
	if h, ok := x.(shape); ok { show("some", h) }
	b := both{s}
	show("promoted", shape(b).area())
	f := s.area
	show("bound", f())
	g := sq.area
	show("expr", g(sq{}))
}`, `
asserted: complit:11
bound: new:9 new:11
ci[12]: complit:11
ci[19,0]: complit:11
ci[21,0]: complit:11
expr:
none:
one: interface p.sq:9
promoted: new:9 new:11
q: new:9
some: interface p.sq:9 interface *p.ci:11
sq[11]: new:9
sq[12]: new:9
sq[19,0]: new:9
sq[21,0]: new:9
sq[23,0]:
two: new:9 new:11`},

	{"linked list", `
type node struct { next *node; val *int }
func main() {
	var head *node
	for i := range 3 { head = &node{next: head, val: &i} }
	for n := head; n != nil; n = n.next { show("n", n); show("val", n.val) }
}`, `
n: complit:5
val: i:5`},

	{"channels", `
type msg struct { reply chan *int; val *int }
func main() {
	c, d := make(chan *int), make(chan msg, 1)
	x, y := new(int), new(int)
	c <- x
	show("c", c)
	show("received", <-c)
	go serve(d)
	r := make(chan *int)
	d <- msg{r, y}
	v, ok := <-r
	_ = ok
	show("reply", v)
	select {
	case v := <-c:
		show("selected", v)
	case m := <-d:
		show("msg", m.reply)
	case c <- new(int):
	}
	for v := range c { show("ranged", v) }
}
func serve(d chan msg) { for m := range d { m.reply <- m.val } }`, `
c: makechan:4
msg: makechan:10
ranged: new:5 new:20
received: new:5 new:20
reply: new:5
selected: new:5 new:20`},

	{"maps", `
type key struct { p *int }
func main() {
	m := map[key]*string{}
	x, y := new(int), new(string)
	m[key{x}] = y
	v, ok := m[key{}]
	_ = ok
	show("m", m)
	show("v", v)
	show("w", m[key{}])
	for k, v := range m { show("k", k.p); show("kv", v) }
	for k := range m { show("k only", k.p) }
	n := map[string][]*int{}
	n["a"] = append(n["a"], x)
	for _, s := range n { show("s", s); show("s[0]", s[0]) }
	for i, r := range "text" { _, _ = i, r }
	delete(n, "a")
	clear(m)
}`, `
k: new:5
k only: new:5
kv: new:5
m: makemap:4
s: append:15
s[0]: new:5
v: new:5
w: new:5`},

	{"slices and append", `
func main() {
	x, z := new(int), new(int)
	y := new(int); s := make([]*int, 1, 4)
	s[0] = x
	t := append(s, y)
	show("t", t)
	show("s0", s[0])
	u := append([]*int(nil), t...)
	show("u", u)
	show("u0", u[0])
	w := make([]*int, 2)
	copy(w, []*int{z})
	show("w0", w[0])
	b := []byte("abc")
	b = append(b, "def"...)
	show("b", b)
	show("r", []rune("abc"))
}`, `
b: convert:15 append:16
r: convert:18
s0: new:3 new:4
t: makeslice:4 append:6
u: append:9
u0: new:3 new:4
w0: new:3`},

	{"defer, panic and recover", `
type mine struct{ p *int }
func main() {
	x := new(int)
	defer show("deferred", x)
	defer func() {
		r := recover()
		show("r", r)
		if m, ok := r.(*mine); ok { show("m", m.p) }
	}()
	go func() { defer func() { show("other", recover()) }(); panic(1) }()
	if *x == 0 { panic(&mine{x}) }
	fail()
}
func fail() { panic("text") }`, `
m[6]: new:4
other[11,11]: interface int:11[11]
r[6]: interface *p.mine:12 interface string:15[13]`},

	{"generics", `
type stack[T any] struct { items []T }
func (s *stack[T]) push(x T) { s.items = append(s.items, x) }
func (s *stack[T]) top() T { return s.items[0] }
func apply[T, U any](x T, f func(T) U) U { return f(x) }
func main() {
	var a stack[*int]
	var b stack[*string]
	a.push(new(int))
	b.push(new(string))
	show("a", a.top())
	show("b", b.top())
	show("applied", apply(&a, func(s *stack[*int]) *int { return s.top() }))
}`, `
a: new:9
applied: new:9
b: new:10`},

	{"recursion to the bound", `
func f(n int, p *int) *int {
	show("p", p)
	if n == 0 { return p }
	return f(n-1, new(int))
}
func main() { show("f", f(7, new(int))) }`, `
f: new:7 new:5[7] new:5[7,5]
p[7,5,5]: new:5[7,5]
p[7,5]: new:5[7]
p[7]: new:7`},

	{"order of initialisation and variables", `
var a = &b
var b = new(int)
var table = map[string]func() *int{"one": one}
func one() *int { return b }
func init() { b = new(int) }
func main() {
	show("a", a)
	show("b", *a)
	show("one", one)
	show("call", table["one"]())
}`, `
a: p.b
b: new:3 new:6[0]
call: new:3 new:6[0]
one: p.one`},

	{"functions as values of maps, fields and channels", `
type handler struct { f func(*int) }
func first(p *int) { show("first", p) }
func second(p *int) { show("second", p) }
func main() {
	c := make(chan func(*int), 1)
	c <- first
	h := handler{second}
	(<-c)(new(int))
	h.f(new(int))
	for _, f := range []func(*int){first, second} { f(new(int)) }
}`, `
first[11]: new:11
first[9]: new:9
second[10]: new:10
second[11]: new:11`},

	{"range over a function", `
func all(s []*int) func(func(int, *int) bool) {
	return func(yield func(int, *int) bool) {
		for i, p := range s { if !yield(i, p) { return } }
	}
}
func main() {
	for _, p := range all([]*int{new(int)}) { show("p", p) }
}`, `
p[0,4]: new:8`},

	{"pointers to pointers and swapped structs", `
type pair struct { a, b *int }
func (p *pair) swap() { p.a, p.b = p.b, p.a }
func set(pp **int, v *int) { *pp = v }
func main() {
	p := pair{a: new(int),
		b: new(int)}
	q := p
	p.swap()
	show("p.a", p.a)
	show("q.a", q.a)
	var x *int
	set(&x, p.b)
	show("x", x)
	n := (*named)(&p)
	show("n", &n.b)
}
type named pair`, `
n: p:6.b
p.a: new:6 new:7
q.a: new:6 new:7
x: new:6 new:7`},

	{"what is not reached and what is nil", `
func never() { show("never", new(int)) }
func outside() *int
func main() {
	var p *int
	var f func()
	show("nil", p)
	show("outside", outside())
	f()
}`, `
nil:
outside:`},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			r := analyse(t, p.source)
			if got, want := probes(r), sorted(p.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if len(r.Unsupported) > 0 {
				t.Error(r.Unsupported)
			}
		})
	}
}
