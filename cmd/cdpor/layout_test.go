package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layoutFaults lists what a reader cannot see: text that is cut off, boxes that stand out of what holds them, badges
// beyond the edge of the tree, words that are broken although a line would hold them.
const layoutFaults = `
const faults = [], name = e => e.tagName.toLowerCase() + (e.className.baseVal ?? e.className ? "." + (e.className.baseVal ?? e.className) : "") + " " + e.textContent.trim().slice(0, 40);
if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is " + (document.documentElement.scrollWidth - innerWidth) + " too wide");
const tree = document.getElementById("tree");
const edge = tree && tree.clientWidth ? tree.getBoundingClientRect().left + tree.clientWidth : 0;
for (const chip of document.querySelectorAll("#tree .chip")) {
  if (chip.getBoundingClientRect().right > edge + 0.5) faults.push("badge beyond the edge: " + name(chip));
  if (chip.scrollWidth > chip.clientWidth + 1) faults.push("badge cut off: " + name(chip));
}
for (const e of document.querySelectorAll("body *")) {
  const style = getComputedStyle(e);
  if (e.closest("#tree, svg, .scroll .program") || !e.checkVisibility() || style.position === "absolute") continue;
  if (e.scrollWidth > e.clientWidth + 1 && style.overflowX === "auto" && style.backgroundImage === "none") faults.push("scrolls without a hint: " + name(e));
  if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && style.overflowX !== "auto" && style.display !== "inline") faults.push("stands out: " + name(e));
}
for (const e of document.querySelectorAll("code, td, th, dd, li, p, .text")) {
  if (!e.checkVisibility() || e.closest("svg, .replay")) continue;
  for (const t of e.childNodes) {
    if (t.nodeType !== Node.TEXT_NODE) continue;
    for (const m of t.data.matchAll(/[\p{L}\p{N}_]+/gu)) {
      const r = document.createRange();
      r.setStart(t, m.index);
      r.setEnd(t, m.index + m[0].length);
      const whole = t.data.slice(0, m.index).match(/\S*$/)[0].length + t.data.slice(m.index).match(/^\S*/)[0].length; // a long path has to break somewhere
      if (m[0].length < 25 && whole < 40 && new Set([...r.getClientRects()].filter(b => b.width > 0.5).map(b => Math.round(b.top))).size > 1) faults.push("a word is broken: " + m[0] + " in " + name(e));
    }
  }
}
const svg = document.querySelector(".diagram:not(.ring) svg");
if (svg) {
  const box = svg.getBoundingClientRect();
  if (svg.parentElement.scrollWidth > svg.parentElement.clientWidth + 1) faults.push("the diagram is wider than its place");
  for (const t of svg.querySelectorAll("text.effect")) if (t.textContent.includes("…")) faults.push("cut off: " + t.textContent);
  for (const t of svg.querySelectorAll("text")) {
    const b = t.getBoundingClientRect();
    if (b.width && (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)) faults.push("beyond the diagram: " + t.textContent);
  }
}
return faults.slice(0, 12).join("\n");`

// TestPageLayout looks at the kinds of pages on a phone, a laptop and a wide screen, light and dark.
func TestPageLayout(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := newBrowser(t)
	vacuous := filepath.Join(t.TempDir(), "vacuous.yaml")
	source := "cdpor: 1\nname: vacuous\nshared: {x: int = 0}\nthreads:\n  a: |\n    if x == 1 { assert x == 2 }\n" +
		"  b: x = 2\nobserve: [x]\n"
	if err := os.WriteFile(vacuous, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	schemes := []string{"light"} // colours change no box: both are for people who look
	if *screenshots != "" {
		schemes = []string{"light", "dark"}
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"violation", []string{"--no-constraints", "check-then-act"}},
		{"deadlock", []string{"--no-constraints", "dining-philosophers"}},
		{"constraints", []string{"striped-map"}},
		{"outcomes", []string{"--no-constraints", "parallel-quick-sort"}},
		{"choices", []string{"--no-constraints", "select-fan-in"}},
		{"covered", []string{"--coverage", "filesystem"}},
		{"coverage", []string{"--no-constraints", "--coverage", "dropping-logger"}},
		{"vacuous", []string{"--no-constraints", vacuous}},
	} {
		last := len(c.args) - 1
		program := filepath.Join("../../testdata/programs", c.args[last]+".yaml")
		if c.name == "vacuous" {
			program = vacuous
		}
		path, _ := writtenPage(t, append(c.args[:last:last], program)...)
		for _, width := range []int{360, 1280, 1920} {
			for _, scheme := range schemes {
				b.look(width, 900, scheme)
				b.open(path, "")
				b.the("#row-0")
				if width == 360 && c.name == "violation" {
					order := js[string](b, `return [".verdict", ".finds section", ".detail", ".outcomes", ".tree-section"]
						.map(s => Math.round(document.querySelector(s)?.getBoundingClientRect().top ?? -1)).join()`)
					var verdict, found, detail, outcomes, tree int
					fmt.Sscanf(order, "%d,%d,%d,%d,%d", &verdict, &found, &detail, &outcomes, &tree)
					if !(verdict < found && found < detail && detail < outcomes && outcomes < tree) || found > 450 {
						t.Errorf("on a phone, verdict, violation, its schedule, outcomes and tree stand at %s", order)
					}
				}
				if faults := js[string](b, "document.querySelectorAll('details').forEach(d => d.open = true);"+
					layoutFaults); faults != "" {
					t.Errorf("%s, %d %s:\n%s", c.name, width, scheme, faults)
				}
				if legend := strings.ToLower(js[string](b,
					"return document.getElementById('map-legend')?.textContent || ''")); !strings.Contains(legend,
					"column") || !strings.Contains(legend, "strip") {
					t.Errorf("%s: the legend of the map: %q", c.name, legend)
				}
				if b.element(".diagram") != "" && b.element(".diagram-legend") == "" {
					t.Errorf("%s: the diagram has no legend", c.name)
				}
				if *screenshots != "" {
					height := js[int](b, "return Math.min(4000, document.documentElement.scrollHeight)")
					b.look(width, max(900, height), scheme)
					b.screenshot(*screenshots, fmt.Sprintf("%s-%d-%s", c.name, width, scheme))
				}
			}
		}
	}
	if list := b.complaints(); len(list) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(list, "\n"))
	}
}
