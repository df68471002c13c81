// Package svg draws texts and marks of plots: svg.go.
package svg

import (
	"fmt"
	"html"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
)

// Colours suit a light and a dark ground; marks differ too, for those who cannot tell the colours apart.
var Colours = []string{"#3b82d0", "#d9772b", "#3d9e57", "#b45fc0", "#d64f5c", "#8a7a3c", "#2a9da5", "#7b7f88"}

// Style has the classes that plots use, for a light and a dark ground.
const Style = `
  svg { background: #ffffff; color: #1f2328; font: 13px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { background: #16191d; color: #dfe3e8; } }
  text { fill: currentColor; }
  .title { font-size: 15px; font-weight: 600; }
  .axis { stroke: currentColor; fill: none; }
  .grid { stroke: currentColor; stroke-opacity: 0.14; }
  .line { fill: none; stroke-width: 2; }
  .open { fill: none; stroke-width: 2; }
`

// Text draws a text at a place; the anchor is start, middle or end.
func Text(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class,
		html.EscapeString(terminal.Visible(s)))
}

// Mark draws a point: full for a complete run, open for one that was ended by a bound.
func Mark(b *strings.Builder, k int, colour string, x, y float64, full bool) {
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
