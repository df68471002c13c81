package scaling

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// A line of a chart goes through points, from left to right.
type line struct {
	label string
	x, y  []float64
}

// A panel is a chart with logarithmic scales.
type panel struct {
	title string
	lines []line
}

// colours suit a light and a dark ground.
var colours = []string{"#3b82d0", "#d9772b", "#3d9e57", "#b45fc0", "#d64f5c", "#8a7a3c", "#2a9da5", "#7b7f88"}

const style = `<style>
  svg { background: #ffffff; color: #1f2328; font: 12px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { background: #16191d; color: #dfe3e8; } }
  text { fill: currentColor; }
  .title { font-size: 11px; font-weight: 600; }
  .axis { stroke: currentColor; fill: none; }
  .grid { stroke: currentColor; stroke-opacity: 0.14; }
  .ideal { stroke: currentColor; stroke-opacity: 0.45; stroke-dasharray: 4 4; }
</style>
`

const (
	panelWidth, panelHeight = 330, 290
	plotLeft, plotTop       = 46, 34
	plotWidth, plotHeight   = 268, 206
	mostWorkers             = 10_000
)

func text(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class,
		html.EscapeString(s))
}

// along is where a number is on a logarithmic scale, from 0 to 1.
func along(v float64) float64 { return math.Log10(max(1, v)) / math.Log10(mostWorkers) }

// begin opens a drawing of some panels, three in a row, with the labels of what is drawn above them.
func begin(b *strings.Builder, panels int, labels []string) {
	rows := (panels + 2) / 3
	width, height := 3*panelWidth+20, rows*panelHeight+30
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">`+
		"\n"+style, width, height)
	x := 16.0
	for i, l := range labels {
		fmt.Fprintf(b, `<rect x="%.1f" y="10" width="14" height="10" fill="%s"/>`+"\n", x, colours[i%len(colours)])
		text(b, x+20, 19, "start", "", l)
		x += 34 + 7*float64(len(l))
	}
}

// axes draws those of a panel, both from 1 to 10,000 or the second one in per cent.
func axes(b *strings.Builder, i int, title string, percent bool) (x, y func(float64) float64) {
	left, top := float64(i%3*panelWidth+plotLeft), float64(i/3*panelHeight+plotTop+30)
	x = func(v float64) float64 { return left + along(v)*plotWidth }
	y = func(v float64) float64 { return top + plotHeight - along(v)*plotHeight }
	if percent {
		y = func(v float64) float64 { return top + plotHeight - v*plotHeight }
	}
	text(b, left, top-10, "start", "title", title)
	for e := range 5 {
		v := math.Pow10(e)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1f v%d"/>`+"\n", x(v), top, plotHeight)
		text(b, x(v), top+plotHeight+16, "middle", "", fmt.Sprint(v))
		label := fmt.Sprint(v)
		if v = math.Pow10(e); percent {
			v = float64(e) / 4
			label = fmt.Sprintf("%d %%", 25*e)
		}
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1f h%d"/>`+"\n", left, y(v), plotWidth)
		text(b, left-5, y(v)+4, "end", "", label)
	}
	fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1f v%d h%d"/>`+"\n", left, top, plotHeight, plotWidth)
	text(b, left+plotWidth/2, top+plotHeight+31, "middle", "", "workers")
	return x, y
}

// drawLines draws speed-ups.
func drawLines(panels []panel) string {
	var b strings.Builder
	var labels []string
	for _, l := range panels[0].lines {
		labels = append(labels, l.label)
	}
	begin(&b, len(panels), labels)
	for i, p := range panels {
		x, y := axes(&b, i, p.title, false)
		fmt.Fprintf(&b, `<path class="ideal" d="M%.1f %.1f L%.1f %.1f"/>`+"\n", x(1), y(1), x(mostWorkers),
			y(mostWorkers))
		for k, l := range p.lines {
			var points []string
			for j := range l.x {
				points = append(points, fmt.Sprintf("%.1f,%.1f", x(l.x[j]), y(l.y[j])))
			}
			fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+"\n", colours[k],
				strings.Join(points, " "))
			for j := range l.x {
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.6" fill="%s"/>`+"\n", x(l.x[j]), y(l.y[j]),
					colours[k])
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawParts draws what all of the time is made of: the lines of a panel are parts of it, one on top of the other.
func drawParts(panels []panel) string {
	var b strings.Builder
	var labels []string
	for _, l := range panels[0].lines {
		labels = append(labels, l.label)
	}
	begin(&b, len(panels), labels)
	for i, p := range panels {
		x, y := axes(&b, i, p.title, true)
		under := make([]float64, len(p.lines[0].x))
		for k, l := range p.lines {
			var up, down []string
			for j := range l.x {
				down = append([]string{fmt.Sprintf("%.1f,%.1f", x(l.x[j]), y(under[j]))}, down...)
				under[j] += l.y[j]
				up = append(up, fmt.Sprintf("%.1f,%.1f", x(l.x[j]), y(under[j])))
			}
			fmt.Fprintf(&b, `<polygon fill="%s" fill-opacity="0.85" points="%s"/>`+"\n", colours[k],
				strings.Join(append(up, down...), " "))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
