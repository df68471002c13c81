package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
)

// The plot of a comparison: one column over the swept parameter as SVG, a line for each algorithm, with a logarithmic
// scale.

// Sizes in pixels.
const (
	plotWidth, plotHeight                    = 780, 440
	plotLeft, plotRight, plotTop, plotBottom = 76, 210, 48, 56
)

// plotColours suit a light and a dark ground; marks differ too, for those who cannot tell the colours apart.
var plotColours = []string{"#3b82d0", "#d9772b", "#3d9e57", "#b45fc0", "#d64f5c", "#8a7a3c", "#2a9da5", "#7b7f88"}

const plotStyle = `
  svg { background: #ffffff; color: #1f2328; font: 13px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { background: #16191d; color: #dfe3e8; } }
  text { fill: currentColor; }
  .title { font-size: 15px; font-weight: 600; }
  .axis { stroke: currentColor; fill: none; }
  .grid { stroke: currentColor; stroke-opacity: 0.14; }
  .line { fill: none; stroke-width: 2; }
  .open { fill: none; stroke-width: 2; }
`

// drawPlot draws a column of a table with exactly one swept parameter and at least one row. The column counts
// something.
func drawPlot(t *table, c column) []byte {
	var b strings.Builder
	name := t.swept[0]
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img">`+"\n",
		plotWidth, plotHeight)
	fmt.Fprintf(&b, "<title>%s%s over %s</title>\n<style>%s</style>\n", strings.ToUpper(c.name[:1]), c.name[1:], html.EscapeString(terminal.Visible(name)), plotStyle)
	line := func(class string, x1, y1, x2, y2 float64) {
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
	}
	from, to := t.value(0), t.value(len(t.rows)-1)
	decades := 1.0
	for _, row := range t.rows {
		for _, m := range row.runs {
			decades = max(decades, math.Ceil(math.Log10(max(c.of(m, m), 1))))
		}
	}
	const right, bottom = plotWidth - plotRight, plotHeight - plotBottom
	x := func(v float64) float64 {
		if from == to {
			return (plotLeft + right) / 2
		}
		return plotLeft + (v-from)/(to-from)*(right-plotLeft)
	}
	y := func(m *measurement) float64 {
		return bottom - math.Log10(max(c.of(m, m), 1))/decades*(bottom-plotTop)
	}

	svgText(&b, plotLeft, 26, "start", "title", t.title)
	for d, every := 0.0, math.Ceil(decades/8); d <= decades; d += every {
		at := bottom - d/decades*(bottom-plotTop)
		line("grid", plotLeft, at, right, at)
		svgText(&b, plotLeft-8, at+4, "end", "", "1"+strings.Repeat("0", int(d)))
	}
	every := int(math.Ceil((to - from) / 14))
	for i := range t.rows {
		if every > 1 && i%every != 0 {
			continue
		}
		line("axis", x(t.value(i)), bottom, x(t.value(i)), bottom+5)
		svgText(&b, x(t.value(i)), bottom+20, "middle", "", t.rows[i].parameter(name))
	}
	line("axis", plotLeft, bottom, right, bottom)
	line("axis", plotLeft, plotTop, plotLeft, bottom)
	svgText(&b, (plotLeft+right)/2, bottom+42, "middle", "", name)
	fmt.Fprintf(&b, `<text transform="translate(18 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (plotTop+float64(bottom))/2, c.name)

	unfinished := false
	for k, first := range t.rows[0].runs {
		colour := plotColours[k%len(plotColours)]
		var points []string
		for i, row := range t.rows {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(t.value(i)), y(row.runs[k])))
		}
		fmt.Fprintf(&b, `<polyline class="line" stroke="%s"%s points="%s"/>`+"\n", colour, dash(k), strings.Join(points, " "))
		for i, row := range t.rows {
			m := row.runs[k]
			mark(&b, k, colour, x(t.value(i)), y(m), m.complete())
			unfinished = unfinished || !m.complete()
		}
		at := plotTop + 10 + float64(k)*22
		fmt.Fprintf(&b, `<line class="line" stroke="%s"%s x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`+"\n", colour, dash(k), right+20, at, right+48, at)
		mark(&b, k, colour, right+34, at, true)
		svgText(&b, right+56, at+4, "start", "", first.variant.Name)
	}
	if unfinished {
		at := plotTop + 10 + float64(len(t.rows[0].runs))*22 + 6
		mark(&b, 0, "currentColor", right+34, at, false)
		svgText(&b, right+56, at+4, "start", "", "at least; bound hit")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// value is the swept parameter of a row.
func (t *table) value(row int) float64 {
	v, _ := strconv.ParseFloat(t.rows[row].parameter(t.swept[0]), 64) // a range of integers
	return v
}

// dash tells lines that lie on each other apart: what is below shows in the gaps.
func dash(k int) string {
	if k == 0 {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%d %d"`, 4+3*(k%3), 3+3*(k/3))
}

func svgText(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(terminal.Visible(s)))
}

// mark draws a point: full for a complete run, open for one that was ended by a bound.
func mark(b *strings.Builder, k int, colour string, x, y float64, full bool) {
	style := fmt.Sprintf(`fill="%s"`, colour)
	if !full {
		style = fmt.Sprintf(`class="open" stroke="%s"`, colour)
	}
	const r = 4.5
	switch k % 3 {
	case 0:
		fmt.Fprintf(b, `<circle %s cx="%.1f" cy="%.1f" r="%.1f"/>`+"\n", style, x, y, r)
	case 1:
		fmt.Fprintf(b, `<rect %s x="%.1f" y="%.1f" width="%.1f" height="%[4]g"/>`+"\n", style, x-r, y-r, 2*r)
	case 2:
		fmt.Fprintf(b, `<path %s d="M%.1f %.1f l%.1f %.1f h%.1f z"/>`+"\n", style, x, y-r-1, r+1, 2*r, -2*(r+1))
	}
}
