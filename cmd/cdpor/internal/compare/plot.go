package compare

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/svg"
	"cdpor/cmd/cdpor/internal/terminal"
)

// The plot of a comparison: one column over the swept parameter as SVG, a line for each algorithm, with a logarithmic
// scale.

// Sizes in pixels.
const (
	plotWidth, plotHeight                    = 780, 440
	plotLeft, plotRight, plotTop, plotBottom = 76, 210, 48, 56
)

// Plot draws a column of a table with exactly one swept parameter and at least one row. The column counts
// something.
func Plot(t *Table, c Column) []byte {
	var b strings.Builder
	name := t.Swept[0]
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img">`+"\n",
		plotWidth, plotHeight)
	fmt.Fprintf(&b, "<title>%s%s over %s</title>\n<style>%s</style>\n", strings.ToUpper(c.name[:1]), c.name[1:],
		html.EscapeString(terminal.Visible(name)), svg.Style)
	line := func(class string, x1, y1, x2, y2 float64) {
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
	}
	from, to := t.value(0), t.value(len(t.Rows)-1)
	decades := 1.0
	for _, row := range t.Rows {
		for _, m := range row.Runs {
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
	y := func(m *Measurement) float64 {
		return bottom - math.Log10(max(c.of(m, m), 1))/decades*(bottom-plotTop)
	}

	svg.Text(&b, plotLeft, 26, "start", "title", t.Title)
	for d, every := 0.0, math.Ceil(decades/8); d <= decades; d += every {
		at := bottom - d/decades*(bottom-plotTop)
		line("grid", plotLeft, at, right, at)
		svg.Text(&b, plotLeft-8, at+4, "end", "", "1"+strings.Repeat("0", int(d)))
	}
	every := int(math.Ceil((to - from) / 14))
	for i := range t.Rows {
		if every > 1 && i%every != 0 {
			continue
		}
		line("axis", x(t.value(i)), bottom, x(t.value(i)), bottom+5)
		svg.Text(&b, x(t.value(i)), bottom+20, "middle", "", t.Rows[i].parameter(name))
	}
	line("axis", plotLeft, bottom, right, bottom)
	line("axis", plotLeft, plotTop, plotLeft, bottom)
	svg.Text(&b, (plotLeft+right)/2, bottom+42, "middle", "", name)
	fmt.Fprintf(&b, `<text transform="translate(18 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(plotTop+float64(bottom))/2, c.name)

	unfinished := false
	for k, first := range t.Rows[0].Runs {
		colour := svg.Colours[k%len(svg.Colours)]
		var points []string
		for i, row := range t.Rows {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(t.value(i)), y(row.Runs[k])))
		}
		fmt.Fprintf(&b, `<polyline class="line" stroke="%s"%s points="%s"/>`+"\n", colour, dash(k),
			strings.Join(points, " "))
		for i, row := range t.Rows {
			m := row.Runs[k]
			svg.Mark(&b, k, colour, x(t.value(i)), y(m), m.complete())
			unfinished = unfinished || !m.complete()
		}
		at := plotTop + 10 + float64(k)*22
		fmt.Fprintf(&b, `<line class="line" stroke="%s"%s x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`+"\n", colour, dash(k),
			right+20, at, right+48, at)
		svg.Mark(&b, k, colour, right+34, at, true)
		svg.Text(&b, right+56, at+4, "start", "", first.Variant.Name)
	}
	if unfinished {
		at := plotTop + 10 + float64(len(t.Rows[0].Runs))*22 + 6
		svg.Mark(&b, 0, "currentColor", right+34, at, false)
		svg.Text(&b, right+56, at+4, "start", "", "at least; bound hit")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// value is the swept parameter of a row.
func (t *Table) value(row int) float64 {
	v, _ := strconv.ParseFloat(t.Rows[row].parameter(t.Swept[0]), 64) // a range of integers
	return v
}

// dash tells lines that lie on each other apart: what is below shows in the gaps.
func dash(k int) string {
	if k == 0 {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%d %d"`, 4+3*(k%3), 3+3*(k/3))
}
