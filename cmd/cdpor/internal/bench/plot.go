package bench

import (
	"fmt"
	"math"
	"strings"

	"cdpor/cmd/cdpor/internal/svg"
)

// The plot of a bench table as SVG: a row per program, in it a mark per algorithm and peer at its CPU time, on a
// logarithmic scale.

const (
	benchLeft, benchTop, benchRowHeight = 150, 84, 40
	benchWidth, benchRight              = 860, 30
)

// Plot draws a table as SVG.
func Plot(t *Table) []byte {
	least, most := math.Inf(1), math.Inf(-1)
	see := func(s float64) { least, most = min(least, s), max(most, s) }
	shown := func(s float64) float64 { return max(s, 0.001) } // a logarithmic scale has no zero
	for _, line := range t.Rows {
		see(line[0].row.nidhugg)
		see(line[0].row.genmc)
		for _, b := range line {
			see(shown(b.seconds()))
		}
	}
	from, to := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	bottom := float64(benchTop + benchRowHeight*len(t.Rows))
	x := func(s float64) float64 {
		return benchLeft + (math.Log10(shown(s))-from)/(to-from)*(benchWidth-benchRight-benchLeft)
	}
	var b strings.Builder
	height := bottom + 52
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%[1]d" height="%.0[2]f" role="img">`+"\n",
		benchWidth, height)
	fmt.Fprintf(&b, "<title>CPU seconds</title>\n<style>%s</style>\n", svg.Style)
	svg.Text(&b, 20, 26, "start", "title", "CPU seconds, less is better")
	for d := from; d <= to; d++ {
		at := x(math.Pow(10, d))
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1[1]f" y2="%.1[3]f"/>`+"\n",
			at, benchTop-8.0, bottom)
		svg.Text(&b, at, bottom+20, "middle", "", fmt.Sprintf("%g", math.Pow(10, d)))
	}
	fmt.Fprintf(&b, `<line class="axis" x1="%d" y1="%.1f" x2="%d" y2="%.1[2]f"/>`+"\n", benchLeft, bottom,
		benchWidth-benchRight)
	names := []string{}
	for _, r := range t.Rows[0] {
		names = append(names, r.mode.Label())
	}
	names = append(names, "Nidhugg", "GenMC")
	at := 20.0
	for k, name := range names {
		svg.Mark(&b, k, svg.Colours[k%len(svg.Colours)], at+6, 52, k < len(t.Rows[0]))
		svg.Text(&b, at+18, 56, "start", "", name)
		at += 40 + 7.6*float64(len(name))
	}
	for i, line := range t.Rows {
		y := benchTop + benchRowHeight*(float64(i)+0.5)
		svg.Text(&b, benchLeft-12, y+4, "end", "", line[0].row.Title())
		times := []float64{}
		for _, r := range line {
			times = append(times, r.seconds())
		}
		times = append(times, line[0].row.nidhugg, line[0].row.genmc)
		for k, s := range times {
			svg.Mark(&b, k, svg.Colours[k%len(svg.Colours)], x(s), y, k < len(line) && line[k].complete())
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
