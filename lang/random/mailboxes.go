package random

import "fmt"

// A mailbox belongs to a thread, which may have two instances or be spawned.
type mailbox struct {
	thread   string
	capacity int
	many     bool
	bag      bool
}

// mailboxes decides which threads have one: always the first, so that there is somewhere to send to.
func (g *generator) mailboxes() {
	names := []string{"p0"}
	if g.r.Intn(3) == 0 {
		names = append(names, "p1")
	}
	if g.c.Spawns && g.r.Intn(2) == 0 {
		names = append(names, "w1")
	}
	for _, name := range names {
		m := &mailbox{thread: name, capacity: 1 + g.r.Intn(3), bag: g.r.Intn(3) == 0}
		m.many = name == "p0" && g.c.Counted && g.r.Intn(4) == 0
		g.boxes = append(g.boxes, m)
	}
}

func (g *generator) mailboxOf(thread string) *mailbox {
	for _, m := range g.boxes {
		if m.thread == thread {
			return m
		}
	}
	return nil
}

// declaration is its text in the entry of the thread.
func (m *mailbox) declaration() string {
	s := fmt.Sprintf("    mailbox: {of: int, capacity: %d}\n", m.capacity)
	if m.bag {
		s = fmt.Sprintf("    mailbox: {of: int, capacity: %d, order: bag}\n", m.capacity)
	}
	if m.many {
		s = "    count: 2\n" + s
	}
	return s
}

// mail writes a message to some thread or, where there is a mailbox, often what takes one.
func (g *generator) mail() string {
	if g.own != nil && g.r.Intn(3) > 0 {
		return g.receive()
	}
	m := g.boxes[g.r.Intn(len(g.boxes))]
	to := m.thread
	switch {
	case m.thread == "w1":
		to = "p0"
		if g.boxes[0].many {
			to = "p0[1]"
		}
	case m.many:
		to = fmt.Sprintf("%s[%s]", m.thread, g.pick("0", "1", g.index(g.variable())))
	}
	return fmt.Sprintf("%s!%s", to, g.pick("0", "1", g.variable(), "(1 - "+g.variable()+")"))
}

// mailTo writes a message to a thread that was spawned, or waits for it.
func (g *generator) mailTo(thread, h string) string {
	if g.mailboxOf(thread) == nil {
		return "join " + h
	}
	return g.pick(fmt.Sprintf("%s!1", h), fmt.Sprintf("%s!%s; join %s", h, g.variable(), h),
		fmt.Sprintf("%s!0; %s!%s", h, h, g.variable()))
}

func (g *generator) receive() string {
	x, y := g.variable(), g.variable()
	want := g.pick("got == 0", "got > 0", "got == 1", "got != 0")
	if g.c.Locals {
		want = g.pick(want, "got == l", "got != l")
	}
	take := g.pick(fmt.Sprintf("%s = got", x), fmt.Sprintf("if got == 1 { %s = 1 }", x), g.statement(1))
	all := g.pick(fmt.Sprintf("receive { case got { %s } }", take),
		fmt.Sprintf("receive { case got if %s { %s } }", want, take),
		fmt.Sprintf("receive { case got if %s { %s } case msg { %s = msg } }", want, take, y),
		fmt.Sprintf("receive { case got if %s { %s } after { %s } }", want, take, g.statement(1)),
		fmt.Sprintf("receive { case { %s } after { %s } }", g.statement(1), g.statement(1)),
		fmt.Sprintf("receive { case got if %s { %s } after any { %s } }", want, take, g.statement(1)),
		fmt.Sprintf("receive { case got { %s } after any { } }", take))
	if (!g.own.bag || g.own.capacity == 1) && g.r.Intn(4) == 0 {
		return "atomic { " + all + " }"
	}
	return all
}
